package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, sections 7.4.2 and 7.6.2: with an empty group, calls that only its processes
// make are local and give no communicator.
func TestNoCommunicatorOfAnEmptyGroup(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() != 0 {
			return nil // others make no call
		}
		all, err := w.Group()
		if err != nil {
			return err
		}
		self, err := all.Incl(0)
		if err != nil {
			return err
		}
		for _, none := range []*mpi.Group{nil, all.Difference(all)} {
			a, err1 := w.CreateGroup(none, 0)
			b, err2 := mpi.CommFromGroup(none, "none")
			c, err3 := mpi.IntercommFromGroups(none, 0, all, 0, "none")
			d, err4 := mpi.IntercommFromGroups(self, 0, none, 0, "none")
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				return err
			}
			for i, made := range []*mpi.Comm{a, b, c, d} {
				if made != nil {
					return fmt.Errorf("call %d gives %s", i, made.Name())
				}
			}
		}
		return nil
	})
}

// MPI 4.1, section 7.3.2: a range leads from its first rank to its last one. A wrong one
// is found at once, however long it is.
func TestRangesLeadToTheirEnds(t *testing.T) {
	mpitest.Run(t, 4, func(w *mpi.Comm) error {
		g, err := w.Group()
		if err != nil {
			return err
		}
		for _, row := range []struct {
			of    mpi.Range
			class mpi.Class
			text  string
		}{
			{mpi.Range{First: 0, Last: 3, Stride: -1}, mpi.ErrArg, "the range from 0 to 3 has stride -1, which leads away from its end; use the other sign"},
			{mpi.Range{First: 3, Last: 1, Stride: 2}, mpi.ErrArg, "the range from 3 to 1 has stride 2, which leads away from its end; use the other sign"},
			{mpi.Range{First: 0, Last: 1 << 60, Stride: 1}, mpi.ErrRank, "the group has no rank 4; it has 4 ranks, from 0"},
			{mpi.Range{First: -1 << 60, Last: 3, Stride: 1}, mpi.ErrRank, fmt.Sprintf("the group has no rank %d; it has 4 ranks, from 0", -1<<60)},
			{mpi.Range{First: 0, Last: math.MaxInt, Stride: 1}, mpi.ErrRank, "the group has no rank 4; it has 4 ranks, from 0"},
			{mpi.Range{First: 3, Last: math.MaxInt, Stride: math.MaxInt - 3}, mpi.ErrRank, fmt.Sprintf("the group has no rank %d; it has 4 ranks, from 0", math.MaxInt)},
			{mpi.Range{First: 0, Last: math.MinInt, Stride: -1}, mpi.ErrRank, "the group has no rank -1; it has 4 ranks, from 0"},
			{mpi.Range{First: 3, Last: math.MinInt, Stride: -2}, mpi.ErrRank, "the group has no rank -1; it has 4 ranks, from 0"},
			{mpi.Range{First: 0, Last: math.MinInt, Stride: math.MinInt}, mpi.ErrRank, fmt.Sprintf("the group has no rank %d; it has 4 ranks, from 0", math.MinInt)},
			{mpi.Range{First: math.MinInt, Last: math.MaxInt, Stride: 1}, mpi.ErrRank, fmt.Sprintf("the group has no rank %d; it has 4 ranks, from 0", math.MinInt)},
			{mpi.Range{First: math.MaxInt, Last: math.MinInt, Stride: -1}, mpi.ErrRank, fmt.Sprintf("the group has no rank %d; it has 4 ranks, from 0", math.MaxInt)},
		} {
			begun := time.Now()
			_, in := g.RangeIncl(row.of)
			_, out := g.RangeExcl(row.of)
			if err := errors.Join(is(in, row.class, "mpi: RangeIncl: "+row.text), is(out, row.class, "mpi: RangeExcl: "+row.text)); err != nil {
				return err
			}
			if took := time.Since(begun); took > time.Second {
				return fmt.Errorf("%v took %v", row.of, took)
			}
		}
		one, err1 := g.RangeIncl(mpi.Range{First: 2, Last: 2, Stride: -7})
		far, err2 := g.RangeIncl(mpi.Range{First: 1, Last: 3, Stride: 9})
		up, err3 := g.RangeIncl(mpi.Range{First: 1, Last: 3, Stride: math.MaxInt})
		down, err4 := g.RangeIncl(mpi.Range{First: 3, Last: 1, Stride: math.MinInt})
		return errors.Join(err1, err2, err3, err4,
			equal("ranks", fmt.Sprint(one.Size(), far.Size(), up.Size(), down.Size()), "1 1 1 1"))
	})
}

// MPI 4.1, section 7.3.1: ranks are translated in any order, any number of times.
func TestTranslateRepeatedRanks(t *testing.T) {
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		g, err1 := w.Group()
		turned, err2 := g.Incl(2, 0)
		ranks, err3 := g.Translate([]int{0, 2, 1, mpi.ProcNull, 0, 2}, turned)
		none, err4 := g.Translate([]int{0, 1}, nil)
		return errors.Join(err1, err2, err3, err4,
			equalAll("ranks", ranks, []int{1, 0, mpi.Undefined, mpi.ProcNull, 1, 0}),
			equalAll("of the empty group", none, []int{mpi.Undefined, mpi.Undefined}))
	})
}

