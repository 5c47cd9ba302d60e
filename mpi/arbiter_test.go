package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A mistaken is a program in which the last rank of a communicator makes another call
// than the others. All must be told the same: both calls, how they differ, and both
// lines.
type mistaken struct {
	name         string
	others, last func(c *mpi.Comm) error
	class        mpi.Class
	they, it     string // the calls, with the difference
	todo         string
}

// again makes a call several times.
func again(n int, call func(c *mpi.Comm) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		for range n {
			if err := call(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// afterwards makes calls one after the other, until one fails.
func afterwards(calls ...func(c *mpi.Comm) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		for _, call := range calls {
			if err := call(c); err != nil {
				return err
			}
		}
		return nil
	}
}

const sameOrder = "make the same collective calls in the same order"

var mistakenPrograms = []mistaken{
	{"Barrier and Allreduce", mpi.Barrier, allreduce[int](1, mpi.Sum), mpi.ErrMismatch, "Barrier", "Allreduce", sameOrder},
	{"Allreduce and Barrier", allreduce[int](1, mpi.Sum), mpi.Barrier, mpi.ErrMismatch, "Allreduce", "Barrier", sameOrder},
	{"Barrier and long Bcast", mpi.Barrier, bcast[int](5000, 0), mpi.ErrMismatch, "Barrier", "Bcast", sameOrder},
	{"Scan and Exscan", scan[int](1, mpi.Sum), exscan[int](1), mpi.ErrMismatch, "Scan", "Exscan", sameOrder},
	{"Dup and Barrier", dup, mpi.Barrier, mpi.ErrMismatch, "Dup", "Barrier", sameOrder},
	{"Dup and Split", dup, makers["Split"], mpi.ErrMismatch, "Dup", "Split", sameOrder},
	{"WinAllocate and Split", makers["WinAllocate"], makers["Split"], mpi.ErrMismatch, "WinAllocate", "Split", sameOrder},
	{"Idup and Dup", idup, dup, mpi.ErrMismatch, "Idup", "Dup", "make the call in the same way: one that does not block, or is persistent, matches only its like"},
	{"CartCreate, dims", cartWith(1, 2), cartWith(2, 1), mpi.ErrMismatch, "CartCreate", "CartCreate", "pass the same dims and periods"},
	{"Bcast, roots", afterwards(bcast[int](1, 0), mpi.Barrier), afterwards(bcast[int](1, 1), mpi.Barrier), mpi.ErrRoot, "Bcast with the root 0", "Bcast with the root 1", "name the same root"},
	{"Reduce, long, roots", afterwards(reduce[int](3000, mpi.Sum, 0), mpi.Barrier), afterwards(reduce[int](3000, mpi.Sum, 1), mpi.Barrier), mpi.ErrRoot, "Reduce with the root 0", "Reduce with the root 1", "name the same root"},
	{"Allreduce, types", allreduce[float32](2, mpi.Sum), allreduce[int32](2, mpi.Sum), mpi.ErrType, "Allreduce with elements of float32", "Allreduce with elements of int32", "use the same type"},
	{"Bcast, long types", bcast[int32](200000, 0), bcast[float32](200000, 0), mpi.ErrType, "Bcast with elements of int32", "Bcast with elements of float32", "use the same type"},
	{"Allreduce, lengths", allreduce[int](1, mpi.Sum), allreduce[int](2, mpi.Sum), mpi.ErrCount, "Allreduce with 8 bytes", "Allreduce with 16 bytes", "call it with the same lengths"},
	{"Allreduce, long lengths", allreduce[int](1000, mpi.Sum), allreduce[int](1001, mpi.Sum), mpi.ErrCount, "Allreduce with 8000 bytes", "Allreduce with 8008 bytes", "call it with the same lengths"},
	{"Gather, lengths", afterwards(gather[int](1, 0), mpi.Barrier), afterwards(gather[int](2, 0), mpi.Barrier), mpi.ErrCount, "Gather with 8 bytes", "Gather with 16 bytes", "call it with the same lengths"},
	{"Gather, none and some", afterwards(gather[int](0, 0), mpi.Barrier), afterwards(gather[int](1, 0), mpi.Barrier), mpi.ErrCount, "Gather with 0 bytes", "Gather with 8 bytes", "call it with the same lengths"},
	{"Gather, none and much", afterwards(gather[int](0, 0), mpi.Barrier), afterwards(gather[int](3000, 0), mpi.Barrier), mpi.ErrCount, "Gather with 0 bytes", "Gather with 24000 bytes", "call it with the same lengths"},
	{"Reduce, none and some", afterwards(reduce[int](0, mpi.Sum, 0), mpi.Barrier), afterwards(reduce[int](1, mpi.Sum, 0), mpi.Barrier), mpi.ErrCount, "Reduce with 0 bytes", "Reduce with 8 bytes", "call it with the same lengths"},
	{"Bcast, some and none", afterwards(bcast[int](1, 0), mpi.Barrier), afterwards(bcast[int](0, 0), mpi.Barrier), mpi.ErrCount, "Bcast with 8 bytes", "Bcast with 0 bytes", "call it with the same lengths"},
	{"Allreduce, operations", allreduce[int](1, mpi.Sum), allreduce[int](1, mpi.Max), mpi.ErrOp, "Allreduce with the operation Sum", "Allreduce with the operation Max", "use the same operation"},
	{"Allreduce, items", allreduceItems(4, 2), allreduceItems(2, 4), mpi.ErrCount, "Allreduce on items of 16 bytes", "Allreduce on items of 32 bytes", "call it with items of the same length"},
	{"Allreduce, items and elements", allreduceItems(2, 4000), allreduce[int](8000, userSum), mpi.ErrOp, "Allreduce with the operation an operation of the user on items", "Allreduce with the operation an operation of the user", "use the same operation"},
	{"Reduce, long, operations", afterwards(reduce[int](2000, mpi.Sum, 0), mpi.Barrier), afterwards(reduce[int](2000, mpi.Prod, 0), mpi.Barrier), mpi.ErrOp, "Reduce with the operation Sum", "Reduce with the operation Prod", "use the same operation"},
	{"found out late", afterwards(again(6, bcast[int](1, 0)), bcast[int](1, 0), again(3, bcast[int](1, 0)), mpi.Barrier),
		afterwards(again(6, bcast[int](1, 0)), gather[int](1, 0), again(3, bcast[int](1, 0)), mpi.Barrier), mpi.ErrMismatch, "Bcast", "Gather", sameOrder},
	{"one too many", afterwards(mpi.Barrier, scan[int](1, mpi.Sum)), afterwards(mpi.Barrier, mpi.Barrier), mpi.ErrMismatch, "Scan", "Barrier", sameOrder},
	{"both wait", afterwards(bcast[int](5000, 1)), scatterFrom0, mpi.ErrMismatch, "Bcast", "Scatter", sameOrder},

	{"Iallreduce, types", iallreduce[float32](2, mpi.Sum), iallreduce[int32](2, mpi.Sum), mpi.ErrType, "Iallreduce with elements of float32", "Iallreduce with elements of int32", "use the same type"},
	{"Ibarrier and Iallreduce", ibarrier, iallreduce[int](1, mpi.Sum), mpi.ErrMismatch, "Ibarrier", "Iallreduce", sameOrder},
	{"Ibcast, roots that wait", ibcast[int](1, 1), ibcast[int](1, 0), mpi.ErrRoot, "Ibcast with the root 1", "Ibcast with the root 0", "name the same root"},
	{"Barrier and Ibarrier", mpi.Barrier, ibarrier, mpi.ErrMismatch, "Barrier", "Ibarrier", "make the call in the same way: one that does not block, or is persistent, matches only its like"},
}

func scatterFrom0(c *mpi.Comm) error { return scatter[int](5000, 0)(c) }

// toldBy runs a program on a duplicate of the world, and returns what each rank was told.
func toldBy(t *testing.T, n int, run func(c *mpi.Comm) error, options ...mpitest.Option) []error {
	t.Helper()
	return toldWith(t, n, nil, run, options...)
}

// toldWith is toldBy for a duplicate with a hint.
func toldWith(t *testing.T, n int, hint mpi.Info, run func(c *mpi.Comm) error, options ...mpitest.Option) []error {
	t.Helper()
	told := make([]error, n)
	var all sync.WaitGroup
	all.Add(n)
	mpitest.Run(t, n, func(w *mpi.Comm) error {
		c, err := w.DupWithInfo(hint)
		if err != nil {
			return err
		}
		if err = run(c); err == nil {
			err = mpi.Barrier(c) // a rank that has completed the call is told in the next one
		}
		told[w.Rank()] = err
		all.Done()
		all.Wait() // no rank leaves before all have been told
		return nil
	}, append(options, mpitest.Timeout(20*time.Second))...)
	return told
}

var sourceLines = regexp.MustCompile(`\([^()]*_test\.go:\d+\)`)

// judge checks what all ranks were told.
func (p *mistaken) judge(t *testing.T, told []error) {
	t.Helper()
	one := ""
	for rank, err := range told {
		if !errors.Is(err, p.class) {
			t.Errorf("rank %d was told %v", rank, err)
			continue
		}
		_, text, _ := strings.Cut(err.Error(), ": rank ")
		if one == "" {
			one = text
		}
		lines := sourceLines.FindAllString(text, -1)
		last := len(told) - 1
		if text != one || len(lines) != 2 {
			t.Errorf("rank %d was told %v", rank, err)
			continue
		}
		// The lowest rank that has come to the call is named, usually 0.
		who, rest, _ := strings.Cut(text, " ")
		lowest, err := strconv.Atoi(who)
		if want := fmt.Sprintf("is in %s %s and rank %d in %s %s; all ranks must %s", p.they, lines[0], last, p.it, lines[1], p.todo); rest != want || err != nil || lowest < 0 || lowest >= last {
			t.Errorf("rank %d was told\n%s, want\n0 %s", rank, text, want)
		}
	}
}

func (p *mistaken) run(c *mpi.Comm) error {
	if c.Rank() == c.Size()-1 {
		return p.last(c)
	}
	return p.others(c)
}

// In a checked job all ranks are told of calls that do not match, and all are told the
// same.
func TestAllRanksAreToldTheSame(t *testing.T) {
	t.Parallel() // it mostly waits
	for i, p := range mistakenPrograms {
		for k, net := range transports {
			for j, n := range []int{2, 3, 8} {
				if n > 2 && k > 1 && (i+j+k)%3 > 0 || testing.Short() && (i+j+k)%4 > 0 { // a share
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", p.name, net.name, n), func(t *testing.T) {
					t.Parallel()
					p.judge(t, toldBy(t, n, p.run, net.option, mpitest.Patience(20*time.Millisecond)))
				})
			}
		}
	}
}

// On a network with barrier controllers, too, whether they serve the barriers or not.
func TestAllRanksAreToldTheSameOnControllers(t *testing.T) {
	t.Parallel() // it mostly waits
	for i, p := range mistakenPrograms {
		for j, n := range []int{2, 3, 8} {
			if (i+j)%2 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", p.name, n), func(t *testing.T) {
				t.Parallel()
				for _, hint := range []mpi.Info{nil, {mpi.HintAlgorithms: "barrier=controller"}} {
					if hint != nil && p.name == "Barrier and Ibarrier" {
						continue // both are barriers of the controllers then, and no rank waits
					}
					p.judge(t, toldWith(t, n, hint, p.run, mpitest.NIC("sync"), mpitest.Patience(20*time.Millisecond)))
				}
			})
		}
	}
}

