package martini

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// TestBrokenLane: a packet that cannot be placed is the end of its peer.
func TestBrokenLane(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*martini.Manager, *Translator)
		want   error
	}{
		"no ring open": {func(*martini.Manager, *Translator) {}, ir.ErrPeerGone},
		"no window": {func(boss *martini.Manager, tr *Translator) {
			tr.Post(&ir.Command{Op: ir.Open, Peer: 1})
			withdraw(t, boss)
		}, martini.InvalidWindow},
	} {
		_, boss, all := openJob(t, 2, martini.Options{})
		tr := all[0].(*Translator)
		c.before(boss, tr)
		tr.Place(1, 0, 0, new([3]uint64), nil)
		if ev := next(t, tr); ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.Is(ev.Err, c.want) {
			t.Errorf("%s: %+v", name, ev)
		}
		idle(t, all[1])
	}
}

// TestLaneWakes: a packet rings for its reader, whichever way it takes.
func TestLaneWakes(t *testing.T) {
	all := open(t, 2, martini.Options{})
	tr := all[0].(*Translator)
	tr.Post(&ir.Command{Op: ir.Open, Peer: 1})
	for slot, data := range [][]byte{nil, make([]byte, ir.Short+1)} {
		all[1].Arm()
		tr.Place(1, uint64(slot), 0, &[3]uint64{1 << 32}, data)
		if !all[1].Disarm() {
			t.Errorf("packet %d wakes nobody", slot)
		}
	}
}

// audit has a rank look for damage, and returns the peers that it loses.
func audit(t *testing.T, tr ir.Translator) (lost []int) {
	t.Helper()
	tr.(*Translator).Audit()
	var ev ir.Event
	for tr.Poll(&ev) {
		if ev.Kind != ir.Failed || ev.Token != 0 || !errors.Is(ev.Err, ir.ErrPeerGone) {
			t.Fatalf("%+v", ev)
		}
		lost = append(lost, int(ev.Peer))
	}
	return lost
}

// TestAuditOfALostPacket: if a packet in a ring is overwritten, its reader loses its writer, once the writer
// has recorded that it sent the packet.
func TestAuditOfALostPacket(t *testing.T) {
	f, _, all := openJob(t, 3, martini.Options{})
	for i := 1; i < 3; i++ {
		all[0].Post(&ir.Command{Op: ir.Watch, Peer: int32(i), Ring: ir.Ring(i)})
		all[i].Post(&ir.Command{Op: ir.Packet, Peer: 0, Ring: ir.Ring(i), Header: ir.Header{Kind: 1}})
	}
	f.Words(0, fabric.Rings)[f.RingStride()/8] = 0 // the packet of rank 1
	if ev := next(t, all[0]); ev.Kind != ir.Arrived || ev.Peer != 2 {
		t.Fatalf("%+v", ev)
	}
	if lost := audit(t, all[0]); lost != nil {
		t.Fatalf("lost: %v, though nothing was put down", lost)
	}
	for i := 1; i < 3; i++ {
		if lost := audit(t, all[i]); lost != nil {
			t.Fatalf("rank %d loses %v", i, lost)
		}
	}
	if lost := audit(t, all[0]); len(lost) != 1 || lost[0] != 1 {
		t.Errorf("lost: %v, want 1", lost)
	}
}

// TestAuditOfAFlag: a rank whose flag was overwritten loses all peers.
func TestAuditOfAFlag(t *testing.T) {
	f, _, all := openJob(t, 3, martini.Options{})
	tr := all[0].(*Translator)
	tr.Raise([]int{1, 2}, 0, 1, 0, []byte("flag"))
	if lost := audit(t, tr); lost != nil {
		t.Fatalf("lost: %v", lost)
	}
	f.Flags()[fabric.FlagFront*fabric.FlagPlace(1)*3][3] ^= 1 // of rank 0's flag 1, of 3 ranks
	if lost := audit(t, tr); len(lost) != 2 {
		t.Errorf("lost: %v, want 1 and 2", lost)
	}
}
