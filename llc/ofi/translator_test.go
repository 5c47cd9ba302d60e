//go:build ofi && linux && (amd64 || arm64)

package ofi

import (
	"errors"
	"testing"
	"time"

	"rhinet/internal/libfabric"
	"rhinet/internal/need"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
)

// TestContractBetweenHosts has each rank be on a host of its own, with memory of its own.
func TestContractBetweenHosts(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		all, err := endpointtest.MeetApart(peers, func(f *fabric.Fabric, rank int, n *entry.Network) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, Options{Network: n}))
		})
		if errors.Is(err, libfabric.ErrUnavailable) {
			need.Missing(t, err.Error())
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	})
}

// open connects all ranks of a job over a provider of this host.
func open(t testing.TB, f *fabric.Fabric, provider string, ranks int) []ir.Translator {
	t.Helper()
	all := make([]ir.Translator, ranks)
	for i := range all {
		tr, err := Open(f, i, Options{Provider: provider})
		if errors.Is(err, libfabric.ErrUnavailable) {
			need.Missing(t, err.Error())
		}
		if err != nil {
			t.Fatal(err)
		}
		all[i] = tr
	}
	return all
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		f, err := fabric.Heap(peers, fabric.Small())
		if err != nil {
			t.Fatal(err)
		}
		return open(t, f, "tcp", peers)
	})
}

// TestDetectFailures: when the launcher marks a peer as failed, what is under way to it ends as well.
func TestDetectFailures(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, "tcp", 2)
	endpointtest.DetectsFailures(t, f, ts, quota)
}

// A Poll behind a Post does not look at the queue, since that calls the system; but not for ever, and not
// once the rank is about to sleep.
func TestLooksLeftOut(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, "tcp", 2)
	tr, other := ts[0].(*Translator), ts[1].(*Translator)
	send := func(from, to *Translator) {
		from.Post(&ir.Command{Op: ir.Shared, Peer: int32(to.Self()), Header: ir.Header{Kind: 1}})
	}
	var ev ir.Event
	// there has a packet lie in the queue of tr for which libfabric has already been asked.
	there := func() {
		t.Helper()
		send(other, tr)
		for end := time.Now().Add(30 * time.Second); tr.at == tr.n; {
			if other.Poll(&ev); !tr.look() && time.Now().After(end) {
				t.Fatal("nothing comes")
			}
			for tr.at < tr.n && tr.done[tr.at].Context >= tr.sends { // a packet of its own that has gone
				tr.complete(&tr.done[tr.at], &ev)
				tr.at++
			}
		}
	}
	there()
	if send(tr, other); !tr.Poll(&ev) || ev.Kind != ir.Arrived {
		t.Errorf("what has been taken from the queue is not given: %+v", ev)
	}
	for end := time.Now().Add(30 * time.Second); tr.peers[1].used > 0; { // it is connected, too
		if tr.Poll(&ev); time.Now().After(end) {
			t.Fatal("nothing goes")
		}
		other.Poll(&ev)
	}
	looks := 0
	for range 10 * (looksLeftOut + 1) {
		send(tr, other)
		tr.Poll(&ev)
		if !tr.posted && tr.unseen == 0 {
			looks++
		}
		other.Poll(&ev)
	}
	if looks != 10 {
		t.Errorf("%d looks beside %d packets; want 10", looks, 10*(looksLeftOut+1))
	}
	send(tr, other)
	if tr.Arm(); tr.brief() {
		t.Error("a rank that is about to sleep does not look")
	}
	for _, tr := range ts {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}
