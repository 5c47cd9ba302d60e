package arq

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var (
	seeds  = flag.Uint64("seeds", 600, "how many simulated ways TestWays runs")
	oldest = flag.Uint64("first", 0, "the first of them")
)

// A way is one direction of a simulated network.
type way struct {
	rng    *rand.Rand
	under  []datagram
	room   int    // datagrams under way; more are lost, as by a receive queue
	faults [4]int // percent that are lost, doubled, damaged, late
	delay  int64
}

type datagram struct {
	bytes []byte
	due   int64
}

func (w *way) chance(i int) bool { return w.rng.IntN(100) < w.faults[i] }

func (w *way) send(now int64, b []byte) {
	if w.chance(0) || len(w.under) >= w.room {
		return
	}
	d := datagram{bytes.Clone(b), now + w.delay}
	if w.chance(2) {
		d.bytes[w.rng.IntN(len(b))] ^= 1 << w.rng.IntN(8)
	}
	if w.chance(3) {
		d.due += w.rng.Int64N(20 * w.delay)
	}
	w.under = append(w.under, d)
	if w.chance(1) && len(w.under) < w.room {
		w.under = append(w.under, datagram{d.bytes, d.due + w.rng.Int64N(30*w.delay)})
	}
}

// receive returns the datagram that has arrived first.
func (w *way) receive(now int64) []byte {
	at := -1
	for i, d := range w.under {
		if d.due <= now && (at < 0 || d.due < w.under[at].due) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	b := w.under[at].bytes
	w.under = append(w.under[:at], w.under[at+1:]...)
	return b
}

// An end is a link and its user.
type end struct {
	*Link
	out, in  *way
	sent     int
	toSend   int
	received int
	expected int
	away     int64 // time until which it does nothing
}

// content is packet i of a sender.
func content(b []byte, from uint32, i int) []byte {
	n := (i*i*7 + int(from)*13) % len(b)
	for k := range n {
		b[k] = byte(i + k)
	}
	if n >= 8 {
		binary.LittleEndian.PutUint64(b, uint64(i)<<8|uint64(from))
	}
	return b[:n]
}

func (e *end) deliver(b []byte) error {
	if want := content(make([]byte, e.bytes), e.peer, e.received); !bytes.Equal(b, want) {
		return fmt.Errorf("peer %d: packet %d of %d has %d bytes, want %d", e.self, e.received, e.peer, len(b), len(want))
	}
	e.received++
	return nil
}

// turn does what the user of a link does when it runs.
func (e *end) turn(now int64) error {
	for e.sent < e.toSend {
		b := e.Slot()
		if b == nil {
			break
		}
		e.Send(len(content(b, e.self, e.sent)))
		e.sent++
	}
	for b := e.in.receive(now); b != nil; b = e.in.receive(now) {
		e.Take(now, b)
		for p, ok := e.Next(); ok; p, ok = e.Next() {
			if err := e.deliver(p); err != nil {
				return err
			}
		}
	}
	if e.Deadline() != 0 {
		e.Expire(now)
	}
	for b := e.Due(now, true); b != nil; b = e.Due(now, true) {
		e.out.send(now, b)
	}
	return nil
}

func (e *end) over() bool {
	return e.sent == e.toSend && e.Unacknowledged() == 0 && e.received == e.expected && !e.Owes()
}

// A world is a pair.
type world struct {
	ends [2]end
	now  int64
	step int64
	naps int // percent of turns after which an end is away for a while
	rng  *rand.Rand
}

func newWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 0xa59))
	pick := func(values ...int) int { return values[rng.IntN(len(values))] }
	w := &world{rng: rng, step: 10_000, naps: pick(0, 0, 1, 4)}
	start := uint32(rng.IntN(3*Window)) - Window - uint32(rng.IntN(40)) // wraps around soon
	size := pick(9, 40, 200)
	var ways [2]*way
	faults := [4]int{pick(0, 0, 1, 10, 40), pick(0, 0, 5, 30), pick(0, 0, 5), pick(0, 0, 5, 40)}
	for i := range ways {
		ways[i] = &way{rng: rng, room: pick(3, 20, 64, 1000), faults: faults, delay: int64(pick(1000, 20_000, 300_000))}
	}
	counts := [2]int{rng.IntN(400), pick(0, 0, 1, rng.IntN(400))}
	for i := range w.ends {
		w.ends[i] = end{Link: New(i, 1-i, size, start), out: ways[i], in: ways[1-i], toSend: counts[i], expected: counts[1-i]}
	}
	return w
}

