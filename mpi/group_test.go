package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// worldRanks returns a group as a list of ranks of w.
func worldRanks(w *mpi.Comm, g *mpi.Group) []int {
	all, err := w.Group()
	if err != nil {
		panic(err)
	}
	ranks, err := g.Translate(sequence(g.Size(), 0), all)
	if err != nil {
		panic(err)
	}
	return ranks
}

// MPI 4.1, section 7.3.2: the results of the set operations, and their order, compared
// with lists.
func TestGroupOperationsAgainstLists(t *testing.T) {
	const n = 9
	mpitest.Run(t, n, func(w *mpi.Comm) error {
		rnd := rand.New(rand.NewPCG(3, uint64(w.Rank())))
		all, err := w.Group()
		if err != nil {
			return err
		}
		for range 300 {
			a, b := rnd.Perm(n)[:rnd.IntN(n+1)], rnd.Perm(n)[:rnd.IntN(n+1)]
			g, err1 := all.Incl(a...)
			h, err2 := all.Incl(b...)
			rest, err3 := all.Excl(a...)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			in := func(s []int, want bool) func(int) bool {
				return func(r int) bool { return slices.Contains(s, r) == want }
			}
			keep := func(s []int, f func(int) bool) (out []int) {
				for _, r := range s {
					if f(r) {
						out = append(out, r)
					}
				}
				return out
			}
			for _, row := range []struct {
				what string
				got  *mpi.Group
				want []int
			}{
				{"Incl", g, a},
				{"Excl", rest, keep(sequence(n, 0), in(a, false))},
				{"Union", g.Union(h), append(slices.Clone(a), keep(b, in(a, false))...)},
				{"Intersection", g.Intersection(h), keep(a, in(b, true))},
				{"Difference", g.Difference(h), keep(a, in(b, false))},
			} {
				if err := equalAll(row.what, worldRanks(w, row.got), row.want); err != nil {
					return err
				}
				own := slices.Index(row.want, w.Rank())
				if own < 0 {
					own = mpi.Undefined
				}
				if err := errors.Join(equal("rank", row.got.Rank(), own), equal("size", row.got.Size(), len(row.want))); err != nil {
					return err
				}
			}
			like := mpi.Unequal
			if slices.Equal(a, b) {
				like = mpi.Ident
			} else if slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))) {
				like = mpi.Similar
			}
			if err := equal("Compare", g.Compare(h), like); err != nil {
				return err
			}
			from, to, stride := rnd.IntN(n), rnd.IntN(n), 1+rnd.IntN(3)
			var want []int
			for r := from; r <= to; r += stride {
				want = append(want, r)
			}
			if to < from {
				for r := from; r >= to; r -= stride {
					want = append(want, r)
				}
				stride = -stride
			}
			g, err1 = all.RangeIncl(mpi.Range{First: from, Last: to, Stride: stride})
			h, err2 = all.RangeExcl(mpi.Range{First: from, Last: to, Stride: stride})
			if err := errors.Join(err1, err2, equalAll("RangeIncl", worldRanks(w, g), want),
				equalAll("RangeExcl", worldRanks(w, h), keep(sequence(n, 0), in(want, false)))); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 7.3: the empty group, ranks that do not exist, and Similar.
func TestGroupsAtTheEdges(t *testing.T) {
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		var empty *mpi.Group
		all, err := w.Group()
		if err != nil {
			return err
		}
		none, err := all.Incl()
		if err != nil {
			return err
		}
		turned, err := all.Incl(2, 1, 0)
		if err != nil {
			return err
		}
		two, err := all.Excl(0)
		if err != nil {
			return err
		}
		ranks, err := all.Translate([]int{mpi.ProcNull, 0, 2}, two)
		second := func(_ any, err error) error { return err }
		return errors.Join(err,
			equalAll("Translate", ranks, []int{mpi.ProcNull, mpi.Undefined, 1}),
			equal("empty", fmt.Sprint(empty.Size(), empty.Rank(), empty.Compare(none), empty.Compare(all)), "0 -3 Ident Unequal"),
			equal("similar", fmt.Sprint(all.Compare(turned), mpi.Congruent, mpi.Comparison(9)), "Similar Congruent comparison 9"),
			equal("union", empty.Union(all).Compare(all), mpi.Ident),
			equal("union of nothing", empty.Union(nil).Size(), 0),
			equal("difference", all.Difference(nil).Compare(all), mpi.Ident),
			is(second(all.Incl(0, 3)), mpi.ErrRank, "mpi: Incl: the group has no rank 3; it has 3 ranks, from 0"),
			is(second(all.Excl(1, 1)), mpi.ErrRank, "mpi: Excl: rank 1 is named twice; name each rank once"),
			is(second(empty.Incl(0)), mpi.ErrRank, ""),
			is(second(all.Translate([]int{-7}, two)), mpi.ErrRank, "mpi: Translate: the group has no rank -7; it has 3 ranks, from 0"),
			is(second(all.RangeIncl(mpi.Range{First: 0, Last: 2})), mpi.ErrArg, "mpi: RangeIncl: the range from 0 to 2 has stride 0; use 1 or another"),
			is(second(all.RangeExcl(mpi.Range{First: 0, Last: 2})), mpi.ErrArg, ""),
			is(second(all.RangeExcl(mpi.Range{First: 1, Last: 9, Stride: 1})), mpi.ErrRank, "mpi: RangeExcl: the group has no rank 3; it has 3 ranks, from 0"),
			is(second(all.RangeIncl(mpi.Range{First: 1, Last: -1 << 40, Stride: -1})), mpi.ErrRank, ""),
			is(second((*mpi.Comm)(nil).Group()), mpi.ErrComm, ""))
	})
}

