package nictest

import (
	"bytes"
	"testing"
	"time"

	"rhinet/llc/ir"
)

// patience is how long the suite waits for what must come.
const patience = 10 * time.Second

// A rig drives all translators of a network from one goroutine and keeps what they report until a test asks
// for it.
type rig struct {
	testing.TB
	ts     []ir.Translator
	inbox  [][]ir.Event // per peer, Data copied
	token  uint64
	wait   time.Duration // for what must come
	closed []bool        // by the test
	deaf   []bool        // events of this peer are dropped from now on
}

func newRig(t testing.TB, ts []ir.Translator) *rig {
	t.Helper()
	r := &rig{TB: t, ts: ts, inbox: make([][]ir.Event, len(ts)), closed: make([]bool, len(ts)), deaf: make([]bool, len(ts)), wait: patience}
	for i, tr := range ts {
		if tr.Self() != i || tr.Peers() != len(ts) {
			t.Fatalf("translator %d of %d calls itself %d of %d", i, len(ts), tr.Self(), tr.Peers())
		}
	}
	return r
}

// post posts cmd at peer with a new token and returns the token.
func (r *rig) post(peer int, cmd ir.Command) uint64 {
	r.token++
	cmd.Token = r.token
	r.ts[peer].Post(&cmd)
	return r.token
}

// poll takes at most one event of a peer into its inbox.
func (r *rig) poll(peer int) bool {
	var ev ir.Event
	if r.closed[peer] || !r.ts[peer].Poll(&ev) {
		return false
	}
	if ev.Kind == 0 || ev.Kind >= ir.NumKinds {
		r.Fatalf("peer %d: event of kind %d", peer, ev.Kind)
	}
	if int(ev.Header.Length) != len(ev.Data) {
		r.Fatalf("peer %d: header says %d bytes, data has %d", peer, ev.Header.Length, len(ev.Data))
	}
	if r.deaf[peer] {
		return true
	}
	ev.Data = bytes.Clone(ev.Data)
	r.inbox[peer] = append(r.inbox[peer], ev)
	return true
}

// await polls all peers until one event of peer satisfies want, and takes it.
func (r *rig) await(peer int, what string, want func(*ir.Event) bool) ir.Event {
	r.Helper()
	for seen, start := 0, time.Now(); ; {
		for ; seen < len(r.inbox[peer]); seen++ {
			if ev := r.inbox[peer][seen]; want(&ev) {
				r.inbox[peer] = append(r.inbox[peer][:seen], r.inbox[peer][seen+1:]...)
				return ev
			}
		}
		for p := range r.ts {
			r.poll(p)
		}
		if time.Since(start) > r.wait {
			r.Fatalf("peer %d: no %s; got %v", peer, what, r.inbox[peer])
		}
	}
}

// answer awaits the answer to a token and fails unless it is of the given kind.
func (r *rig) answer(peer int, token uint64, kind ir.Kind) ir.Event {
	r.Helper()
	ev := r.await(peer, "answer", func(ev *ir.Event) bool { return ev.Token == token && ev.Kind != ir.Arrived })
	if ev.Kind != kind {
		r.Fatalf("peer %d: answer of kind %d, want %d: %v", peer, ev.Kind, kind, ev.Err)
	}
	return ev
}

// arrival awaits the next packet from peer from at peer at.
func (r *rig) arrival(at, from int) ir.Event {
	r.Helper()
	return r.await(at, "packet", func(ev *ir.Event) bool { return ev.Kind == ir.Arrived && int(ev.Peer) == from })
}

// quiet polls until nothing comes any more and fails if an event is left.
func (r *rig) quiet() {
	r.Helper()
	for idle := 0; idle < 20*len(r.ts); {
		idle++
		for p := range r.ts {
			if r.poll(p) {
				idle = 0
			}
		}
	}
	for p, box := range r.inbox {
		if len(box) != 0 {
			r.Fatalf("peer %d: unexpected %+v", p, box[0])
		}
	}
}

// caps returns the Caps of the NIC by which two peers reach each other.
func (r *rig) caps(from, to int) ir.Caps { return ir.CapsFor(r.ts[from], to) }

// apart reports whether peer at reaches two peers by different NICs.
func (r *rig) apart(at, one, other int) bool {
	t := ir.AbilitiesOf(r.ts[at]).Router
	return t != nil && t.NIC(one) != t.NIC(other)
}

// needRings skips a test of packet rings between two peers that have none.
func (r *rig) needRings(from, to int) {
	if r.caps(from, to).Rings == 0 {
		r.Skip("no packet rings")
	}
}