// run goes on until everything has arrived and is known to have arrived. A way that loses most datagrams is
// slow; one on which nothing new arrives for so many turns, many deadlines, is stuck.
func (w *world) run() error {
	for turns, since, left := 0, 0, -1; !w.ends[0].over() || !w.ends[1].over(); turns++ {
		if n := w.ends[0].Unacknowledged() + w.ends[0].toSend - w.ends[0].sent + w.ends[1].Unacknowledged() + w.ends[1].toSend - w.ends[1].sent; n != left {
			left, since = n, turns
		}
		if turns-since > 1_000_000 {
			return fmt.Errorf("after %d ms %+v and %+v", w.now/1e6, w.ends[0].Counts(), w.ends[1].Counts())
		}
		i := w.rng.IntN(2)
		e := &w.ends[i]
		if w.now += w.step; w.now < e.away {
			continue
		}
		if err := e.turn(w.now); err != nil {
			return err
		}
		if w.rng.IntN(100) < w.naps {
			e.away = w.now + w.rng.Int64N(50_000_000)
		}
		if turns%64 == 0 { // long waits for a deadline
			w.skip()
		}
	}
	return nil
}

// skip lets time pass until something can happen.
func (w *world) skip() {
	next := int64(1 << 62)
	for i := range w.ends {
		e := &w.ends[i]
		if e.sent < e.toSend && e.Unacknowledged() < Window || e.Owes() || e.Waits() {
			return
		}
		if e.Deadline() != 0 {
			next = min(next, e.Deadline())
		}
		for _, d := range e.in.under {
			next = min(next, d.due)
		}
	}
	if next != 1<<62 {
		w.now = max(w.now, next)
	}
}

// TestWays: whatever a way does to datagrams, each packet comes once, whole and in order, and its sender
// learns that. Repeat one seed with -seeds 1 -first N.
func TestWays(t *testing.T) {
	if testing.Short() {
		*seeds = min(*seeds, 100)
	}
	for seed := *oldest; seed < *oldest+*seeds; seed++ {
		if err := newWorld(seed).run(); err != nil {
			t.Fatalf("seed %d: %v", seed, err) // the others may be stuck as well, and that takes long
		}
	}
}

// TestNothingIsSentInVain: on a way that loses nothing, and between ends that answer at once, every packet
// goes once.
func TestNothingIsSentInVain(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(seed)
		w.naps = 0
		for i := range w.ends {
			w.ends[i].out.faults, w.ends[i].out.room, w.ends[i].out.delay = [4]int{}, 1000, 20_000
		}
		if err := w.run(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, e := range w.ends {
			if c := e.Counts(); c.Again+c.Expired+c.Refused+c.Repeated != 0 || c.Packets != uint64(e.toSend) {
				t.Errorf("seed %d: %+v for %d packets", seed, c, e.toSend)
			}
		}
	}
}

// exchange has a datagram go from one end to the other.
func exchange(t *testing.T, from, to *Link, now int64) {
	t.Helper()
	b := from.Due(now, true)
	if b == nil {
		t.Fatal("nothing goes")
	}
	to.Take(now, b)
}

func pair() (a, b *Link) { return New(0, 1, 100, ^uint32(0)), New(1, 0, 100, ^uint32(0)) }

func send(t *testing.T, l *Link, n int) {
	t.Helper()
	for range n {
		b := l.Slot()
		if b == nil {
			t.Fatal("no slot")
		}
		l.Send(copy(b, "packet"))
	}
}

