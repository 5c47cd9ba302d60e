package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// cell is a part of a run in tests.
type cell int

func (c cell) String() string { return fmt.Sprintf("cell-%d", int(c)) }

type outcome struct {
	Square int    `json:"square"`
	Setup  string `json:"setup"`
}

var errOdd = errors.New("odd")

// squares returns cells that square their number and fail where fails returns true, and a count of those
// that have run.
func squares(dir, setup string, fails func(cell) bool) (s *Cells[cell, outcome], ran *atomic.Int32) {
	ran = new(atomic.Int32)
	return &Cells[cell, outcome]{
		Dir: dir, Jobs: 3, Setup: func(cell) string { return setup }, Of: func(o outcome) string { return o.Setup },
		Run: func(_ context.Context, c cell) (outcome, error) {
			ran.Add(1)
			if fails(c) {
				return outcome{}, errOdd
			}
			return outcome{int(c * c), setup}, nil
		},
	}, ran
}

// TestCellsGoOn: cells that have been run are not run again, those that failed are, and they are named.
func TestCellsGoOn(t *testing.T) {
	dir := t.TempDir()
	all := []cell{1, 2, 3, 4}
	run := func(fails func(cell) bool) (got []int, ran int32, err error) {
		s, n := squares(dir, "a", fails)
		err = s.All(t.Context(), all, func(o outcome) { got = append(got, o.Square) })
		slices.Sort(got)
		return got, n.Load(), err
	}
	got, ran, err := run(func(c cell) bool { return c%2 == 1 })
	if !errors.Is(err, errOdd) || !strings.Contains(err.Error(), "cell-1: odd") || !strings.Contains(err.Error(), "cell-3: odd") || ran != 4 || !slices.Equal(got, []int{4, 16}) {
		t.Errorf("%v, %d, %v", got, ran, err)
	}
	got, ran, err = run(func(cell) bool { return false })
	if err != nil || ran != 2 || !slices.Equal(got, []int{1, 4, 9, 16}) {
		t.Errorf("%v, %d, %v", got, ran, err)
	}
}

// TestCellsOfAnother: cells of another setup, or unreadable ones, are an error before anything runs.
func TestCellsOfAnother(t *testing.T) {
	dir := t.TempDir()
	never := func(cell) bool { return false }
	s, _ := squares(dir, "a", never)
	if err := s.All(t.Context(), []cell{5}, func(outcome) {}); err != nil {
		t.Fatal(err)
	}
	other, ran := squares(dir, "b", never)
	if err := other.All(t.Context(), []cell{4, 5}, func(outcome) {}); err == nil || !strings.Contains(err.Error(), "is of another study (a, not b); give another folder") || ran.Load() != 0 {
		t.Errorf("%d ran, %v", ran.Load(), err)
	}
	if err := os.WriteFile(s.File(5), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.All(t.Context(), []cell{5}, func(outcome) {}); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Error(err)
	}
	s.Dir = s.File(5)
	if err := s.All(t.Context(), []cell{5}, func(outcome) {}); err == nil {
		t.Error("a folder in a file")
	}
}

// TestCellsEnd with their context: none begins after it.
func TestCellsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, ran := squares(t.TempDir(), "a", func(cell) bool { return false })
	if err := s.All(ctx, []cell{1, 2}, func(outcome) {}); !errors.Is(err, context.Canceled) || ran.Load() != 0 {
		t.Errorf("%d ran, %v", ran.Load(), err)
	}
}
