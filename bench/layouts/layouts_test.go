package layouts

import (
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestMeasureTakesEveryKind(t *testing.T) {
	o := Options{Sizes: []int{2 << 10, 8 << 10}, Blocks: []int{8, 1 << 10}, Rounds: 3, Repetitions: 2}
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		rows, err := Measure(w, o)
		if err != nil || w.Rank() != 0 {
			return err
		}
		var b strings.Builder
		if err := Print(&b, rows); err != nil || len(rows) != 14 || strings.Count(b.String(), "\n") != 15 {
			t.Errorf("%v\n%s", err, b.String())
		}
		for _, r := range rows {
			if r.Contiguous <= 0 || r.Layout <= 0 || r.ByHand <= 0 || r.ToContiguous <= 0 || r.ToByHand <= 0 {
				t.Errorf("%+v", r)
			}
		}
		return nil
	})
}

// Every layout consists of exactly the blocks that are copied by hand.
func TestLayoutsAreWhatIsPackedByHand(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		for _, kind := range kinds(longBlock, 6) {
			const n, k = 6, 128
			l, at, size := lay(kind, n, k)
			sparse, packed := make([]float64, size), make([]float64, n*k)
			for i := range sparse {
				sparse[i] = float64(i)
			}
			if _, err := mpi.Sendrecv(w, mpi.View(sparse, l), 0, 0, packed, 0, 0); err != nil {
				return err
			}
			for i, v := range packed {
				if want := at[i/k] + i%k; v != float64(want) {
					t.Fatalf("%s: element %d is number %v of the slice, by hand %d", kind, i, v, want)
				}
			}
		}
		return nil
	})
	if got := kinds(longBlock, 2); len(got) != 5 || len(kinds(longBlock-8, 6)) != 1 || len(kinds(longBlock, 7)) != 5 {
		t.Errorf("of two long blocks: %v", got)
	}
}

func TestWrongSizes(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		if _, err := Measure(w, Default()); err == nil || !strings.Contains(err.Error(), "mpirun -n 2") {
			t.Errorf("one rank: %v", err)
		}
		return nil
	})
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		if _, err := Measure(w, Options{Sizes: []int{100}, Blocks: []int{64}}); err == nil {
			t.Error("100 bytes in blocks of 64")
		}
		return nil
	})
}

// All ranks detect an impossible measurement before any message is sent.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		change func(o *Options)
		ranks  int
		want   string
	}{
		{func(*Options) {}, 2, ""},
		{func(*Options) {}, 1, "there are 1; use mpirun -n 2"},
		{func(o *Options) { o.Rounds = 0 }, 2, "0 rounds of 20 repetitions"},
		{func(o *Options) { o.Repetitions = -1 }, 2, "9 rounds of -1 repetitions"},
		{func(o *Options) { o.Sizes = []int{100} }, 2, "100 bytes in blocks of 8"},
		{func(o *Options) { o.Sizes = []int{0} }, 2, "0 bytes in blocks of 8"},
		{func(o *Options) { o.Blocks = []int{12} }, 2, "in blocks of 12"},
		{func(o *Options) { o.Blocks = []int{0} }, 2, "in blocks of 0"},
	} {
		o := Default()
		c.change(&o)
		err := o.Check(c.ranks)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) && err != nil {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
