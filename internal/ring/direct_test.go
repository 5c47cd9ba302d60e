package ring

import "testing"

// TestLook: packets that are shown by Look and consumed by Take count like those of Poll, and the length of
// a payload is the one in its line.
func TestLook(t *testing.T) {
	s, ws, _ := newSet(2)
	a := newAccount()
	var p Packet
	for i, n := range []int{0, 8, Inline, Short, 120, 3} {
		if s.Look(1, &p) {
			t.Fatalf("packet %d is there before it is sent", i)
		}
		ws[1].Put([3]uint64{7 << 32, 8 << 32, uint64(i)}, make([]byte, n))
		for range 2 { // the packet stays
			if !s.Look(1, &p) || p.Peer != 1 || p.Ring != 101 || p.Head[2] != uint64(i) || len(p.Data) != n {
				t.Fatalf("packet %d: %+v", i, p)
			}
		}
		if i%2 == 0 {
			s.Take()
		} else if arrive(t, s, &p) != 1 || p.Head[2] != uint64(i) || len(p.Data) != n {
			t.Fatalf("packet %d, polled: %+v", i, p)
		}
	}
	a.Put(Tally{ws[1].slot, ws[1].pos, ws[1].ring.Sum()})
	s.Audit(func(int) Account { return a }, nil, func(peer int, _ uint32, err error) {
		if peer == 1 {
			t.Error(err)
		}
	})
}

// TestAdvance: it consumes each packet and shows the next one, and finds none after the last.
func TestAdvance(t *testing.T) {
	s, ws, _ := newSet(2)
	a := newAccount()
	sizes := []int{0, 8, Inline, Short, 120, 3}
	for i, n := range sizes {
		ws[1].Put([3]uint64{7 << 32, 8 << 32, uint64(i)}, make([]byte, n))
	}
	var p Packet
	there := s.Look(1, &p)
	for i, n := range sizes {
		if !there || p.Peer != 1 || p.Ring != 101 || p.Head[2] != uint64(i) || len(p.Data) != n {
			t.Fatalf("packet %d: %v, %+v", i, there, p)
		}
		if slot, _ := ws[1].ring.Consumed(); slot != uint64(i) {
			t.Fatalf("before packet %d was consumed: %d were", i, slot)
		}
		there = s.Advance(&p)
	}
	if slot, _ := ws[1].ring.Consumed(); there || slot != uint64(len(sizes)) {
		t.Errorf("after the last: there %v, %d consumed", there, slot)
	}
	a.Put(Tally{ws[1].slot, ws[1].pos, ws[1].ring.Sum()})
	s.Audit(func(int) Account { return a }, nil, func(peer int, _ uint32, err error) {
		if peer == 1 {
			t.Error(err)
		}
	})
}

// TestPollOthers: the given ring is left out in every kind of check, and only this time.
func TestPollOthers(t *testing.T) {
	const n = 2*hotRings + 1
	for peer := range n { // hot ones, and cold ones
		for _, sweep := range []bool{false, true} {
			s, ws, _ := newSet(n)
			var p Packet
			ws[peer].Put([3]uint64{}, nil)
			for range 2 * n {
				s.sweep = sweep
				if ok, err := s.PollOthers(peer, &p); ok || err != nil {
					t.Fatalf("peer %d, sweep %v: %v from %d, %v", peer, sweep, ok, p.Peer, err)
				}
			}
			other := (peer + 1) % n
			ws[other].Put([3]uint64{}, nil)
			s.Sweep()
			if ok, err := s.PollOthers(peer, &p); !ok || err != nil || p.Peer != other {
				t.Errorf("beside peer %d: %v from %d, %v", peer, ok, p.Peer, err)
			}
			s.Sweep()
			if ok, err := s.Poll(&p); !ok || err != nil || p.Peer != peer {
				t.Errorf("peer %d: %v from %d, %v", peer, ok, p.Peer, err)
			}
		}
	}
}

// TestLineOfALayout: code that writes lines by other means finds the same place as a ring.
func TestLineOfALayout(t *testing.T) {
	l := Layout{Slots: 128, Bytes: 4096}
	r := Open(make([]byte, l.Size()+LineBytes), l)
	for slot := range uint64(300) {
		if got := &r.lines[l.Line(slot)]; got != r.line(slot) {
			t.Fatalf("packet %d is elsewhere", slot)
		}
	}
}
