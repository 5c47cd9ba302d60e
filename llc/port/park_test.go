package port

import (
	"errors"
	"sync"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// stubborn is a translator that is settled only when it has been asked left times.
type stubborn struct {
	ir.Translator
	left int
}

func (s *stubborn) Settled() bool {
	s.left--
	return s.left < 0
}

// TestPark: nothing is under way after Park, the network has what was sent, and calls fail until Reopen.
func TestPark(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	far := &stubborn{nics[0], 5}
	a := ir.AbilitiesOf(nics[0])
	a.Settler = far
	ps := openNICs(t, []ir.Translator{a.Give(nics[0]), nics[1]})
	ps[0].Reopen() // has no effect
	for round := range 3 {
		long := &llc.Request{Peer: 1, Tag: 1, Buf: payload(round, 40000)}
		ps[0].Start(long, true)
		var wg sync.WaitGroup
		wg.Go(func() { recv(t, ps[1], 0, 0, 1, payload(round, 40000)) })
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() {
				if _, err := ps[0].Recv(llc.MakeKey(0, 0), 1, 3, nil); !errors.Is(err, ErrClosed) {
					t.Errorf("a receive that waits: %v", err)
				}
			})
		}
		inTime(t, "Park", func() {
			if err := ps[0].Park(false); err != nil || !long.Done() || far.left >= 0 {
				t.Errorf("%v; done %v, %d more questions", err, long.Done(), far.left)
			}
		})
		wg.Wait()
		inTime(t, "Recv", waiting.Wait)
		if err := ps[0].Send(llc.MakeKey(0, 0), 1, 1, llc.Standard, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("a send of a parked port: %v", err)
		}
		if err := ps[0].Park(false); !errors.Is(err, ErrClosed) {
			t.Errorf("a parked port parks: %v", err)
		}
		ps[0].Reopen()
	}
	ps[0].Start(&llc.Request{Peer: 1, Tag: 2, Buf: payload(1, 40000)}, true)
	inTime(t, "Park", func() {
		if err := ps[0].Park(false); !errors.Is(err, ErrUnfinished) {
			t.Errorf("nobody receives, and Park says %v", err)
		}
	})
	ps[0].Reopen()
	recv(t, ps[1], 0, 0, 2, payload(1, 40000))
	if err := errors.Join(ps[0].Park(false), ps[0].Close()); err != nil {
		t.Error(err)
	}
	for _, err := range []error{ps[0].Park(false), ps[0].Close()} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestAbandonedPortsStayShut: a port that has been abandoned parks, and takes no calls after Reopen.
func TestAbandonedPortsStayShut(t *testing.T) {
	ps := openNICs(t, nictest.Loopback(2, nictest.DefaultCaps()))
	ps[0].Start(&llc.Request{Peer: 1, Tag: 2, Buf: payload(1, 40000)}, true) // nobody receives it
	ps[0].Abandon()
	if err := ps[0].Park(false); !errors.Is(err, ErrUnfinished) {
		t.Errorf("Park: %v", err)
	}
	ps[0].Reopen()
	if err := ps[0].Send(llc.MakeKey(0, 0), 1, 1, llc.Standard, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a send after Reopen: %v", err)
	}
}

// TestParkReportsTheEnd: others expect a rank that parks to end its use of MPI, unless it says that this was the end.
func TestParkReportsTheEnd(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	p := openNICs(t, []ir.Translator{rep, nics[1]})[0]
	for _, over := range []bool{false, true, true, false} {
		if err := p.Park(over); err != nil || rep.finished != over {
			t.Errorf("parked, over %v: %v, finished %v", over, err, rep.finished)
		}
		if p.Reopen(); rep.finished {
			t.Errorf("parked, over %v: finished when it is open again", over)
		}
	}
}
