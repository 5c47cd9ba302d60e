package nictest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"rhinet/llc/ir"
)

// express returns the Express of both ends of a stream from peer 0 to peer 1 whose ring an Open has named; it
// skips the test on a network without it.
func (r *rig) express() (s *stream, from, to ir.Express) {
	from, to = ir.AbilitiesOf(r.ts[0]).Express, ir.AbilitiesOf(r.ts[1]).Express
	if from == nil {
		r.Skip("no express")
	}
	s = r.stream(0, 1, 0)
	r.post(0, ir.Command{Op: ir.Open, Peer: 1, Ring: 0})
	return s, from, to
}

// place sends packet number sent, of n bytes, by Place.
func (s *stream) place(x ir.Express, n int) {
	s.r.Helper()
	at, next := s.caps.Place(s.pos, n)
	if s.slot-s.tail >= uint64(s.caps.Slots) || next-s.back > uint64(s.caps.Bytes) {
		s.refresh()
	}
	if n+s.caps.Trailer <= ir.Short {
		at = 0 // it has no data position
	}
	h := header(s.sent)
	head := h.Words()
	x.Place(s.to, s.slot, at, &head, payload(s.sent, n))
	s.sent++
	s.slot++
	s.pos = next
}

// look awaits packet number i of n bytes by Look.
func (s *stream) look(x ir.Express, i, n int) (v ir.View) {
	s.r.Helper()
	for tries := 0; !x.Look(s.from, &v); tries++ {
		if tries > 1000 {
			s.r.Fatalf("Look does not find packet %d", i)
		}
	}
	s.same(&v, i, n)
	return v
}

// same compares v with packet number i of n bytes.
func (s *stream) same(v *ir.View, i, n int) {
	s.r.Helper()
	var h ir.Header
	h.Unpack(&v.Head, len(v.Data))
	want := header(i)
	want.Length = uint32(n)
	if h != want || !bytes.Equal(v.Data, payload(i, n)) || v.Peer != s.from || ir.Ring(v.Ring) != s.ring {
		s.r.Fatalf("packet %d: %+v from peer %d in ring %d, want %+v", i, h, v.Peer, v.Ring, want)
	}
}

// testAdvance takes the packets in a ring one after the other, and finds nothing behind the last.
func testAdvance(r *rig) {
	s, from, to := r.express()
	rng := rand.New(rand.NewPCG(3, 2))
	first := 0
	for range 30 {
		sizes := make([]int, min(1+rng.IntN(4), s.caps.Slots))
		for i := range sizes {
			sizes[i] = rng.IntN(ir.Short - s.caps.Trailer + 1)
		}
		sizes[rng.IntN(len(sizes))] = rng.IntN(s.caps.Bytes/4 + 1) // at most one has a data position
		s.refresh()                                                // while there is nothing that it might take
		for _, n := range sizes {
			s.place(from, n)
		}
		v := s.look(to, first, sizes[0])
		for i, n := range sizes {
			s.same(&v, first+i, n)
			if more := to.Advance(&v); more != (i+1 < len(sizes)) {
				r.Fatalf("behind packet %d of %d: %v", i+1, len(sizes), more)
			}
		}
		first += len(sizes)
	}
	r.quiet()
	if s.refresh(); s.tail != s.slot {
		r.Errorf("after all packets were taken the tail is line %d of %d", s.tail, s.slot)
	}
}

// testExpress mixes both ways to place and both to take: the packets are the same, in the same order, and
// their room is free after Take as it is after Poll.
func testExpress(r *rig) {
	s, from, to := r.express()
	rng := rand.New(rand.NewPCG(3, 1))
	var v ir.View
	if to.Look(0, &v) {
		r.Fatal("Look finds a packet before the first")
	}
	for i := range 5 * s.caps.Slots {
		n := rng.IntN(ir.Short + 1)
		if rng.IntN(4) == 0 {
			n = rng.IntN(s.caps.Bytes/4 + 1) // beside one that is held
		}
		if rng.IntN(2) == 0 {
			s.place(from, n)
		} else {
			s.send(n)
		}
		switch rng.IntN(3) {
		case 0:
			s.get(i, n)
		case 1:
			s.look(to, i, n)
			s.look(to, i, n) // it stays
			to.Take()
		default:
			s.look(to, i, n)
			s.get(i, n) // Poll takes what Look has only shown
		}
	}
	for _, t := range r.ts[:2] { // what was sent is recorded, and compared with what has come
		if a := ir.AbilitiesOf(t).Auditor; a != nil {
			a.Audit()
		}
	}
	r.quiet()
	if s.refresh(); s.tail != s.slot {
		r.Errorf("after all packets were taken the tail is line %d of %d", s.tail, s.slot)
	}
}

