package ib

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"testing"

	"rhinet/llc/endpoint"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/ib"
)

func openDemand(f *fabric.Fabric, rank int) (ir.Translator, error) {
	return OpenDemand(f, rank, ib.Options{})
}

func demandGeometry(g fabric.Geometry, peers int) fabric.Geometry {
	return endpoint.Dialable(ib.Geometry(g, peers))
}

func TestContractOnDemand(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		_, all := fabrictest.Heap(t, peers, demandGeometry(fabric.Small(), peers), DemandEntry().Register, openDemand)
		return all
	})
}

func TestContractOnDemandBetweenProcesses(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return fabrictest.Mapped(t, peers, demandGeometry(fabric.Default(), peers), DemandEntry().Register, openDemand)
	})
}

// dialing is a job whose ranks write ring 0 of their peers.
func dialing(t *testing.T, peers int) (*fabric.Fabric, []ir.Translator) {
	t.Helper()
	f, all := fabrictest.Heap(t, peers, demandGeometry(fabric.Small(), peers), DemandEntry().Register, openDemand)
	t.Cleanup(func() {
		for _, tr := range all {
			_ = tr.Close()
		}
	})
	return f, all
}

func nicOf(tr ir.Translator) *demand { return tr.(*Demand).nic }

// link returns the pair's own connection that a rank uses to a peer, nil if it uses the subnet manager's.
func link(tr ir.Translator, peer int) *ib.Link { return nicOf(tr).sides[peer].inUse.Load() }

// look has all ranks look at their slots a few times; they must have no events.
func look(t *testing.T, all []ir.Translator) {
	t.Helper()
	for range 200 {
		look1(t, all)
	}
}

// sevens is a noncontiguous message.
type sevens struct{}

func (sevens) Gather(dst []byte, _ int) {
	for i := range dst {
		dst[i] = 7
	}
}

// send sends packet number n, which carries its number, and receives it.
func send(t *testing.T, all []ir.Translator, n uint64) {
	t.Helper()
	cmd := endpointtest.Packet(ir.Packet, 1, binary.LittleEndian.AppendUint64(nil, n))
	cmd.Slot = n
	all[0].Post(cmd)
	if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Arrived || binary.LittleEndian.Uint64(ev.Data) != n {
		t.Fatalf("packet %d: %+v", n, ev)
	}
}

// Packets go on in order while the connection is made, over the connection, and when the other side has given
// it up.
func TestPacketsMoveToTheirConnection(t *testing.T) {
	f, all := dialing(t, 2)
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
	send(t, all, 0) // its receiver has looked, and answered
	send(t, all, 1)
	look(t, all)
	for i, tr := range all {
		if link(tr, 1-i) == nil {
			t.Fatalf("rank %d has no connection", i)
		}
	}
	if w := nicOf(all[0]).sides[1].writer; !w.own {
		t.Error("packets do not go by it")
	}
	for n := range uint64(3) {
		send(t, all, 2+n)
	}
	own := f.Words(1, fabric.Control)
	for _, w := range own[len(own)-9:] {
		if w != 0 {
			t.Errorf("a slot is left: %#x", w)
		}
	}
	nicOf(all[1]).Destroy(0)
	cmd := ir.Command{Op: ir.Packet, Peer: 1, Slot: 5, Header: ir.Header{Kind: 1, Length: 100}, Body: sevens{}}
	all[0].Post(&cmd)
	if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Arrived || !bytes.Equal(ev.Data, bytes.Repeat([]byte{7}, 100)) {
		t.Fatalf("a packet in pieces: %+v", ev)
	}
	send(t, all, 6)
	if nicOf(all[0]).sides[1].writer.own {
		t.Error("packets go by a connection that the other side has given up")
	}
	all[0].Post(&ir.Command{Op: ir.ReadTail, Peer: 1})
	if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Tail || ev.Slot != 6 && ev.Slot != 5 {
		t.Errorf("%+v", ev)
	}
}