// ringed returns at most n peers that have packet rings with peer at.
func (r *rig) ringed(at, n int) (all []int) {
	for p := range r.ts {
		if p != at && len(all) < min(n, r.caps(p, at).Rings) {
			all = append(all, p)
		}
	}
	return all
}

// A stream is one packet ring in use, with the writer's account of its room.
type stream struct {
	r          *rig
	caps       ir.Caps
	from, to   int
	ring       ir.Ring
	slot, pos  uint64
	tail, back uint64 // as read last
	sent       int
}

// stream has to watch a ring that from writes.
func (r *rig) stream(from, to int, ring ir.Ring) *stream {
	r.Helper()
	r.needRings(from, to)
	r.post(to, ir.Command{Op: ir.Watch, Peer: int32(from), Ring: ring})
	return &stream{r: r, caps: r.caps(from, to), from: from, to: to, ring: ring}
}

// command is packet number i, of n bytes. Where the NIC gathers, every other one is in pieces.
func (s *stream) command(i, n int) ir.Command {
	at, _ := s.caps.Place(s.pos, n)
	cmd := ir.Command{
		Op: ir.Packet, Peer: int32(s.to), Ring: s.ring, Slot: s.slot, Pos: at,
		Header: header(i), Data: payload(i, n),
	}
	if s.caps.Gathers && i%2 == 1 {
		cmd.Body, cmd.Offset, cmd.Header.Length, cmd.Data = &scattered{cmd.Data, i}, uint64(i), uint32(n), nil
	}
	return cmd
}

// scattered is bytes from number from on.
type scattered struct {
	all  []byte
	from int
}

func (s *scattered) Gather(dst []byte, off int) { copy(dst, s.all[off-s.from:]) }

// put sends packet number sent with n bytes and reports whether there was room.
func (s *stream) put(n int) bool {
	_, next := s.caps.Place(s.pos, n)
	if s.slot-s.tail >= uint64(s.caps.Slots) || next-s.back > uint64(s.caps.Bytes) {
		return false
	}
	s.r.post(s.from, s.command(s.sent, n))
	s.sent++
	s.slot++
	s.pos = next
	return true
}

// send is put; there must be room.
func (s *stream) send(n int) {
	s.r.Helper()
	if s.put(n) {
		return
	}
	if s.refresh(); !s.put(n) {
		s.r.Fatalf("no room for %d bytes; written %d, %d, tail at %d, %d", n, s.slot, s.pos, s.tail, s.back)
	}
}

// refresh reads the tail.
func (s *stream) refresh() {
	s.r.Helper()
	s.r.post(s.from, ir.Command{Op: ir.ReadTail, Peer: int32(s.to), Ring: s.ring})
	s.take(s.r.await(s.from, "tail", func(ev *ir.Event) bool {
		return ev.Kind == ir.Tail && int(ev.Peer) == s.to && ev.Ring == s.ring
	}))
}

// take sets the tail, which must be possible.
func (s *stream) take(ev ir.Event) {
	s.r.Helper()
	if ev.Slot < s.tail || ev.Slot > s.slot || ev.Pos < s.back || ev.Pos > s.pos {
		s.r.Fatalf("tail at line %d, position %d; was %d, %d; written %d, %d",
			ev.Slot, ev.Pos, s.tail, s.back, s.slot, s.pos)
	}
	s.tail, s.back = ev.Slot, ev.Pos
}

// get awaits packet number i of n bytes.
func (s *stream) get(i, n int) {
	s.r.Helper()
	ev := s.r.arrival(s.to, s.from)
	if ev.Ring != s.ring {
		s.r.Fatalf("packet %d came in ring %d, not %d", i, ev.Ring, s.ring)
	}
	check(s.r, &ev, i, n)
}

// check fails unless ev carries header and payload number i.
func check(t testing.TB, ev *ir.Event, i, n int) {
	t.Helper()
	want := header(i)
	want.Length = uint32(n)
	if ev.Header != want {
		t.Fatalf("packet %d: header %+v, want %+v", i, ev.Header, want)
	}
	if !bytes.Equal(ev.Data, payload(i, n)) {
		t.Fatalf("packet %d: %d bytes of payload differ from the %d sent", i, len(ev.Data), n)
	}
}

// header returns a header with all bits of all fields in use over time.
func header(i int) ir.Header {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	return ir.Header{
		Kind: uint8(x>>8) | 1, Flags: uint8(x >> 16), Context: uint16(x >> 24), Tag: int32(x >> 13), Word: x,
	}
}

// payload returns n bytes that differ between packets.
func payload(i, n int) []byte {
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(i*131 + j*7 + j>>8)
	}
	return b
}
