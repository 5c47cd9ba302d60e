package ring

import (
	"bytes"
	"math"
	"testing"
)

// TestOutlet: a line sent through an outlet is the same as one written by Put, and is counted.
func TestOutlet(t *testing.T) {
	l := Layout{Slots: 64, Bytes: 256}
	a, b := Open(Memory(l.Size()), l), Open(Memory(l.Size()), l)
	var o Outlet
	var count uint64
	words := [3]*uint64{new(uint64), new(uint64), new(uint64)}
	were := [3]uint64{1, 1 << 40, math.MaxUint64}
	for i := range words {
		*words[i] = were[i]
	}
	o.Open(&b, &count, words, were)
	payload := make([]byte, Short)
	for i := range payload {
		payload[i] = byte(i + 1)
	}
	gone := uint64(0)
	for _, slot := range []uint64{0, 1, 63, 64, 1<<32 - 3, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<40 + 5} {
		for n := range Short + 1 {
			w0, w1, w2 := uint64(n+1)<<33|1<<32, uint64(slot)<<34|uint64(n), uint64(n)<<50|slot
			a.PutLine(slot, &[3]uint64{w0, w1, w2}, payload[:n])
			if !o.Line(slot, w0, w1, w2, payload[:n]) {
				t.Fatalf("packet %d of %d bytes does not go", slot, n)
			}
			gone++
			if *a.line(slot) != *b.line(slot) || *short(a.line(slot)) != *short(b.line(slot)) || a.sum != b.sum || count != gone || o.Sent() != slot+1 {
				t.Fatalf("packet %d of %d bytes: %x, want %x; sum %x, want %x; %d counted, sent before %d", slot, n, *b.line(slot), *a.line(slot), b.sum, a.sum, count, o.Sent())
			}
		}
	}
	before := bytes.Clone(payload)
	for i := range words {
		*words[i] ^= 1 << (20 * i)
		if o.Line(7, 1<<32, 8, 1, payload[:8]) || count != gone || o.Sent() != 1<<40+6 || *b.line(7) != (Line{}) {
			t.Errorf("a packet goes though word %d has changed", i)
		}
		*words[i] = were[i]
	}
	if !bytes.Equal(before, payload) {
		t.Error("the payload was changed")
	}
	asleep := new(uint32)
	if o.Watch(asleep); o.Asleep() {
		t.Error("a peer that is awake has to be woken")
	}
	if *asleep = 1; !o.Asleep() {
		t.Error("a peer that is asleep need not be woken")
	}
	if o.Went(5); o.Sent() != 5 {
		t.Errorf("sent before %d", o.Sent())
	}
}

// TestInlet: packets that an inlet shows and consumes are the same as those of Look and Take, and are
// counted like those.
func TestInlet(t *testing.T) {
	s, ws, _ := newSet(2)
	same, others, _ := newSet(2)
	a := newAccount()
	in := s.Inlet(1)
	if in.From() != 101 || s.Inlet(2) != nil || s.Inlet(-1) != nil {
		t.Fatalf("ring %d", in.From())
	}
	var p, q Packet
	for i := range 3 * fetchRow {
		n := i * 5 % (Short + 1)
		if _, there := in.Lead(); there {
			t.Fatalf("packet %d is there before it is sent", i)
		}
		head, payload := [3]uint64{uint64(i) << 32, 8 << 32, uint64(i)}, bytes.Repeat([]byte{byte(i)}, n)
		ws[1].Put(head, payload)
		others[1].Put(head, payload)
		if !same.Look(1, &q) {
			t.Fatal("no packet")
		}
		w0, there := in.Lead()
		w1, w2 := in.Rest()
		if !there || [3]uint64{w0, w1, w2} != q.Head || int(uint32(w1)) != n || !bytes.Equal(in.Data(n), q.Data) {
			t.Fatalf("packet %d: %v, %x %x %x, %v, want %+v", i, there, w0, w1, w2, in.Data(n), q)
		}
		same.Take()
		if in.Take(n, w0+w1+w2); in.slot != same.Inlet(1).slot || in.want != same.Inlet(1).want || in.pos != same.Inlet(1).pos ||
			in.usual != same.Inlet(1).usual || in.row != same.Inlet(1).row || in.last != same.Inlet(1).last || s.delivered != same.delivered {
			t.Fatalf("after packet %d: %+v, want %+v", i, *in, *same.Inlet(1))
		}
		if slot, pos := ws[1].ring.Consumed(); slot != uint64(i+1) || pos != 0 {
			t.Fatalf("after packet %d: %d lines and %d bytes are free", i, slot, pos)
		}
	}
	ws[0].Put([3]uint64{}, nil)
	ws[1].Put([3]uint64{1 << 32, 0, 9}, nil)
	ws[1].Put([3]uint64{1 << 32, 0, 9}, nil)
	for range 3 {
		if arrive(t, s, &p); p.Peer == 0 {
			break
		}
	}
	if _, there := in.Lead(); there {
		t.Error("a packet is shown while another one is held")
	}
	for {
		if ok, err := s.Poll(&p); err != nil {
			t.Fatal(err)
		} else if !ok {
			break
		}
	}
	a.Put(Tally{ws[1].slot, ws[1].pos, ws[1].ring.Sum()})
	s.Audit(func(peer int) Account {
		if peer == 1 {
			return a
		}
		return newAccount()
	}, nil, func(peer int, _ uint32, err error) {
		if peer == 1 {
			t.Error(err)
		}
	})
	ws[1].Put([3]uint64{1 << 32, 0, 9}, nil)
	if _, there := in.Lead(); !there {
		t.Error("a packet that is there is not shown")
	}
	if s.Remove(1); s.Inlet(1) != nil {
		t.Error("a ring that was removed is in the set")
	}
	if _, there := in.Lead(); there {
		t.Error("a packet of a peer that was removed is shown")
	}
}

