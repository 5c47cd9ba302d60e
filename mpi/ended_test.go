package mpi

import (
	"context"
	"errors"
	"testing"

	"rhinet/llc"
)

// A tally is an instant transport that counts what is started.
type tally struct {
	instant
	started int
}

func (t *tally) Start(r *llc.Request, send bool) {
	t.started++
	t.instant.Start(r, send)
}

// A collective call whose context has ended starts nothing more: it has not received
// what it would have to send.
func TestACallThatHasEndedSendsNothing(t *testing.T) {
	way := new(tally)
	world, err := Join(Job{Size: 2, Transport: way})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	coll := world.coll.t
	world.coll.begin("Bcast", ctx)
	if err := coll.Isend(0, []byte{1}, 1, 0); err != nil || way.started != 1 {
		t.Fatalf("before the end: %v, %d started", err, way.started)
	}
	cancel()
	if err := coll.Isend(1, []byte{1}, 1, 0); !errors.Is(err, ErrCancelled) {
		t.Errorf("Isend: %v", err)
	}
	if err := coll.Irecv(2, []byte{1}, 1, 0); !errors.Is(err, ErrCancelled) {
		t.Errorf("Irecv: %v", err)
	}
	if way.started != 1 {
		t.Errorf("%d started after the end", way.started-1)
	}
}
