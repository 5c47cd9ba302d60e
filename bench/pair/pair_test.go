package pair

import (
	"errors"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/internal/pmi"
	"rhinet/nicemu/fabric"
)

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

// TestFailures: the error of either side is reported by the first.
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
	if _, err := Lead("x", 2, 2, fabric.Small(), nil); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	t.Setenv(pmi.Variable, "")
	if _, err := Lead("x", 2, 0, fabric.Small(), nil); err == nil {
		t.Error("a job of nobody")
	}
}
