package mpi

import (
	"errors"
	"testing"
)

// polled returns a window in shared memory of ranks that share processors, and a count
// of how often its rank gives way.
func polled(t *testing.T, quick bool) (*Win[int64], *int) {
	ranks, _ := ranksOnMapped(2, 1<<12)
	gaveWay := new(int)
	m := ranks[0]
	b := windowOnMapped[int64](m).window
	b.polling = &polling{giveWay: func() { *gaveWay++ }}
	b.plain = true
	w := viewOf[int64](b, elemOf[int64](&b.c.w.elems))
	if w.solo != nil || w.near == nil {
		t.Fatal("a window of ranks that share processors has the wrong fast path")
	}
	if !quick {
		w.near = nil
	}
	return w, gaveWay
}

// TestPolls: a rank that reads the same at a place again and again gives way, one that
// finds or makes changes does not.
func TestPolls(t *testing.T) {
	const n = 64 * quickPolls
	one, two, many := make([]int64, 1), make([]int64, 1), make([]int64, 2*pollBytes/8)
	for name, c := range map[string]struct {
		step func(w *Win[int64], i int) error
		want int // 0: never
	}{
		"FetchAndOp that changes nothing": {func(w *Win[int64], _ int) error { _, err := w.FetchAndOp(0, 1, 3, NoOp); return err }, n / quickPolls},
		"Replace by the same":             {func(w *Win[int64], _ int) error { _, err := w.FetchAndOp(7, 1, 3, Replace); return err }, n / quickPolls},
		"CompareAndSwap that fails":       {func(w *Win[int64], _ int) error { _, err := w.CompareAndSwap(5, 6, 1, 3); return err }, n / quickPolls},
		"GetAccumulate":                   {func(w *Win[int64], _ int) error { return w.GetAccumulate(one, two, 1, 3, BOr) }, n / quickPolls},
		"Get and Flush":                   {func(w *Win[int64], _ int) error { return errors.Join(w.Get(one, 1, 3), w.Flush(1)) }, n / quickPolls},
		"Get and FlushLocalAll":           {func(w *Win[int64], _ int) error { return errors.Join(w.Get(one, 1, 3), w.FlushLocalAll()) }, n / quickPolls},
		"Rget":                            {func(w *Win[int64], _ int) error { _, err := w.Rget(one, 1, 3).Wait(); return err }, n / slowPolls},
		"Sync":                            {func(w *Win[int64], _ int) error { return w.Sync() }, n / quickPolls},
		"two places": {func(w *Win[int64], i int) error { _, err := w.FetchAndOp(0, 1, i%2, NoOp); return err },
			n / quickPolls / otherPolls},
		"three ranks' places": {func(w *Win[int64], i int) error {
			return errors.Join(w.Get(one, i%2, 5*(i%3)), w.Flush(i%2))
		}, n / quickPolls / otherPolls},
		"a counter": {func(w *Win[int64], _ int) error { _, err := w.FetchAndOp(1, 1, 3, Sum); return err }, 0},
		"CompareAndSwap that succeeds": {func(w *Win[int64], i int) error {
			_, err := w.CompareAndSwap(int64(i%2), int64(1-i%2), 1, 3)
			return err
		}, 0},
		"lock and unlock": {func(w *Win[int64], i int) error {
			_, err := w.CompareAndSwap(0, 1, 1, 3)
			_, e := w.FetchAndOp(0, 1, 3, Replace)
			return errors.Join(err, e)
		}, 0},
		"a scan":             {func(w *Win[int64], i int) error { return errors.Join(w.Get(one, 1, i%509), w.Flush(1)) }, 0},
		"long data":          {func(w *Win[int64], _ int) error { return errors.Join(w.Get(many, 1, 0), w.Flush(1)) }, 0},
		"Get without a sync": {func(w *Win[int64], _ int) error { return w.Get(one, 1, 3) }, 0},
		"Put and Flush":      {func(w *Win[int64], _ int) error { return errors.Join(w.Put(one, 1, 3), w.Flush(1)) }, 0},
		"Accumulate":         {func(w *Win[int64], _ int) error { return w.Accumulate(one, 1, 3, BOr) }, 0},
	} {
		for _, quick := range []bool{true, false} {
			if !quick && (c.want > 0 || name == "Get without a sync") { // other paths count each access
				continue
			}
			w, gaveWay := polled(t, quick)
			for i := range n {
				if err := c.step(w, i); err != nil {
					t.Fatal(name, err)
				}
			}
			// Two looks are quickPolls-1 or quickPolls+1 accesses apart, and the first ones find everything new.
			if *gaveWay < c.want*3/4 || *gaveWay > c.want*5/4 {
				t.Errorf("%s, quick %v: gave way %d times in %d accesses, want %d", name, quick, *gaveWay, n, c.want)
			}
		}
	}
}

// TestReadsOfRanksThatShareProcessors: they do what they do where each rank has a
// processor, and allocate nothing.
func TestReadsOfRanksThatShareProcessors(t *testing.T) {
	w, _ := polled(t, true)
	got, was := make([]int64, 2), make([]int64, 2)
	check := func(call string, got, want int64, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", call, got, err, want)
		}
	}
	old, err := w.FetchAndOp(5, 1, 2, Sum)
	check("FetchAndOp", old, 0, err)
	old, err = w.CompareAndSwap(5, 6, 1, 2)
	check("CompareAndSwap", old, 5, err)
	old, err = w.CompareAndSwap(5, 7, 1, 2)
	check("CompareAndSwap of another", old, 6, err)
	err = w.GetAccumulate([]int64{1, 2}, was, 1, 2, Sum)
	check("GetAccumulate", was[0], 6, err)
	err = w.Get(got, 1, 2)
	check("Get", got[0], 7, err)
	check("Get", got[1], 2, nil)
	if err := w.Get(got, 1, 511); !errors.Is(err, ErrRMARange) {
		t.Errorf("Get of more than there is: %v", err)
	}
	if _, err := w.FetchAndOp(1, 1, 512, Sum); !errors.Is(err, ErrRMARange) {
		t.Errorf("FetchAndOp behind the end: %v", err)
	}
	if _, err := w.FetchAndOp(1, 1, 0, MinLoc); !errors.Is(err, ErrOp) {
		t.Errorf("FetchAndOp with an operation of pairs: %v", err)
	}
	if n := testing.AllocsPerRun(10*quickPolls, func() {
		_, _ = w.FetchAndOp(0, 1, 2, NoOp)
		_, _ = w.CompareAndSwap(1, 2, 1, 2)
		_ = w.Get(got, 1, 2)
		_ = w.Flush(1)
		_ = w.Sync()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
