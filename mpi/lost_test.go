package mpi

import (
	"errors"
	"testing"

	"rhinet/collectives"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// A lossy is a transport that has lost every rank that is received from.
type lossy struct {
	Transport
	sent int
}

func (l *lossy) Start(_ *llc.Request, send bool) {
	if send {
		l.sent++
	}
}

func (l *lossy) Wait(r *llc.Request)      { r.Status.Err = llc.ErrPeerGone }
func (l *lossy) Test(r *llc.Request) bool { l.Wait(r); return true }

// A collective call that has not got a part from a lost rank sends nothing further to
// others, which would take it for that rank's data. The next call starts anew.
func TestNothingIsPassedOnOfWhatIsLost(t *testing.T) {
	for name, end := range map[string]func(*collTransport) error{
		"Wait": func(c *collTransport) error { return c.Wait(0, 1) },
		"Test": func(c *collTransport) error { _, err := c.Test(0, 1); return err },
	} {
		l := &lossy{}
		c := newCollTransport(&core{t: l, size: 3, rank: 1})
		k := collState{t: c}
		buf := make([]byte, 8)
		for range 2 {
			k.begin("Bcast", nil)
			l.sent = 0
			if err := errors.Join(c.Isend(1, buf, 2, 0), c.Irecv(0, buf, 0, 0)); err != nil || l.sent != 1 {
				t.Fatalf("%s: %v, %d sent", name, err, l.sent)
			}
			if err := end(c); !errors.Is(err, llc.ErrPeerGone) {
				t.Errorf("%s: %v", name, err)
			}
			if err := c.Isend(1, buf, 2, 0); !errors.Is(err, llc.ErrPeerGone) || l.sent != 1 {
				t.Errorf("%s: passed on: %v, %d sent", name, err, l.sent)
			}
		}
		x := exchanger{collTransport: c}
		if err := x.Exchange(collectives.AllToAll, 0, buf, buf); !errors.Is(err, llc.ErrPeerGone) {
			t.Errorf("%s: shown: %v", name, err)
		}
	}
}

// AwaitCollective ends at once, as a wait in a network that is lost.
func (l *lossy) AwaitCollective(string, *ir.Collective, func(), func() bool) {}

func (l *lossy) Failure() error { return llc.ErrPeerGone }

// TestWaitForPreadyEndsWhenTheNetworkIsLost: the wait of a partitioned send ends with the reason although Pready
// has not named all partitions.
func TestWaitForPreadyEndsWhenTheNetworkIsLost(t *testing.T) {
	for ready, want := range []error{llc.ErrPeerGone, nil} {
		p := &partitioned{c: &Comm{core: &core{t: &lossy{}, w: new(world)}}, send: true, partitions: 1, left: 1 - ready, ready: make([]bool, 1), all: make(chan struct{})}
		if ready == 1 {
			close(p.all)
		}
		p.awaitReady("Wait")
		if !errors.Is(p.failed, want) {
			t.Errorf("with %d of 1 partitions: %v, want %v", ready, p.failed, want)
		}
	}
}
