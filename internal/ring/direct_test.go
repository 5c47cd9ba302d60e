package ring

import "testing"

// TestLook: packets that Look shows and Take consumes count like those of Poll, and a
// payload is as long as its line says.
func TestLook(t *testing.T) {
	s, ws, _ := newSet(2)
	a := newAccount()
	var p Packet
	for i, n := range []int{0, 8, Inline, 100, 3} {
		if s.Look(1, &p) {
			t.Fatalf("packet %d is there before it is sent", i)
		}
		ws[1].Put([3]uint64{7 << 32, 8 << 32, uint64(i)}, make([]byte, n))
		for range 2 { // it stays
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

// TestPollOthers: the ring that is left alone is so in every kind of look, and only
// this time.
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
