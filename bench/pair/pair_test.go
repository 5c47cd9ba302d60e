package pair

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/internal/pmi"
	"rhinet/nicemu/fabric"
)

func series() Series {
	return Series{Name: "x", Sizes: []int{8, 16, 32}, Min: 8, Max: 64, Unit: 8, Scale: 0.5, Moves: 1, Half: true}
}

func TestCheck(t *testing.T) {
	small := series()
	small.Min, small.Unit = 0, 1
	small.Max = 4
	for _, c := range []struct {
		sizes []int
		ok    bool
	}{{nil, true}, {[]int{8, 64, 3}, true}, {[]int{12}, false}, {[]int{128}, false}, {[]int{-8}, false}} {
		err := Check([]Series{series(), small}, c.sizes)
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "x takes multiples of 8 from 8 to 64")) {
			t.Errorf("%v: %v", c.sizes, err)
		}
	}
}

// TestMeasure: the median of five batches counts, and sizes that the series
// cannot take are left to others.
func TestMeasure(t *testing.T) {
	calls := map[int]int{}
	timed := func(bytes, reps int) (float64, error) {
		calls[bytes]++
		return float64(calls[bytes]%5+1) * 1e-6, nil // 2, 3, 4, 5, 1, 2 ...
	}
	var rows []bench.Row
	opts := bench.Options{Sizes: []int{7, 8, 16}, Budget: 100 * time.Microsecond}
	if err := Measure(series(), 3, opts, timed, func(r bench.Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || calls[7] != 0 || rows[0].Microsecs != 1.5 || rows[0].Ranks != 3 || rows[1].Bytes != 16 || rows[2].Test != "x-half" {
		t.Errorf("%+v", rows)
	}
	if r := rows[0]; r.Repetitions != 6 { // 20 us a batch, 3 us the last probe
		t.Errorf("%d repetitions", r.Repetitions)
	}
	broken := errors.New("broken")
	for fail := 1; fail <= 8; fail++ {
		n := 0
		err := Measure(series(), 2, opts, func(int, int) (float64, error) {
			if n++; n == fail {
				return 0, broken
			}
			return 1e-6, nil
		}, func(bench.Row) {})
		if !errors.Is(err, broken) {
			t.Errorf("call %d fails: %v", fail, err)
		}
	}
}

// TestHalf is E5: between two measured sizes, or the first that is enough.
func TestHalf(t *testing.T) {
	row := func(bytes int, rate float64) bench.Row { return bench.Row{Bytes: bytes, MBPerSec: rate} }
	for _, c := range []struct {
		rows []bench.Row
		size int
		rate float64
	}{
		{[]bench.Row{row(8, 10), row(16, 20), row(32, 60), row(64, 100), row(128, 90)}, 28, 50},
		{[]bench.Row{row(8, 60), row(16, 100)}, 8, 50},
	} {
		got, ok := Half(c.rows)
		if !ok || got.Bytes != c.size || got.MBPerSec != c.rate {
			t.Errorf("%+v", got)
		}
	}
	for _, none := range [][]bench.Row{nil, {row(8, 1)}, {row(8, 0), row(16, 0)}} {
		if _, ok := Half(none); ok {
			t.Errorf("of %v", none)
		}
	}
}

// A counting side fails on request.
type counting struct {
	runs *int
	fail error
}

func (c counting) Run(series, bytes, reps int) error {
	*c.runs += reps
	if c.fail != nil && series == 9 {
		return c.fail
	}
	return nil
}

func (c counting) Close() error { return nil }

func TestBothSidesRun(t *testing.T) {
	var runs [2]int
	open := func(e *End) (Side, error) { return counting{runs: &runs[e.Rank]}, nil }
	err := Local(2, 2, fabric.Small(), open, func(e *End, s Side) error {
		for i := range 10 {
			if d, err := e.Call(s, i, 8, 5); err != nil || d <= 0 {
				return err
			}
		}
		if runs != [2]int{50, 50} {
			t.Errorf("%v repetitions", runs)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFailures: what either side fails with is known at the first.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	for rank := range 2 {
		var runs [2]int
		open := func(e *End) (Side, error) {
			if e.Rank == rank {
				return counting{&runs[e.Rank], broken}, nil
			}
			return counting{runs: &runs[e.Rank]}, nil
		}
		err := Local(2, 2, fabric.Small(), open, func(e *End, s Side) error {
			_, err := e.Call(s, 9, 8, 1)
			return err
		})
		if !errors.Is(err, broken) {
			t.Errorf("side %d fails: %v", rank, err)
		}
		open = func(e *End) (Side, error) {
			if e.Rank == rank {
				return nil, broken
			}
			return counting{runs: &runs[e.Rank]}, nil
		}
		if err := Local(2, 2, fabric.Small(), open, func(*End, Side) error { return nil }); !errors.Is(err, broken) {
			t.Errorf("side %d does not open: %v", rank, err)
		}
	}
	if err := Local(2, 0, fabric.Small(), nil, nil); err == nil {
		t.Error("a job of nobody")
	}
}

// TestThreeSides: all run, and each can tell whether another is done.
func TestThreeSides(t *testing.T) {
	var runs [Most]int
	open := func(e *End) (Side, error) { return watching{e, &runs}, nil }
	err := Local(Most, Most, fabric.Small(), open, func(e *End, s Side) error {
		for range 10 {
			if _, err := e.Call(s, 0, 8, 5); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || runs != [Most]int{50, 50, 50} {
		t.Errorf("%v, %v repetitions", err, runs)
	}
}

// A watching side ends its part when all processes before it have.
type watching struct {
	*End
	runs *[Most]int
}

func (w watching) Run(_, _, reps int) error {
	for rank := range w.Rank {
		for !w.Done(rank) {
			if err := w.Pause(); err != nil {
				return err
			}
		}
	}
	w.runs[w.Rank] += reps
	return nil
}

func (watching) Close() error { return nil }

func TestPlace(t *testing.T) {
	for text, want := range map[string][2]int{"": {1, 2}, "1/2": {1, 2}, "2/3": {2, 3}} {
		t.Setenv(placeVariable, text)
		if rank, count, err := place(); err != nil || [2]int{rank, count} != want {
			t.Errorf("%q: %d of %d, %v", text, rank, count, err)
		}
	}
	for _, text := range []string{"x", "2/2", "0/2", "1/4"} {
		t.Setenv(placeVariable, text)
		if err := Follow(nil); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLeaderRefuses(t *testing.T) {
	t.Setenv(pmi.Variable, "version=1")
	if _, err := Lead("x", 2, 2, fabric.Small(), nil); !errors.Is(err, ErrInput) {
		t.Error(err)
	}
	t.Setenv(pmi.Variable, "")
	if _, err := Lead("x", 2, 0, fabric.Small(), nil); err == nil {
		t.Error("a job of nobody")
	}
}
