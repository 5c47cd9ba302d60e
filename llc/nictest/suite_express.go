package nictest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"rhinet/llc/ir"
)

// express returns the ability of both ends of a stream from peer 0 to peer 1 whose
// ring an Open has named; a network without it has nothing to show.
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
	at, next := ir.Place(s.pos, uint64(s.r.caps.Bytes), n, s.r.caps.Spread)
	if s.slot-s.tail >= uint64(s.r.caps.Slots) || next-s.back > uint64(s.r.caps.Bytes) {
		s.refresh()
	}
	h := header(s.sent)
	head := h.Words()
	x.Place(s.to, s.slot, at, &head, payload(s.sent, n))
	s.sent++
	s.slot++
	s.pos = next
}

// look awaits packet number i of n bytes by Look.
func (s *stream) look(x ir.Express, i, n int) {
	s.r.Helper()
	var v ir.View
	for tries := 0; !x.Look(s.from, &v); tries++ {
		if tries > 1000 {
			s.r.Fatalf("Look does not find packet %d", i)
		}
	}
	var h ir.Header
	h.Unpack(&v.Head, len(v.Data))
	want := header(i)
	want.Length = uint32(n)
	if h != want || !bytes.Equal(v.Data, payload(i, n)) || v.Peer != s.from || ir.Ring(v.Ring) != s.ring {
		s.r.Fatalf("packet %d: %+v from peer %d in ring %d, want %+v", i, h, v.Peer, v.Ring, want)
	}
}

// testExpress mixes both ways to place and both to take: the packets are the same,
// in the same order, and their room is free after Take as it is after Poll.
func testExpress(r *rig) {
	s, from, to := r.express()
	rng := rand.New(rand.NewPCG(3, 1))
	var v ir.View
	if to.Look(0, &v) {
		r.Fatal("Look finds a packet before the first")
	}
	for i := range 5 * r.caps.Slots {
		n := rng.IntN(ir.Inline + 1)
		if rng.IntN(4) == 0 {
			n = rng.IntN(r.caps.Bytes/4 + 1) // besides one that is held
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
	r.quiet()
	if s.refresh(); s.tail != s.slot {
		r.Errorf("after all packets were taken the tail is line %d of %d", s.tail, s.slot)
	}
}

// testPollOthers: the packet in the ring that is left alone stays, everything else
// comes, and Poll finds the packet afterwards.
func testPollOthers(r *rig) {
	s, from, to := r.express()
	others := 2
	var streams []*stream
	for p := 2; p < len(r.ts) && p <= r.caps.Rings; p++ {
		streams = append(streams, r.stream(p, 1, ir.Ring(p-1)))
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

// testExpressWakes: a packet that Place has placed rings for a sleeper, and the
// last look before a sleep finds it.
func testExpressWakes(r *rig) {
	s, from, to := r.express()
	for i := range 3 {
		r.slumber(1, "placed packet", func() { s.place(from, 8) }, func() bool { return to.Look(0, new(ir.View)) })
		s.look(to, i, 8)
		to.Take()
	}
	r.quiet()
}

// testExpressEnd: after the end of a peer Look finds nothing of it.
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
	line, long := payload(0, 8), payload(0, ir.Inline+1)
	var ev ir.Event
	if used := testing.AllocsPerRun(r.caps.Slots-1, func() {
		out := line
		if s.slot%8 == 0 && s.pos+ir.LineBytes <= uint64(r.caps.Bytes) {
			out = long
		}
		at, next := ir.Place(s.pos, uint64(r.caps.Bytes), len(out), r.caps.Spread)
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
