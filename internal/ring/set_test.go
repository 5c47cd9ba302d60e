package ring

import (
	"errors"
	"testing"
)

// newSet returns a set of n packet rings, peers 0 to n-1, with their writers.
func newSet(n int) (*Set, []*Writer, *SharedWriter) {
	sl, l := SharedLayout{64}, Layout{Slots: 64, Bytes: 256}
	mem := Memory(sl.Size())
	s := NewSet(NewSharedReader(mem, sl, n), n)
	var ws []*Writer
	for i := range n {
		mem := Memory(l.Size())
		ws = append(ws, NewWriter(mem, l, 0, 0))
		s.Add(i, uint32(100+i), NewReader(mem, l, 0, 0))
	}
	return s, ws, NewSharedWriter(mem, sl)
}

// arrive polls until a packet arrives and returns the number of passes.
func arrive(t *testing.T, s *Set, p *Packet) int {
	t.Helper()
	for i := 1; i < 5000; i++ {
		if ok, err := s.Poll(p); err != nil {
			t.Fatal(err)
		} else if ok {
			return i
		}
	}
	t.Fatal("a packet was never found")
	return 0
}

// TestGlance: it sees the packet that the next Poll reports, whatever its payload and those before.
func TestGlance(t *testing.T) {
	none, _, _ := newSet(0)
	if none.Glance(3) {
		t.Error("a set without packet rings sees something")
	}
	s, ws, _ := newSet(9)
	var p Packet
	for i := range 30 {
		peer := i * 7 % 9
		s.Hint(peer)
		if ok, err := s.Poll(&p); ok || err != nil {
			t.Fatal(ok, err)
		}
		if s.Glance(30) {
			t.Fatalf("packet %d is seen too early", i)
		}
		ws[peer].Put([3]uint64{2: uint64(i)}, make([]byte, []int{0, Inline + 1, Short, Short + 1}[i%4]))
		if !s.Glance(1) {
			t.Fatalf("packet %d of peer %d is not seen", i, peer)
		}
		if arrive(t, s, &p) != 1 || p.Peer != peer || p.Head[2] != uint64(i) {
			t.Fatalf("packet %d: got that of peer %d", i, p.Peer)
		}
	}
}

// cost returns the number of lines read per packet in an exchange like a ping-pong with the last of n
// peers, with three unsuccessful passes between packets.
func cost(t *testing.T, n int) float64 {
	s, ws, _ := newSet(n)
	var p Packet
	const rounds = 100
	ws[n-1].Put([3]uint64{}, nil)
	arrive(t, s, &p)
	before := s.Reads()
	for range rounds {
		for range 3 {
			s.Poll(&p)
		}
		ws[n-1].Put([3]uint64{}, nil)
		if k := arrive(t, s, &p); k != 1 {
			t.Fatalf("active ring found after %d passes", k)
		}
	}
	return float64(s.Reads()-before) / rounds
}

func TestIdleRingsCostNothing(t *testing.T) {
	few, many, most := cost(t, 2), cost(t, 64), cost(t, 1000)
	if limit := few + 3*hotRings; many > limit || most > many {
		t.Fatalf("lines read per packet: %.1f with 2 rings, %.1f with 64, %.1f with 1000", few, many, most)
	}
}

func TestColdRingIsFoundInBoundedTime(t *testing.T) {
	const n = 64
	for peer := range n {
		s, ws, _ := newSet(n)
		var p Packet
		ws[peer].Put([3]uint64{}, nil)
		if k := arrive(t, s, &p); k > n || p.Peer != peer || p.Ring != uint32(100+peer) {
			t.Fatalf("peer %d: %d passes, packet from %d ring %d", peer, k, p.Peer, p.Ring)
		}
	}
}

func TestSweepLooksEverywhere(t *testing.T) {
	const n = 64
	for peer := range n {
		s, ws, _ := newSet(n)
		var p Packet
		ws[peer].Put([3]uint64{}, nil)
		s.Sweep()
		if ok, err := s.Poll(&p); !ok || err != nil || p.Peer != peer {
			t.Fatalf("peer %d: %v, %v from %d", peer, ok, err, p.Peer)
		}
		if ok, _ := s.Poll(&p); ok || s.sweep {
			t.Fatal("the sweep goes on")
		}
	}
}

