package mpi

import (
	"context"
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/port"
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

// A lender keeps a transfer whose call has ended, unless it is withdrawn or has been done.
type lender struct {
	instant
	withdrawn, done bool
}

func (h *lender) Cancel(*llc.Request) bool { return h.withdrawn }
func (h *lender) Test(*llc.Request) bool   { return h.done }

// A transport knows whether the buffers of a call that has ended are still in use.
func TestACallThatHasEndedAbandonsItsTransfers(t *testing.T) {
	for name, c := range map[string]struct {
		way  lender
		left bool
	}{
		"in progress": {lender{instant: instant{stuck: true}}, true},
		"withdrawn":   {lender{instant: instant{stuck: true}, withdrawn: true}, false},
		"done":        {lender{instant: instant{stuck: true}, done: true}, false},
	} {
		world, err := Join(Job{Size: 2, Transport: &c.way})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		coll := world.coll.t
		world.coll.begin("Bcast", ctx)
		if err := coll.Isend(0, []byte{1}, 1, 0); err != nil || coll.Abandoned() {
			t.Fatalf("%s: before the end: %v, abandoned: %t", name, err, coll.Abandoned())
		}
		cancel()
		if err := coll.Wait(0, 1); !errors.Is(err, ErrCancelled) || coll.Abandoned() != c.left {
			t.Errorf("%s: %v, abandoned: %t", name, err, coll.Abandoned())
		}
	}
}

// A surprise is a carrier whose conditions hold.
type surprise struct{ port.Carrier }

func (surprise) When(*port.Task, *llc.Request, func() bool) bool { return true }

// An operation that ends because its flags cannot come leaves its messages in progress.
func TestAnOperationWhoseFlagsFailAbandonsItsMessages(t *testing.T) {
	world, err := Join(Job{Size: 2, Transport: &lender{instant: instant{stuck: true}}})
	if err != nil {
		t.Fatal(err)
	}
	coll, broken := newCollTransport(world.core), errors.New("the flags cannot come")
	l := &launch{way: byBoth, exchange: exchange{t: coll, drop: func() {}, set: &startSet{broken: broken}}}
	l.exchange.surprised = true
	o := &operation{t: coll, task: task{launch: l, carrier: surprise{}}}
	coll.op = o
	if err := coll.Isend(0, []byte{1}, 1, 0); err != nil {
		t.Fatal(err)
	}
	if over, err := coll.Test(0, 1); !over || !errors.Is(err, broken) || !coll.Abandoned() {
		t.Errorf("over: %t, %v, abandoned: %t", over, err, coll.Abandoned())
	}
}
