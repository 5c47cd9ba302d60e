package endpointtest

import (
	"errors"
	"sync"
	"testing"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Meet opens the translators of ranks that are goroutines, of a job on several hosts, all of which are this
// machine. They learn each other's addresses as they open.
func Meet(ranks int, host func(rank int) int, open func(rank int, n *entry.Network) (ir.Translator, error)) ([]ir.Translator, error) {
	ts, errs, all := make([]ir.Translator, ranks), make([]error, ranks), make([]entry.Place, ranks)
	var there, opening sync.WaitGroup
	there.Add(ranks)
	for i := range ts {
		met := sync.OnceFunc(there.Done)
		n := &entry.Network{Host: host(i), Address: "127.0.0.1", Meet: func(name []byte) ([]entry.Place, uint32, error) {
			all[i] = entry.Place{Host: host(i), Name: name}
			met()
			there.Wait()
			return all, 0xcafe, nil
		}}
		opening.Go(func() {
			ts[i], errs[i] = open(i, n)
			met() // a rank that has failed keeps no other waiting
		})
	}
	opening.Wait()
	return ts, errors.Join(errs...)
}

// MeetApart is Meet for ranks each of which is on a host of its own, with memory of its own.
func MeetApart(ranks int, open func(f *fabric.Fabric, rank int, n *entry.Network) (ir.Translator, error)) ([]ir.Translator, error) {
	hosts := make([]*fabric.Fabric, ranks)
	ts, err := Meet(ranks, func(rank int) int { return rank }, func(rank int, n *entry.Network) (ir.Translator, error) {
		f, err := fabric.Heap(ranks, fabric.Small())
		if hosts[rank] = f; err != nil {
			return nil, err
		}
		return open(f, rank, n)
	})
	if err != nil {
		return nil, err
	}
	for i, tr := range ts {
		ts[i] = ir.Abilities{Settler: ir.AbilitiesOf(tr).Settler}.Give(Told{tr, hosts})
	}
	return ts, nil
}

// A Told translator reports its end to the ranks of all hosts, as a launcher does.
type Told struct {
	ir.Translator
	Hosts []*fabric.Fabric
}

// Close closes the translator, and reports its end.
func (t Told) Close() error {
	err := t.Translator.Close()
	for _, f := range t.Hosts {
		f.MarkFailed(t.Self())
	}
	return err
}

// DetectsFailures fails the test unless a rank ends what is under way to rank 1 when the launcher marks
// rank 1, which does not poll, as failed. ts are both ranks of a job with memory f, on a network that holds
// quota packets for a rank that takes none.
func DetectsFailures(t *testing.T, f *fabric.Fabric, ts []ir.Translator, quota int) {
	t.Helper()
	tr := ts[0]
	tr.Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: 1, Data: make([]byte, 8), Token: 5}) // which peer 1 never serves
	for range quota {
		tr.Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}, Token: 6})
	}
	f.MarkFailed(1)
	m := ir.AbilitiesOf(tr).FailureDetector
	if first, again := m.DetectFailures(), m.DetectFailures(); !first || again {
		t.Errorf("news: %v, then %v", first, again)
	}
	ends := map[uint64]int{}
	var ev ir.Event
	for range 1000 {
		if tr.Poll(&ev) {
			if ev.Kind != ir.Failed || ev.Peer != 1 || ev.Err == nil {
				t.Errorf("%+v", ev)
			}
			ends[ev.Token]++
		}
	}
	if ends[0] != 1 || ends[5] != 1 || len(ends) != 2 {
		t.Errorf("failures by token: %v", ends)
	}
	for _, tr := range ts {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}