// checkMade checks that a communicator has the ranks of w that it should.
func checkMade(w, c *mpi.Comm, want []int) error {
	got := make([]int, len(want))
	if err := mpi.Allgather(c, []int{w.Rank()}, got); err != nil {
		return err
	}
	return equalAll(c.Name(), got, want)
}

// MPI 4.1, section 7.4.2: Comm_create is collective over the communicator and makes one
// of each of several groups without common ranks; only the ranks of the group call
// Comm_create_group.
func TestCommunicatorsOfGroups(t *testing.T) {
	for n := 1; n <= 9; n += 1 + n/4 {
		everywhere(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(8, uint64(n)))
			for round := range 6 {
				order := rnd.Perm(n)
				cut, end := rnd.IntN(n), n-rnd.IntN(2)
				mine := order[:cut]
				if slices.Contains(order[cut:end], w.Rank()) {
					mine = order[cut:end]
				}
				all, err := w.Group()
				if err != nil {
					return err
				}
				g, err := all.Incl(mine...)
				if err != nil {
					return err
				}
				if slices.Contains(mine, w.Rank()) {
					c, err := w.CreateGroup(g, round)
					if err != nil {
						return err
					}
					if err := errors.Join(checkMade(w, c, mine), c.Free()); err != nil {
						return err
					}
				}
				c, err := w.Create(g)
				if err != nil {
					return err
				}
				if c == nil {
					if slices.Contains(mine, w.Rank()) {
						return errors.New("no communicator")
					}
					continue
				}
				if err := errors.Join(checkMade(w, c, mine), c.Free()); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 7.4.2: ranks on different hosts share no memory.
func TestSplitTypeKnowsHosts(t *testing.T) {
	ts, release, err := mpi.Local(4, "")
	if err != nil {
		t.Fatal(err)
	}
	var ranks sync.WaitGroup
	for r := range ts {
		ranks.Go(func() {
			w, err := mpi.Join(mpi.Job{Rank: r, Size: len(ts), Host: r % 2 * 5, Transport: ts[r]})
			if err != nil {
				t.Error(err)
				return
			}
			shared, err := w.SplitType(mpi.SplitShared, 0)
			if err != nil || shared.Size() != 2 || shared.Rank() != r/2 {
				t.Errorf("rank %d: %v, %v", r, shared, err)
			}
			if err := mpi.Finalize(w); err != nil {
				t.Error(err)
			}
		})
	}
	ranks.Wait()
	if err := release(); err != nil {
		t.Error(err)
	}
	var none *mpi.Comm
	if _, err := none.SplitType(mpi.SplitShared, 0); err == nil {
		t.Error("no communicator is split")
	}
}

// MPI 4.1, section 7.4: compare, idup, split_type, names, Self and hints.
func TestCommunicatorsAreComparedNamedAndDuplicated(t *testing.T) {
	for n := 1; n <= 3; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			a, err1 := w.Dup()
			turned, err2 := w.Split(0, -w.Rank())
			shared, err3 := w.SplitType(mpi.SplitShared, 0)
			nobody, err4 := w.SplitType(mpi.Undefined, 0)
			self, err5 := mpi.Self(w)
			again, err6 := mpi.Self(a)
			b, r := a.IdupWithInfo(mpi.Info{mpi.HintAlgorithms: "bcast=linear", "other": "x"})
			e, r2 := w.Idup()
			if err := errors.Join(err1, err2, err3, err4, err5, err6, mpi.WaitAll(r, r2)); err != nil {
				return err
			}
			compare := func(x, y *mpi.Comm) string {
				how, err := x.Compare(y)
				return fmt.Sprint(how, err)
			}
			turnedIs := "Similar <nil>"
			selfIs := "Unequal <nil>"
			if n == 1 {
				turnedIs, selfIs = "Congruent <nil>", "Congruent <nil>"
			}
			hints, err := b.Info()
			if err := errors.Join(err, nobodyIs(nobody), b.SetInfo(nil),
				equal("world", compare(w, w.WithContext(context.Background())), "Ident <nil>"),
				equal("dup", compare(w, a), "Congruent <nil>"),
				equal("idup", compare(w, b), "Congruent <nil>"),
				equal("shared", compare(w, shared), "Congruent <nil>"),
				equal("turned", compare(w, turned), turnedIs),
				equal("self", compare(self, w), selfIs),
				equal("self again", compare(self, again), "Ident <nil>"),
				equal("hints", fmt.Sprint(hints), "map[rhinet_coll:bcast=linear]"),
				checkMade(w, self, []int{w.Rank()}), checkMade(w, b, sequence(n, 0)), checkMade(w, e, sequence(n, 0)),
				is(self.Free(), mpi.ErrComm, "mpi: Free on self: Self cannot be freed; Finalize ends it"),
				a.SetName("ocean")); err != nil {
				return err
			}
			_, err = mpi.Recv(a, []int{0}, 99, 0)
			return is(err, mpi.ErrRank, fmt.Sprintf("mpi: Recv on ocean from 99 tag 0: there is no rank 99; ranks are 0 to %d", n-1))
		})
	}
}