// MPI 4.1, section 7.4.1: MPI_COMM_NULL has neither ranks nor a name. These calls return
// no error that could say so.
func TestNilCommunicatorHasNoRanks(t *testing.T) {
	var none *mpi.Comm
	got := fmt.Sprint(none.Rank(), none.Size(), none.RemoteSize(), none.Name() == "", none.IsInter(), none.IsRevoked())
	if want := fmt.Sprint(mpi.Undefined, 0, 0, true, false, false); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// MPI 4.1, section 7.7.2: a key that is freed stays in use under the values that there
// are: they are copied, and the program or the end of the communicator deletes them.
func TestFreedKeysDeleteTheirValues(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		users := 1
		k := mpi.NewKeyval(
			func(_ *mpi.Comm, n *int) (*int, bool, error) { *n++; return n, true, nil },
			func(_ *mpi.Comm, n *int) error { *n--; return nil })
		if err := k.Set(w, &users); err != nil {
			return err
		}
		k.Free()
		d, err := w.Dup()
		if err != nil {
			return err
		}
		copied := users
		err = errors.Join(d.Free(), equal("copied", copied, 2), equal("after Free", users, 1))
		err = errors.Join(err, k.Delete(w), equal("after Delete", users, 0))
		return errors.Join(err, is(k.Delete(w), mpi.ErrKeyval, "mpi: Delete on world: the key is nil or has been freed; make one with NewKeyval"))
	})
}

// MPI 4.1, section 8.5.2: dimensions are as close to each other as possible, the largest
// first, also those of many nodes, and found soon.
func TestDimsCreateOfManyNodes(t *testing.T) {
	begun := time.Now()
	for _, row := range []struct {
		nodes int
		want  []int
	}{
		{1_000_000_000, []int{1000, 1000, 1000}}, {1<<31 - 1, []int{1<<31 - 1, 1}}, {1<<31 - 1, []int{1<<31 - 1, 1, 1, 1}},
		{735_134_400, []int{27200, 27027}}, {616_000, []int{100, 80, 77}}, {609_875, []int{125, 119, 41}}, {1 << 40, []int{256, 256, 256, 256, 256}},
		{1 << 61, append([]int{16}, slices.Repeat([]int{8}, 19)...)}, {1<<61 - 1, []int{1<<61 - 1, 1, 1}},
		{math.MaxInt, []int{math.MaxInt}}, {math.MaxInt, []int{3969050863, 2323823089}}, {math.MaxInt, []int{4544113, 3124327, 649657}}, {1 << 62, []int{1 << 31, 1 << 31}},
		// Products of large primes.
		{2147483647 * 2147483629, []int{2147483647, 2147483629}}, {2147483647 * 2147483647, []int{2147483647, 2147483647}},
		{2097143 * 2097133 * 2097131, []int{2097143, 2097133, 2097131}}, {4093 * 4099 * 4111 * 65537, []int{65537, 4111, 4099, 4093}},
	} {
		dims := make([]int, len(row.want))
		if err := mpi.DimsCreate(row.nodes, dims); err != nil || !slices.Equal(dims, row.want) {
			t.Errorf("%d nodes: %v, %v, want %v", row.nodes, dims, err, row.want)
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The same against all products.
func TestDimsCreateAgainstAllProducts(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for k := 1; k <= 4; k++ {
			dims := make([]int, k)
			if err := mpi.DimsCreate(n, dims); err != nil {
				t.Fatal(err)
			}
			product := 1
			for _, d := range dims {
				product *= d
			}
			descends := slices.IsSortedFunc(dims, func(a, b int) int { return b - a })
			if best := leastSpread(n, k); product != n || !descends || dims[0]-dims[k-1] != best {
				t.Fatalf("%d nodes: %v, the least difference is %d", n, dims, best)
			}
		}
	}
}

// leastSpread returns the least difference between the first and the last of k factors of
// n in descending order, the first of which have been chosen.
func leastSpread(n, k int, chosen ...int) int {
	if k == 0 {
		return chosen[0] - chosen[len(chosen)-1]
	}
	limit, best := n, math.MaxInt
	if len(chosen) > 0 {
		limit = min(n, chosen[len(chosen)-1])
	}
	for f := 1; f <= limit; f++ {
		if n%f == 0 && (k > 1 || f == n) {
			best = min(best, leastSpread(n/f, k-1, append(slices.Clone(chosen), f)...))
		}
	}
	return best
}

// MPI 4.1, section 11.3.2: names of process sets are URIs, whose case does not matter.
func TestProcessSetsInLowerCase(t *testing.T) {
	inSessions(t, 2, func(s *mpi.Session) error {
		world, err1 := s.Group("mpi://world")
		self, err2 := s.Group("mpi://Self")
		info, err3 := s.PsetInfo("MPI://WORLD")
		return errors.Join(err1, err2, err3, equal("sizes", fmt.Sprint(world.Size(), self.Size(), " ", info["mpi_size"]), "2 1 2"))
	})
}
