package dimmnet2

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// buffers returns the small buffers of a rank, in which packet rings lie, and what comes before them: the
// status ring and the receive ring.
func buffers(f *fabric.Fabric, rank int) (records, rings []uint64) {
	b := f.Bytes(rank, fabric.Public)[fabric.PageBytes:]
	return fabric.WordsOf(b[:dimmnet2.BuffersAt]), fabric.WordsOf(b[dimmnet2.BuffersAt:dimmnet2.BuffersEnd])
}

// Offsets of the receive ring among the words before the small buffers: its lines come last.
const (
	firstRecord = dimmnet2.BuffersAt/8 - dimmnet2.RecordLines*8
	ringFront   = firstRecord - 32
)

// TestNoHostMemory: the board reaches no memory of the host, says so, and names another way.
func TestNoHostMemory(t *testing.T) {
	_, all := open(t, 2)
	endpointtest.NoHostMemory(t, all[0])
}

// TestShapesOfRings: the fewer ranks there are the larger are their rings, and with the list behind them they
// always fit the small buffers.
func TestShapesOfRings(t *testing.T) {
	const list = dimmnet2.ListElements * 4
	for ranks, want := range map[int]struct{ rings, bytes int }{1: {1, 16 << 10}, 2: {1, 16 << 10}, 3: {2, 8 << 10}, 4: {3, 4 << 10}, 64: {3, 4 << 10}} {
		_, all := open(t, ranks)
		c := all[0].Caps()
		if c.Rings != want.rings || c.Bytes != want.bytes || c.Fragment > c.Bytes/2 {
			t.Errorf("%d ranks: %+v", ranks, c)
		}
		if rings, of := shape(ranks); rings*of.Size()+list > dimmnet2.BuffersEnd-dimmnet2.BuffersAt {
			t.Errorf("%d ranks: rings of %d bytes", ranks, rings*of.Size())
		}
	}
}

// TestBrokenReceiveRing: a rank that finds an impossible receive ring gives up its owner.
func TestBrokenReceiveRing(t *testing.T) {
	f, all := open(t, 2)
	records, _ := buffers(f, 0)
	records[ringFront] = 1 << 40
	all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	if ev := endpointtest.Next(t, all[1]); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, dimmnet2.RingBroken) {
		t.Errorf("%+v", ev)
	}
}

// TestFullReceiveRing: without room a packet is refused for now.
func TestFullReceiveRing(t *testing.T) {
	_, all := open(t, 2)
	for range dimmnet2.RecordLines {
		all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	}
	all[1].Post(endpointtest.Packet(ir.Shared, 0, nil))
	if ev := endpointtest.Next(t, all[1]); ev.Kind != ir.Busy {
		t.Errorf("%+v", ev)
	}
}

// TestOtherGroup: a process that the manager moves to another group cannot be reached: that is its end.
func TestOtherGroup(t *testing.T) {
	f, err := fabric.Heap(2, Geometry(fabric.Small(), 2))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := dimmnet2.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []ir.Op{ir.Packet, ir.Shared} {
		boss.Group(0, 1)
		boss.Group(1, 1)
		tr, err := Open(f, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Post(endpointtest.Packet(op, 0, make([]byte, 100)))
		boss.Group(0, 2)
		tr.Post(endpointtest.Packet(op, 0, make([]byte, 100)))
		if ev := endpointtest.Next(t, tr); !endpointtest.IsEnd(&ev, 0) || !errors.Is(ev.Err, dimmnet2.WrongGroup) {
			t.Errorf("%v: %+v", op, ev)
		}
		_ = tr.Close()
	}
}

// TestAudit: what was overwritten before it was seen is found, and ends the use of the peers that it
// concerns.
func TestAudit(t *testing.T) {
	job := func() (*fabric.Fabric, []ir.Translator) { return open(t, 3) }
	_, of := shape(3)
	records := func(f *fabric.Fabric) []uint64 { r, _ := buffers(f, 0); return r }
	rings := func(f *fabric.Fabric) []uint64 { _, r := buffers(f, 0); return r }
	endpointtest.Audits(t, job, map[string]endpointtest.Harm{
		"packet": {Do: func(f *fabric.Fabric) { rings(f)[0] = 0 }, Lost: []int32{1}},
		"tail":   {Do: func(f *fabric.Fabric) { rings(f)[of.Counters()/8] = 9 }, Lost: []int32{1}},
		"record": {Do: func(f *fabric.Fabric) { records(f)[firstRecord] = 0 }, Lost: []int32{1, 2}},
	})
}

// TestPositionOfShortPackets: the data position of a packet that fits its line is ignored, and no audit takes
// it for damage.
func TestPositionOfShortPackets(t *testing.T) {
	_, all := open(t, 2)
	all[0].Post(&ir.Command{Op: ir.Watch, Peer: 1})
	all[1].Post(endpointtest.Packet(ir.Packet, 0, make([]byte, 100)))
	h := ir.Header{Kind: 1, Length: 5}
	head := h.Words()
	all[1].(*Translator).Place(0, 1, 0, &head, []byte("short"))
	for range 2 {
		if ev := endpointtest.Next(t, all[0]); ev.Kind != ir.Arrived {
			t.Fatalf("%+v", ev)
		}
	}
	endpointtest.Audit(all[1])
	if lost := endpointtest.Audit(all[0]); lost != nil {
		t.Errorf("lost %v", lost)
	}
}

// TestForgedLines: a line in a packet ring or a record that no correct rank can have written ends the use of
// its writer, and of no other peer with a ring.
func TestForgedLines(t *testing.T) {
	f, all := open(t, 3)
	all[0].Post(&ir.Command{Op: ir.Watch, Peer: 1})
	all[0].Post(&ir.Command{Op: ir.Watch, Peer: 2, Ring: 1})
	all[1].Post(endpointtest.Packet(ir.Packet, 0, []byte("short")))
	_, rings := buffers(f, 0)
	rings[1] |= 1 << 20 // its length
	line := endpointtest.Packet(ir.Packet, 0, []byte("whole"))
	line.Ring = 1
	all[2].Post(line)
	var ended, came bool
	for range 2 {
		ev := endpointtest.Next(t, all[0])
		ended = ended || endpointtest.IsEnd(&ev, 1)
		came = came || ev.Kind == ir.Arrived && ev.Peer == 2 && bytes.Equal(ev.Data, []byte("whole"))
	}
	if !ended || !came {
		t.Errorf("rank 1 ended: %v; rank 2 heard of: %v", ended, came)
	}
}