func nobodyIs(c *mpi.Comm) error {
	if c != nil {
		return errors.New("a rank of type Undefined got a communicator")
	}
	return nil
}

// Invalid groups and names are errors that say so.
func TestMisusedCommunicatorCallsAreErrors(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		half, err := w.Split(w.Rank(), 0)
		if err != nil {
			return err
		}
		all, err := w.Group()
		if err != nil {
			return err
		}
		other, err := all.Incl(1 - w.Rank())
		if err != nil {
			return err
		}
		second := func(_ any, err error) error { return err }
		var none *mpi.Comm
		name := half.Name()
		_, bad := w.IdupWithInfo(mpi.Info{mpi.HintAlgorithms: "x"})
		_, bad2 := none.Idup()
		return errors.Join(
			is(second(half.Create(other)), mpi.ErrGroup, "mpi: Create on "+name+": rank 0 of the group is not in the communicator; use Intersection with its group"),
			is(second(w.CreateGroup(other, 0)), mpi.ErrGroup, "mpi: CreateGroup on world: the caller is not in the group; only its processes call it"),
			is(second(w.CreateGroup(all, -1)), mpi.ErrTag, fmt.Sprintf("mpi: CreateGroup on world: the tag is -1; tags are 0 to %d", mpi.MaxTag)),
			is(second(none.Create(all)), mpi.ErrComm, ""),
			is(second(none.CreateGroup(all, 0)), mpi.ErrComm, ""),
			is(second(w.SplitType(7, 0)), mpi.ErrArg, "mpi: SplitType on world: there is no type 7; use SplitShared, SplitUnguided or Undefined"),
			is(second(none.Compare(w)), mpi.ErrComm, ""),
			is(second(w.Compare(nil)), mpi.ErrComm, ""),
			is(none.SetName("x"), mpi.ErrComm, ""),
			is(second(none.Info()), mpi.ErrComm, ""),
			is(none.SetInfo(nil), mpi.ErrComm, ""),
			is(second(mpi.Self(none)), mpi.ErrComm, ""),
			is(second(bad.Wait()), mpi.ErrArg, ""),
			is(second(bad2.Wait()), mpi.ErrComm, ""))
	})
}

