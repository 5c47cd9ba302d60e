//go:build linux

package tcp

import (
	"errors"
	"sync"
	"testing"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
)

// A table is where ranks that are goroutines meet.
type table struct {
	all   []entry.Place
	there sync.WaitGroup
}

func newTable(ranks int) *table {
	b := &table{all: make([]entry.Place, ranks)}
	b.there.Add(ranks)
	return b
}

func (b *table) network(rank int) *entry.Network {
	return &entry.Network{Host: rank, Address: local, Meet: func(name []byte) ([]entry.Place, uint32, error) {
		b.all[rank] = entry.Place{Host: rank, Name: name}
		b.there.Done()
		b.there.Wait()
		return b.all, 0xcafe, nil
	}}
}

// A lone translator is on a host of its own. Its launcher tells the others that it has ended.
type lone struct {
	ir.Translator
	hosts []*fabric.Fabric
}

func (l lone) Close() error {
	err := l.Translator.Close()
	for _, f := range l.hosts {
		f.Bury(l.Self())
	}
	return err
}

// TestContractBetweenHosts has each rank be on a host of its own, with memory of its own.
func TestContractBetweenHosts(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		all, errs, hosts := make([]ir.Translator, peers), make([]error, peers), make([]*fabric.Fabric, peers)
		b := newTable(peers)
		var opening sync.WaitGroup
		for i := range all {
			opening.Go(func() {
				f, err := fabric.Heap(peers, fabric.Small())
				if hosts[i] = f; err == nil {
					all[i], err = Open(f, i, Options{Network: b.network(i)})
				}
				if errs[i] = err; err != nil {
					b.there.Done()
				}
			})
		}
		opening.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for i, tr := range all {
			all[i] = ir.Abilities{}.Give(lone{tr, hosts})
		}
		return all
	})
}

// open connects all ranks of a job of this host.
func open(t testing.TB, f *fabric.Fabric, ranks int) []ir.Translator {
	t.Helper()
	all := make([]ir.Translator, ranks)
	for i := range all {
		tr, err := Open(f, i, Options{})
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
		return open(t, f, peers)
	})
}

// TestMourn: when the launcher buries a peer, what is under way to it ends as well.
func TestMourn(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, 2)
	tr := ts[0].(*Translator)
	tr.Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: 1, Data: make([]byte, 8), Token: 5}) // which peer 1 never serves
	for range quota {
		tr.Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}, Token: 6})
	}
	f.Bury(1)
	if first, again := tr.Mourn(), tr.Mourn(); !first || again {
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
