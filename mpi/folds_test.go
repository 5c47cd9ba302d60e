package mpi

import (
	"testing"

	"rhinet/llc"
)

// A reading records which receives have the mark Read.
type reading struct {
	instant
	marks []bool
}

func (t *reading) Start(r *llc.Request, send bool) {
	t.marks = append(t.marks, r.Read)
	t.instant.Start(r, send)
}

// A mark concerns only the next transfer, also if another transport wraps the one that
// is marked.
func TestFoldsMarksTheNextTransfer(t *testing.T) {
	at := &reading{}
	inner := newCollTransport(&core{t: at, size: 2})
	group := &groupTransport{collTransport: inner, ranks: []int{1, 0}}
	for _, step := range []struct {
		folds bool
		start func() error
	}{
		{false, func() error { return inner.Irecv(0, nil, 1, 0) }},
		{true, func() error { return inner.Irecv(1, nil, 1, 0) }},
		{false, func() error { return inner.Irecv(2, nil, 1, 0) }},
		{true, func() error { return group.Irecv(3, nil, 0, 0) }},
		{false, func() error { return group.Irecv(4, nil, 0, 0) }},
	} {
		if step.folds {
			inner.Folds()
		}
		if err := step.start(); err != nil {
			t.Fatal(err)
		}
		if got := at.marks[len(at.marks)-1]; got != step.folds {
			t.Errorf("transfer %d is marked: %v, want %v", len(at.marks), got, step.folds)
		}
	}
}
