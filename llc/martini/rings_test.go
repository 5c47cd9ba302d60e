package martini

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// TestPacketsGoToTheRingTheyName: the writer of the packets may have been given another ring in the meantime.
func TestPacketsGoToTheRingTheyName(t *testing.T) {
	all := open(t, 2, martini.Options{})
	packet := func(ring ir.Ring) {
		all[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Ring: ring, Header: ir.Header{Kind: 1}})
	}
	packet(0)
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0, Ring: 3})
	idle(t, all[1])
	packet(3)
	if ev := next(t, all[1]); ev.Kind != ir.Arrived || ev.Ring != 3 {
		t.Errorf("%+v", ev)
	}
}

// TestArmFindsEveryRing: the first Poll after Arm sees a packet in any of many rings, most of which are only
// polled in turn otherwise.
func TestArmFindsEveryRing(t *testing.T) {
	const peers = 10
	all := open(t, peers, martini.Options{})
	for i := 1; i < peers; i++ {
		all[0].Post(&ir.Command{Op: ir.Watch, Peer: int32(i), Ring: ir.Ring(i)})
	}
	for slot := range uint64(3) {
		for i := 1; i < peers; i++ {
			idle(t, all[0])
			all[i].Post(&ir.Command{Op: ir.Packet, Peer: 0, Ring: ir.Ring(i), Slot: slot, Header: ir.Header{Kind: 1}})
			all[0].Arm()
			if ev := next(t, all[0]); int(ev.Peer) != i {
				t.Errorf("packet %d of peer %d: %+v", slot, i, ev)
			}
			all[0].Disarm()
		}
	}
}

// TestArrivalsHaveNoError: the caller gives the same event to each Poll.
func TestArrivalsHaveNoError(t *testing.T) {
	all := open(t, 2, martini.Options{})
	var ev ir.Event
	all[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Token: 7, Data: make([]byte, 8)})
	if !all[0].Poll(&ev) || ev.Kind != ir.Failed || ev.Token != 7 || ev.Err == nil {
		t.Fatalf("%+v", ev)
	}
	all[1].Post(&ir.Command{Op: ir.Shared, Peer: 0, Header: ir.Header{Kind: 1}})
	if !all[0].Poll(&ev) || ev.Kind != ir.Arrived || ev.Token != 0 || ev.Err != nil {
		t.Errorf("%+v", ev)
	}
}

// TestMovesUnpin: a transfer leaves nothing pinned on its own side.
func TestMovesUnpin(t *testing.T) {
	all := open(t, 2, martini.Options{})
	all[1].Post(&ir.Command{Op: ir.Expose, Data: make([]byte, 8)})
	seg := next(t, all[1]).Segment
	nic := all[0].(*Translator).end.NIC()
	before := room(t, nic)
	for _, s := range []ir.Segment{seg, 0} { // one that is refused as well
		for _, op := range []ir.Op{ir.Pull, ir.Push} {
			all[0].Post(&ir.Command{Op: op, Peer: 1, Segment: s, Data: make([]byte, 8)})
			if ev := next(t, all[0]); (ev.Kind == ir.Failed) != (s == 0) {
				t.Errorf("%+v", ev)
			}
		}
	}
	if after := room(t, nic); after != before {
		t.Errorf("room for %d buffers in the page table, %d before", after, before)
	}
}

// room returns how many buffers a NIC can still pin.
func room(t *testing.T, nic *martini.NIC) int {
	t.Helper()
	var pins []martini.Pin
	for {
		p, err := nic.Hold(make([]byte, 1))
		if err != nil {
			break
		}
		pins = append(pins, p)
	}
	for _, p := range pins {
		if err := nic.Unpin(p); err != nil {
			t.Fatal(err)
		}
	}
	return len(pins)
}