// TestLossIsFoundByLaterPackets: the deadline need not pass.
func TestLossIsFoundByLaterPackets(t *testing.T) {
	a, b := pair()
	send(t, a, 5)
	_ = a.Due(0, false) // lost
	for i := range 3 {
		exchange(t, a, b, 10)
		exchange(t, b, a, 20)
		if lost := i == 2; a.sends.Again != 0 || a.flying == 0 != lost {
			t.Errorf("after %d later packets %+v, %d in flight", i+1, a.sends, a.flying)
		}
	}
	exchange(t, a, b, 30)
	if a.sends.Again != 1 || b.ack != b.wanted+4 || b.mask != 0 {
		t.Errorf("%+v, %d of 4 have come", a.sends, b.ack-b.wanted)
	}
	exchange(t, a, b, 30)
	exchange(t, b, a, 40)
	if a.Unacknowledged() != 0 || a.Deadline() != 0 || a.sends.Expired != 0 {
		t.Errorf("%d unacknowledged, %+v", a.Unacknowledged(), a.sends)
	}
}

// TestDeadline: a packet that is not acknowledged is retransmitted, less often each time, and one packet
// only.
func TestDeadline(t *testing.T) {
	a, _ := pair()
	send(t, a, 3)
	for range 3 {
		_ = a.Due(0, false)
	}
	now, waited := int64(0), int64(0)
	for i := range 12 {
		at := a.Deadline()
		if at-now < waited || at-now > most {
			t.Fatalf("deadline %d is %d ns away, after %d", i, at-now, waited)
		}
		waited = at - now
		if a.Expire(at - 1); a.Due(at-1, true) != nil {
			t.Fatal("goes before its deadline")
		}
		now = at
		if a.Expire(now); a.Due(now, true) == nil || a.Due(now, true) != nil {
			t.Fatal("after a deadline one packet goes")
		}
	}
	if waited != most || a.sends.Again != 12 {
		t.Errorf("%d ns in the end, %+v", waited, a.sends)
	}
	if a.Abandon(); a.Deadline() != 0 || a.Unacknowledged() != 0 || a.Due(now+most, true) != nil {
		t.Error("an abandoned peer is sent to")
	}
}

// TestTrips: the deadline follows round-trip times. A packet that went twice is not measured, because it is
// unknown which transmission was answered.
func TestTrips(t *testing.T) {
	a, b := pair()
	now := int64(0)
	for range 100 {
		send(t, a, 1)
		exchange(t, a, b, now)
		b.Next()
		now += 2e6
		exchange(t, b, a, now)
	}
	if a.trip != 2e6 || a.patience < 2e6 || a.patience > 3e6 {
		t.Errorf("after trips of 2 ms %d ns, patience %d", a.trip, a.patience)
	}
	send(t, a, 1)
	_ = a.Due(now, true) // lost
	now = a.Deadline()
	a.Expire(now)
	exchange(t, a, b, now)
	exchange(t, b, a, now+1)
	if a.Unacknowledged() != 0 || a.trip != 2e6 {
		t.Errorf("%d unacknowledged, a trip takes %d ns", a.Unacknowledged(), a.trip)
	}
}

// TestWindow: a peer that acknowledges nothing gets Window packets and no more; one that consumes nothing
// keeps as many.
func TestWindow(t *testing.T) {
	a, b := pair()
	for i := 0; a.Slot() != nil; i++ {
		if i == Window {
			t.Fatal("more packets than the window has")
		}
		send(t, a, 1)
	}
	now := int64(0)
	for range 2 * Window {
		now += 1000
		for d := a.Due(now, false); d != nil; d = a.Due(now, false) {
			b.Take(now, d)
		}
		for d := b.Due(now, true); d != nil; d = b.Due(now, true) {
			a.Take(now, d)
		}
		for a.Slot() != nil {
			send(t, a, 1)
		}
	}
	if got := b.ack - b.wanted; got != Window || b.sends.Refused == 0 {
		t.Errorf("%d packets wait for Next, %d were refused", got, b.sends.Refused)
	}
}