func TestHintPutsARingFirst(t *testing.T) {
	const n = 16
	s, ws, sw := newSet(n)
	var p Packet
	for peer := range n {
		for _, w := range ws {
			w.Put([3]uint64{}, nil)
		}
		sw.Append(0, &[3]uint64{}, nil)
		s.Hint(peer)
		if k := arrive(t, s, &p); k != 1 || p.Peer != peer {
			t.Fatalf("hint %d: packet from %d after %d passes", peer, p.Peer, k)
		}
		for range n {
			arrive(t, s, &p)
		}
	}
	s.Hint(-1)
	s.Hint(n)
	s.Poll(&p)
	if ok, _ := s.Poll(&p); ok {
		t.Fatal("a packet too many")
	}
}

// TestBusyRingsDoNotStarveOthers keeps two rings full and hinted at in turn: packets from the shared ring
// and every other ring are still delivered.
func TestBusyRingsDoNotStarveOthers(t *testing.T) {
	const n = 8
	s, ws, sw := newSet(n)
	for _, w := range ws {
		w.Put([3]uint64{}, nil)
	}
	sw.Append(3, &[3]uint64{}, nil)
	var p Packet
	seen := map[uint32]bool{}
	polls := 0
	for ; len(seen) < n+1; polls++ {
		if polls > 5000 {
			t.Fatalf("only %d of %d rings delivered", len(seen), n+1)
		}
		for _, w := range ws[:2] {
			for w.Put([3]uint64{}, nil) {
			}
		}
		s.Hint(polls % 2)
		if ok, err := s.Poll(&p); !ok || err != nil {
			t.Fatal(ok, err)
		}
		seen[p.Ring] = true
	}
}

func TestCorruptRingIsReportedOnceAndDropped(t *testing.T) {
	s, ws, sw := newSet(6)
	for _, peer := range []int{0, 5} {
		l := s.peers[peer]
		Publish(l.line, &Line{uint64(l.want), 1 << 30})
		var p Packet
		var err error
		for i := 0; err == nil && i < 10; i++ {
			_, err = s.Poll(&p)
		}
		if !errors.Is(err, ErrCorrupt) || p.Peer != peer {
			t.Fatalf("%v from %d, want peer %d", err, p.Peer, peer)
		}
	}
	var p Packet
	ws[1].Put([3]uint64{}, nil)
	if arrive(t, s, &p); p.Peer != 1 {
		t.Fatalf("packet from %d", p.Peer)
	}
	Publish(s.shared.line, &Line{uint64(s.shared.want), 9 << 16})
	var err error
	for i := 0; err == nil && i < 10; i++ {
		_, err = s.Poll(&p)
	}
	if !errors.Is(err, ErrCorrupt) || p.Peer != -1 || p.Ring != Everybody {
		t.Fatalf("%v from %d", err, p.Peer)
	}
	sw.Append(1, &[3]uint64{}, nil)
	for range 20 {
		if ok, err := s.Poll(&p); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
}

// TestRemovedPeerIsSilent: no packet of a removed peer is delivered, from its own ring or the shared one,
// hot or cold; all packets of the others are.
func TestRemovedPeerIsSilent(t *testing.T) {
	for removed := range 9 {
		s, ws, shared := newSet(9)
		var p Packet
		for i := range 9 {
			ws[i].Put([3]uint64{}, nil)
			shared.Append(i, &[3]uint64{}, make([]byte, 50))
		}
		s.Remove(removed)
		for range 2 * 8 {
			if arrive(t, s, &p); p.Peer == removed {
				t.Fatalf("a packet of peer %d after its removal", removed)
			}
		}
		s.Remove(removed) // a second time does nothing
		s.Hint(removed)
		ws[removed].Put([3]uint64{}, nil)
		shared.Append(removed, &[3]uint64{}, nil)
		for range 20 {
			if ok, err := s.Poll(&p); ok || err != nil {
				t.Fatalf("%v, %v: packet of peer %d", ok, err, p.Peer)
			}
		}
		if shared.Append(3, &[3]uint64{}, nil); removed != 3 {
			arrive(t, s, &p)
		}
	}
}
