package layouts

import (
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestMeasureTakesEveryKind(t *testing.T) {
	o := Options{Sizes: []int{64, 1024}, Blocks: []int{8, 64}, Rounds: 3, Repetitions: 2}
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		rows, err := Measure(w, o)
		if err != nil || w.Rank() != 0 {
			return err
		}
		var b strings.Builder
		if err := Print(&b, rows); err != nil || len(rows) != 4 || strings.Count(b.String(), "\n") != 5 {
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

// What cannot be measured is known on all ranks before any message is sent.
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
