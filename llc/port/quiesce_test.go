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

// TestQuiesce: nothing is under way after Quiesce, the network has what was sent, and calls go on.
func TestQuiesce(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	far := &stubborn{nics[0], 5}
	a := ir.AbilitiesOf(nics[0])
	a.Settler = far
	ps := openNICs(t, []ir.Translator{a.Give(nics[0]), nics[1]})
	for round := range 2 {
		long := &llc.Request{Peer: 1, Tag: 1, Buf: payload(round, 40000)}
		ps[0].Start(long, true)
		var wg sync.WaitGroup
		wg.Go(func() { recv(t, ps[1], 0, 0, 1, payload(round, 40000)) })
		inTime(t, "Quiesce", func() {
			if err := ps[0].Quiesce(); err != nil || !long.Done() || far.left >= 0 {
				t.Errorf("%v; done %v, %d more questions", err, long.Done(), far.left)
			}
		})
		wg.Wait()
	}
	ps[0].Start(&llc.Request{Peer: 1, Tag: 2, Buf: payload(1, 40000)}, true)
	inTime(t, "Quiesce", func() {
		if err := ps[0].Quiesce(); !errors.Is(err, ErrUnfinished) {
			t.Errorf("nobody receives, and Quiesce says %v", err)
		}
	})
	recv(t, ps[1], 0, 0, 2, payload(1, 40000))
	if err := ps[0].Close(); err != nil {
		t.Error(err)
	}
	if err := ps[0].Quiesce(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