// Memory of a peer is reached over the connection, and without it.
func TestTransfersMoveToTheirConnection(t *testing.T) {
	_, all := dialing(t, 2)
	remote := make([]byte, 100)
	all[1].Post(&ir.Command{Op: ir.Expose, Peer: 0, Data: remote, Token: 1})
	segment := endpointtest.Next(t, all[1]).Segment
	push := func(b byte) {
		t.Helper()
		all[0].Post(&ir.Command{Op: ir.Push, Peer: 1, Segment: segment, Offset: 3, Data: []byte{b}, Token: 2})
		if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Pushed || remote[3] != b {
			t.Errorf("%+v, %v", ev, remote[3])
		}
		got := make([]byte, 1)
		all[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: segment, Offset: 3, Data: got, Token: 3})
		if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Pulled || got[0] != b {
			t.Errorf("%+v, %v", ev, got)
		}
	}
	push(1)
	all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
	look(t, all)
	if link(all[0], 1) == nil {
		t.Fatal("no connection")
	}
	push(2)
	nicOf(all[1]).Destroy(0)
	push(3)
}

// Two ranks that open rings of each other at the same time get one connection.
func TestBothDialAtOnce(t *testing.T) {
	_, all := dialing(t, 2)
	for i, tr := range all {
		tr.Post(&ir.Command{Op: ir.Open, Peer: int32(1 - i)})
	}
	look(t, all)
	a, b := link(all[0], 1), link(all[1], 0)
	if a == nil || b == nil {
		t.Fatal("no connection")
	}
	if _, err := nicOf(all[0]).NewLink(1); err != nil {
		t.Error(err)
	}
}

// An adapter without a queue pair to spare refuses: packets go as before.
func TestNoQueuePairLeft(t *testing.T) {
	_, all := dialing(t, 2)
	for {
		if _, err := nicOf(all[1]).NewLink(0); err != nil {
			break
		}
	}
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
	look(t, all)
	if link(all[0], 1) != nil || link(all[1], 0) != nil {
		t.Error("there is a connection")
	}
	send(t, all, 0)
}

// The lock of a rank that has died is released when its end is known.
func TestDeadRankLocks(t *testing.T) {
	f, all := dialing(t, 3)
	own := f.Words(0, fabric.Control)
	common := &own[len(own)-9]
	atomic.StoreUint64(common, 2<<20|1) // locked by 2
	all[1].Post(&ir.Command{Op: ir.Open, Peer: 0})
	look(t, all)
	if link(all[1], 0) != nil || atomic.LoadUint64(common) != 2<<20|1 {
		t.Fatal("the lock is not respected")
	}
	f.MarkFailed(2)
	for i, tr := range all[:2] {
		ir.AbilitiesOf(tr).FailureDetector.DetectFailures()
		if ev := endpointtest.Next(t, tr); !endpointtest.IsEnd(&ev, 2) {
			t.Fatalf("rank %d: %+v", i, ev)
		}
	}
	look(t, all[:2])
	if link(all[1], 0) == nil {
		t.Error("the dead rank still has the lock")
	}
}

// Whatever other ranks write into slots leads to refusals at most.
func TestOverwrittenSlots(t *testing.T) {
	f, all := dialing(t, 2)
	own := f.Words(1, fabric.Control)
	all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
	for i := range uint64(2000) {
		atomic.StoreUint64(&own[len(own)-9+int(i%9)], i*0x9e3779b97f4a7c15)
		look1(t, all)
	}
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	send(t, all, 0)
}

func look1(t *testing.T, all []ir.Translator) {
	t.Helper()
	for i, tr := range all {
		var ev ir.Event
		if tr.Poll(&ev) {
			t.Fatalf("rank %d hears %+v", i, ev)
		}
	}
}

// Ranks that are processes connect as well: what one writes the other sees.
func TestProcessesDial(t *testing.T) {
	all := fabrictest.Mapped(t, 2, demandGeometry(fabric.Default(), 2), DemandEntry().Register, openDemand)
	for i, tr := range all {
		tr.Post(&ir.Command{Op: ir.Open, Peer: int32(1 - i)})
	}
	look(t, all)
	for i, tr := range all {
		if link(tr, 1-i) == nil {
			t.Errorf("rank %d has no connection", i)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}