// TestMove: a packet that is moved out of an inlet is the one that Look shows and Take consumes, wherever its
// payload lies, and is counted like that.
func TestMove(t *testing.T) {
	s, ws, _ := newSet(2)
	same, others, _ := newSet(2)
	in, want := s.Inlet(1), same.Inlet(1)
	dst := make([]byte, 200)
	var q Packet
	for i := range 3 * fetchRow {
		n := i * 29 % 129 // as much as always finds room
		if in.There() {
			t.Fatalf("packet %d is there before it is sent", i)
		}
		same.Look(1, &q)
		head, payload := [3]uint64{uint64(i) << 32, 8 << 32, uint64(i)}, bytes.Repeat([]byte{byte(i + 1)}, n)
		ws[1].Put(head, payload)
		others[1].Put(head, payload)
		if !same.Look(1, &q) {
			t.Fatal("no packet")
		}
		w0, there := in.Lead()
		if !in.There() || !there {
			t.Fatalf("packet %d is not there", i)
		}
		clear(dst)
		same.Take()
		if !in.Move(dst, n, w0) || !bytes.Equal(dst[:n], payload) || dst[n] != 0 {
			t.Fatalf("packet %d of %d bytes: % x", i, n, dst)
		}
		if in.slot != want.slot || in.pos != want.pos || in.want != want.want || in.usual != want.usual || in.sum != want.sum ||
			in.row != want.row || in.last != want.last || s.delivered != same.delivered {
			t.Fatalf("after packet %d: %+v, want %+v", i, *in, *want)
		}
		slot, pos := ws[1].ring.Consumed()
		if wantSlot, wantPos := others[1].ring.Consumed(); slot != wantSlot || pos != wantPos {
			t.Fatalf("after packet %d: %d lines and %d bytes are free, not %d and %d", i, slot, pos, wantSlot, wantPos)
		}
	}
}

// TestMoveOfTheImpossible: what no correct writer has written, and a length that has changed, stays for Poll.
func TestMoveOfTheImpossible(t *testing.T) {
	for name, n := range map[string]uint64{"longer than the ring": 257, "without room": 256, "of another length": 121} {
		s, ws, _ := newSet(1)
		in := s.Inlet(0)
		ws[0].Put([3]uint64{}, make([]byte, 120))
		s.Look(0, new(Packet))
		s.Take()
		ws[0].Put([3]uint64{1 << 32, 0, 9}, make([]byte, 120))
		ws[0].ring.line(1)[1] = n
		w0, there := in.Lead()
		if !there || in.Move(make([]byte, 300), 120, w0) || n != 121 && in.Move(make([]byte, 300), int(n), w0) {
			t.Errorf("a packet %s is taken", name)
		}
		if slot, _ := ws[0].ring.Consumed(); slot != 1 || s.delivered != 1 {
			t.Errorf("a packet %s: %d lines are free, %d packets delivered", name, slot, s.delivered)
		}
	}
}

// TestThere: a caller that waits for one ring is not kept from it by what Poll has returned of another one.
func TestThere(t *testing.T) {
	s, ws, _ := newSet(2)
	in := s.Inlet(1)
	ws[0].Put([3]uint64{}, nil)
	if arrive(t, s, new(Packet)); in.There() {
		t.Error("a packet is there before it is sent")
	}
	if slot, _ := ws[0].ring.Consumed(); slot != 1 {
		t.Errorf("what was polled is not consumed: %d lines are free", slot)
	}
	ws[0].Put([3]uint64{}, nil)
	arrive(t, s, new(Packet))
	ws[1].Put([3]uint64{1 << 32, 0, 9}, nil)
	if _, shown := in.Lead(); shown || !in.There() {
		t.Error("a packet is shown while another one is held, or is not there")
	}
	if _, shown := in.Lead(); !shown {
		t.Error("a packet that is there is not shown")
	}
	for range fetchRow {
		in.row++
	}
	in.Take(0, 0)
	if in.There(); in.row != 0 {
		t.Error("packets in a row go on after a wait")
	}
}