// TestReplies: packets that come one after the other are acknowledged together; those out of order or
// repeated at once.
func TestReplies(t *testing.T) {
	a, b := pair()
	send(t, a, ackEvery)
	var last []byte
	for i := range ackEvery {
		last = bytes.Clone(a.Due(0, false))
		b.Take(0, last)
		if d := b.Due(0, false); (d != nil) != (i == ackEvery-1) {
			t.Errorf("after %d packets: %d bytes", i+1, len(d))
		}
	}
	if b.Due(0, true) != nil || b.Owes() {
		t.Error("acknowledged twice")
	}
	if b.Take(0, last); b.Due(0, false) == nil || b.sends.Repeated != 1 {
		t.Error("a packet that comes again is not acknowledged")
	}
	send(t, b, 1)
	if b.Due(0, true); b.Owes() {
		t.Error("a packet does not acknowledge")
	}
}

// TestNonsense: impossible datagrams are refused, and a peer that scribbles does no harm.
func TestNonsense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, _ := pair()
	send(t, a, 20)
	for range 8 {
		_ = a.Due(0, false)
	}
	refuse := func(what string, h header, bytes int) {
		t.Helper()
		before := a.sends.Refused
		b := make([]byte, HeaderBytes+bytes)
		h.seal(b, 1, 0)
		if a.Take(0, b); a.Waits() || a.sends.Refused != before+1 {
			t.Errorf("%s: %+v", what, a.sends)
		}
	}
	ok := a.base
	refuse("acknowledges what has not gone", header{number: ok, ack: ok + 9, packet: true}, 5)
	refuse("acknowledges what nobody sent for long", header{number: ok, ack: ok - 1000, packet: true}, 5)
	refuse("too far ahead", header{number: ok + Window, ack: ok, packet: true}, 5)
	refuse("too long", header{number: ok, ack: ok, packet: true}, 101)
	refuse("bytes without a packet", header{number: ok, ack: ok}, 5)
	short := make([]byte, HeaderBytes-1)
	before := a.sends.Refused
	if a.Take(0, short); a.Waits() || a.sends.Refused != before+1 {
		t.Error("a datagram without a header")
	}
	other := make([]byte, HeaderBytes)
	h := header{number: ok, ack: ok}
	for _, from := range [][2]uint32{{2, 0}, {1, 1}, {0, 1}} {
		h.seal(other, from[0], from[1])
		before := a.sends.Refused
		if a.Take(0, other); a.Waits() || a.sends.Refused != before+1 {
			t.Errorf("a datagram from %d to %d", from[0], from[1])
		}
	}
	for range 20000 {
		b := make([]byte, HeaderBytes+rng.IntN(100))
		h := header{number: ok + uint32(rng.IntN(200)) - 100, ack: ok + uint32(rng.IntN(40)) - 20, mask: rng.Uint64() >> rng.IntN(64), packet: rng.IntN(2) == 0}
		if h.packet {
			h.seal(b, 1, 0)
		} else {
			h.seal(b[:HeaderBytes], 1, 0)
			b = b[:HeaderBytes]
		}
		a.Take(int64(rng.IntN(1e9)), b)
		a.Next()
		a.Expire(int64(rng.IntN(1e9)))
		a.Due(int64(rng.IntN(1e9)), true)
		if a.flying < 0 || a.flying > Window || a.Unacknowledged() > Window || a.limit < 1 || a.limit > Window || a.patience < least || a.patience > most {
			t.Fatalf("%+v", a)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	a, b := pair()
	round := func() {
		send(t, a, 3)
		for d := a.Due(0, true); d != nil; d = a.Due(0, true) {
			b.Take(0, d)
		}
		for _, ok := b.Next(); ok; _, ok = b.Next() {
		}
		a.Take(0, b.Due(0, true))
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