// withPatience runs a correct program on three ranks, which soon compare their calls.
func withPatience(t *testing.T, fn func(w *mpi.Comm) error) {
	t.Helper()
	for _, net := range append(transports, struct {
		name   string
		option mpitest.Option
	}{"sync", mpitest.NIC("sync")}) {
		t.Run(net.name, func(t *testing.T) {
			t.Parallel()
			mpitest.Run(t, 3, fn, net.option, mpitest.Patience(2*time.Millisecond), mpitest.Timeout(30*time.Second))
		})
	}
}

// A rank that comes late has made no mistake.
func TestARankThatComesLate(t *testing.T) {
	t.Parallel() // it mostly waits
	withPatience(t, func(w *mpi.Comm) error {
		for late := range 3 {
			for _, call := range []func(c *mpi.Comm) error{mpi.Barrier, allreduce[int](1, mpi.Sum), allreduce[int](5000, mpi.Sum), bcast[int](1, late), gather[int](2000, late),
				ibarrier, iallreduce[int](4, mpi.Max), dup} {
				if w.Rank() == late {
					time.Sleep(15 * time.Millisecond)
				}
				if err := call(w); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A rank that only sends gets ahead of late ranks, perhaps further than its history.
func TestARankThatIsAhead(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		for _, n := range []int{1, 30} {
			if w.Rank() == 2 {
				time.Sleep(20 * time.Millisecond)
			}
			if err := again(400, bcast[int](n, 0))(w); err != nil {
				return err
			}
			if err := again(20, gather[int](n, 2))(w); err != nil {
				return err
			}
		}
		return mpi.Barrier(w)
	})
}

// Communicators are freed and made again, with the numbers of earlier ones.
func TestCommunicatorsThatAreMadeAnewMatch(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		for round := range 12 {
			c, err := w.Split(0, (w.Rank()+round)%3)
			if err != nil {
				return err
			}
			if w.Rank() == round%3 {
				time.Sleep(6 * time.Millisecond)
			}
			if err := errors.Join(again(round, mpi.Barrier)(c), scan[int](round, mpi.Sum)(c), c.Free()); err != nil {
				return err
			}
		}
		return nil
	})
}

// A rank that frees a communicator because its context ended has made no mistake.
func TestARankWhoseContextEndedFrees(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if err := mpi.Barrier(c.WithContext(ctx)); !errors.Is(err, mpi.ErrCancelled) {
				return fmt.Errorf("alone: %w", err)
			}
		}
		if err := mpi.Barrier(w); err != nil { // no rank frees before the context has ended
			return err
		}
		time.Sleep(time.Duration(20*(w.Rank()%2)) * time.Millisecond)
		return c.Free()
	})
}