// MPI 4.1, section 7.7: values are copied by Dup as their key says, deleted when
// replaced or deleted, or when their communicator is freed; those of MPI_COMM_SELF
// first thing in Finalize, the last first (11.2.4).
func TestAttributesAreCopiedAndDeleted(t *testing.T) {
	var deleted []string // of one rank
	err := mpitest.World(1, func(w *mpi.Comm) error {
		note := func(_ *mpi.Comm, value string) error {
			if value == "stays" {
				return errors.New("no")
			}
			deleted = append(deleted, value)
			return nil
		}
		plain, kept := mpi.NewKeyval[int](nil, nil), mpi.NewKeyval(mpi.Keep[string], note)
		asked := mpi.NewKeyval(func(_ *mpi.Comm, n int) (int, bool, error) {
			if n == 13 {
				return 0, false, errors.New("unlucky")
			}
			return n + 1, n%2 == 0, nil
		}, nil)
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if _, found, err := plain.Value(c); found || err != nil {
			return fmt.Errorf("a value that was not set: %v", err)
		}
		if err := errors.Join(plain.Set(c, 1), kept.Set(c, "a"), kept.Set(c, "b"), asked.Set(c, 4)); err != nil {
			return err
		}
		d, err1 := c.Dup()
		e, err2 := d.Dup()
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		_, found, _ := plain.Value(d)
		name, named, _ := kept.Value(e)
		n, counted, _ := asked.Value(d)
		_, more, _ := asked.Value(e)
		if err := equal("values", fmt.Sprint(found, name, named, n, counted, more), "falsebtrue 5 true false"); err != nil {
			return err
		}
		if err := errors.Join(kept.Delete(e), kept.Delete(e), e.Free(), kept.Set(d, "stays")); err != nil {
			return err
		}
		if err := is(d.Free(), mpi.ErrOther, ""); err != nil {
			return err
		}
		if err := is(kept.Set(d, "new"), mpi.ErrOther, "mpi: Set on world.dup1.dup1: the function that is called at deletion failed: no"); err != nil {
			return err
		}
		if err := asked.Set(c, 13); err != nil {
			return err
		}
		if _, err := c.Dup(); is(err, mpi.ErrOther, "mpi: Dup on world.dup1: the function that copies an attribute failed: unlucky") != nil {
			return err
		}
		plain.Free()
		var none *mpi.Keyval[int]
		if err := errors.Join(
			is(plain.Set(c, 2), mpi.ErrKeyval, "mpi: Set on world.dup1: the key is nil or has been freed; make one with NewKeyval"),
			is(none.Delete(c), mpi.ErrKeyval, ""), is(asked.Set(nil, 1), mpi.ErrComm, "")); err != nil {
			return err
		}
		if _, _, err := plain.Value(c); is(err, mpi.ErrKeyval, "") != nil {
			return err
		}
		self, err := mpi.Self(w)
		return errors.Join(err, kept.Set(self, "first"), mpi.NewKeyval(nil, note).Set(self, "last"))
	})
	if err != nil {
		t.Fatal(err)
	}
	// One "b" is of the duplicate whose other copy function failed.
	if want := []string{"a", "b", "b", "b", "last", "first"}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %q, want %q", deleted, want)
	}
}