// testConsumed: what the reader of a ring has consumed is known at once, however it has taken the packets.
func testConsumed(r *rig) {
	s, from, to := r.express()
	consumed := func(lines int) {
		r.Helper()
		slot, pos, ok := from.Consumed(1)
		if !ok || slot != uint64(lines) || pos > s.pos || lines == s.sent && pos != s.pos {
			r.Fatalf("after %d of %d packets: line %d, position %d of %d, known: %v", lines, s.sent, slot, pos, s.pos, ok)
		}
	}
	consumed(0)
	sizes := []int{8, s.caps.Bytes / 4, ir.Short - s.caps.Trailer, s.caps.Bytes / 8}[:min(4, s.caps.Slots)]
	for range 5 {
		s.refresh() // while there is nothing that it might take
		for _, n := range sizes {
			s.place(from, n)
		}
		for i, n := range sizes {
			at := s.sent - len(sizes) + i
			s.look(to, at, n)
			consumed(at)
			to.Take()
		}
		s.refresh()
		s.place(from, 8)
		consumed(s.sent - 1)
		s.get(s.sent-1, 8)
		r.quiet() // a Poll frees the room of what the one before has given
		consumed(s.sent)
	}
}

// testPollOthers: the packet in the ring that is left out stays, everything else comes, and Poll finds the
// packet afterwards.
func testPollOthers(r *rig) {
	s, from, to := r.express()
	others := 2
	var streams []*stream
	for i, p := range r.ringed(1, len(r.ts)) {
		if p > 1 { // ring 0 is that of peer 0
			streams = append(streams, r.stream(p, 1, ir.Ring(i)))
		}
	}
	s.place(from, 8)
	for _, o := range streams {
		o.send(8)
	}
	r.post(0, ir.Command{Op: ir.Shared, Peer: 1, Header: header(77)})
	token := r.post(1, ir.Command{Op: ir.Swap, Peer: 1})
	want := len(streams) + others
	for tries, got := 0, 0; got < want; tries++ {
		if tries > 10000 {
			r.Fatalf("%d events of %d came", got, want)
		}
		var ev ir.Event
		if !to.PollOthers(0, &ev) {
			continue
		}
		got++
		switch {
		case ev.Kind == ir.Arrived && ev.Ring == s.ring:
			r.Fatal("the ring that is left alone was taken from")
		case ev.Kind == ir.Swapped && ev.Token != token:
			r.Errorf("swapped with token %d, not %d", ev.Token, token)
		}
	}
	var ev ir.Event
	for range 100 {
		if to.PollOthers(0, &ev) {
			r.Fatalf("unexpected %+v", ev)
		}
	}
	s.get(0, 8)
	r.quiet()
}

// testExpressWakes: a packet that Place has placed rings for a sleeper, and the last look before a sleep
// finds it.
func testExpressWakes(r *rig) {
	s, from, to := r.express()
	for i := range 3 {
		r.slumber(1, "placed packet", func() { s.place(from, 8) }, func() bool { return to.Look(0, new(ir.View)) })
		s.look(to, i, 8)
		to.Take()
	}
	r.quiet()
}

// testExpressEnd: after the end of a peer Look finds nothing from it.
func testExpressEnd(r *rig) {
	s, from, to := r.express()
	s.place(from, 8)
	s.get(0, 8)
	r.breakWay(1, 0, ir.ReadTail)
	r.end(1, 0)
	s.place(from, 8)
	var v ir.View
	if to.Look(0, &v) {
		r.Error("Look finds a packet of a peer whose end was reported")
	}
	r.quiet()
}

func testExpressAllocations(r *rig) {
	s, from, to := r.express()
	h := header(0)
	head, in := h.Words(), new(ir.View)
	line, long := payload(0, 8), payload(0, ir.Short+1)
	var ev ir.Event
	if used := testing.AllocsPerRun(s.caps.Slots-1, func() {
		out := line
		if s.slot%8 == 0 && s.pos+ir.LineBytes <= uint64(s.caps.Bytes) {
			out = long
		}
		at, next := s.caps.Place(s.pos, len(out))
		from.Place(1, s.slot, at, &head, out)
		s.slot++
		s.pos = next
		for !to.Look(0, in) {
		}
		to.Take()
		to.PollOthers(0, &ev)
	}); used != 0 {
		r.Errorf("%v allocations", used)
	}
}