// Ranks that have been told are told again by each call, can free the communicator, and
// use others.
func TestAfterAllHaveBeenTold(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		call := mpi.Barrier
		switch w.Rank() {
		case 1:
			call = allreduce[int](1, mpi.Sum)
		case 2:
			time.Sleep(50 * time.Millisecond)
		}
		first := call(c)
		second := mpi.Barrier(c)
		third := wait(mpi.Ibarrier(c))
		for _, err := range []error{first, second, third} {
			if err := tells(err, mpi.ErrMismatch, "and rank 1 in Allreduce ("); err != nil {
				return err
			}
		}
		if err := errors.Join(c.Free(), mpi.Barrier(w)); err != nil {
			return err
		}
		d, err := w.Dup()
		if err == nil {
			err = mpi.Barrier(d)
		}
		return err
	})
}

// A mistake in parts that only one rank knows is reported by the rank that finds it,
// after the others have been asked.
func TestAMistakeThatNoCallShows(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		begun := time.Now()
		err := gatherv(300, 1)(w)
		if d := time.Since(begun); d > 8*time.Second {
			return fmt.Errorf("told after %v", d)
		}
		if w.Rank() == 0 {
			err = tells(err, mpi.ErrTruncate, "8 bytes arrived from rank 1 where 2400 belong")
		}
		return err
	})
}

// A rank in Free and one in another call are told of each other.
func TestBarrierAndFree(t *testing.T) {
	p := mistaken{"", mpi.Barrier, (*mpi.Comm).Free, mpi.ErrMismatch, "Barrier", "Free", sameOrder}
	for _, n := range []int{2, 3, 8} {
		for _, nic := range []string{"martini", "ib", "sync"} {
			p.judge(t, toldBy(t, n, p.run, mpitest.NIC(nic), mpitest.Patience(20*time.Millisecond)))
		}
	}
}

// Ranks may make calls in different orders if none of them waits for the other.
func TestDifferentOrdersThatAreRight(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		from2 := bcast[int](1, 2)
		switch w.Rank() {
		case 0:
			return errors.Join(from2(w), mpi.Barrier(d))
		case 1:
			return errors.Join(mpi.Barrier(d), from2(w))
		}
		time.Sleep(60 * time.Millisecond)
		return errors.Join(from2(w), mpi.Barrier(d))
	})
}