// MPI 4.1, section 7.4.2: the groups that the ranks give to Create are equal or have no process in common. If
// not, all ranks learn it, and can go on.
func TestCreateOfOtherGroups(t *testing.T) {
	const differ = "ranks %d and %d give different groups that have a process in common; groups must be equal or have none in common"
	const absent = "rank %d gives a group of %d processes, but %d of them give it; all processes of a group must"
	for name, c := range map[string]struct {
		groups [4][]int
		text   string
	}{
		"one more process":         {[4][]int{{0, 1}, {0, 1}, {0, 1, 2}, {3}}, fmt.Sprintf(differ, 0, 2)},
		"another order":            {[4][]int{{0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {}}, fmt.Sprintf(differ, 0, 1)},
		"the same size":            {[4][]int{{0, 1}, {}, {0, 2}, {3}}, fmt.Sprintf(differ, 0, 2)},
		"another first process":    {[4][]int{{0}, {1, 2}, {2, 1}, {3}}, fmt.Sprintf(absent, 1, 2, 1)},
		"a process that leaves it": {[4][]int{{0, 1, 3}, {0, 1, 3}, {2}, {}}, fmt.Sprintf(absent, 0, 3, 2)},
		"alone in a group of all":  {[4][]int{{}, {}, {}, {3, 2, 1, 0}}, fmt.Sprintf(absent, 3, 4, 1)},
		"none":                     {},
		"equal and apart":          {[4][]int{{3, 0}, {2, 1}, {2, 1}, {3, 0}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			mpitest.Run(t, 4, func(w *mpi.Comm) error {
				all, err := w.Group()
				if err != nil {
					return err
				}
				g, err := all.Incl(c.groups[w.Rank()]...)
				if err != nil {
					return err
				}
				made, err := w.Create(g)
				if c.text != "" {
					return errors.Join(is(err, mpi.ErrGroup, "mpi: Create on world: "+c.text), equal("communicator", made, nil), mpi.Barrier(w))
				}
				if err != nil || g.Size() == 0 {
					return errors.Join(err, equal("communicator", made, nil))
				}
				return errors.Join(checkMade(w, made, c.groups[w.Rank()]), made.Free())
			})
		})
	}
	mpitest.Run(t, 3, func(w *mpi.Comm) error { // the same processes in another order
		all, err := w.Group()
		if err != nil || w.Rank() == 2 {
			return err
		}
		g, err := all.Incl(w.Rank(), 1-w.Rank())
		if err != nil {
			return err
		}
		_, err = w.CreateGroup(g, 5)
		return is(err, mpi.ErrGroup, "")
	})
	mpitest.Run(t, 4, func(w *mpi.Comm) error { // on an inter-communicator each side has a group of its own
		half, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		inter, err := half.IntercommCreate(0, w, 2-w.Rank()/2*2, 5)
		if err != nil {
			return err
		}
		own, err := inter.Group()
		if err != nil {
			return err
		}
		g, err := own.Incl(inter.Rank())
		if err != nil {
			return err
		}
		_, err = inter.Create(g)
		return errors.Join(is(err, mpi.ErrGroup, ""), inter.Free(), half.Free())
	})
}
