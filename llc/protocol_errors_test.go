package llc_test

import (
	"errors"
	"strings"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/sim"
	"rhinet/llc/wire"
)

// A harness is an engine, number 1 of 3, that hears peer 0. Peer 0 is an honest engine until a test speaks for
// it.
type harness struct {
	*testing.T
	net     *sim.Net
	engines []*llc.Engine
	caps    ir.Caps
}

func newHarness(t *testing.T) *harness { return newHarnessOf(t, func(*ir.Caps) {}) }

// newHarnessOf is newHarness with other Caps.
func newHarnessOf(t *testing.T, change func(*ir.Caps)) *harness {
	c := &harness{T: t, caps: ir.Caps{
		Name: "harness", Remote: true, Rings: 2, Slots: 8, Bytes: 1024, Words: 2, Fragment: 100, Eager: 300, Split: 2000, SplitUnit: 500,
	}}
	change(&c.caps)
	c.net = sim.NewNet(3, c.caps, 8, nil)
	for i := range 3 {
		c.engines = append(c.engines, llc.New(llc.Config{Self: i, Peers: 3, Caps: c.caps}))
	}
	return c
}

func (c *harness) post(i int) {
	cmds := c.engines[i].Take()
	for k := range cmds {
		c.net.Post(i, &cmds[k])
	}
}

// poll gives the next event of an engine; its next copy if there is no other.
func (c *harness) poll(i int, ev *ir.Event) bool {
	if c.net.Poll(i, ev) {
		return true
	}
	c.engines[i].Retry()
	c.post(i)
	return c.net.Poll(i, ev)
}

// run lets all engines act for a number of turns.
func (c *harness) run(turns int) {
	c.Helper()
	var ev ir.Event
	for range turns {
		for i, e := range c.engines {
			if c.net.Poll(i, &ev) {
				if err := e.Step(&ev); err != nil {
					c.Fatalf("engine %d: %v", i, err)
				}
			} else {
				e.Retry()
			}
			c.post(i)
		}
	}
}

func (c *harness) send(i int, r *llc.Request) *llc.Request {
	c.engines[i].Send(r)
	c.post(i)
	return r
}

func (c *harness) recv(i int, r *llc.Request) *llc.Request {
	c.engines[i].Recv(r)
	c.post(i)
	return r
}

// connect gives both directions between 0 and 1 a ring of their own.
func (c *harness) connect() {
	c.Helper()
	for i := range 2 {
		c.recv(1-i, &llc.Request{Peer: i})
		c.send(i, &llc.Request{Peer: 1 - i})
	}
	c.run(10)
	if w, r := llc.States(c.engines[1], 0); w != "Ring" || r != "Watching" {
		c.Fatalf("connection is %s, %s", w, r)
	}
}

// refuses feeds engine 1 an event that it must refuse, naming peer 0 and the reason, and checks that nothing
// else changes.
func (c *harness) refuses(why string, ev ir.Event) {
	c.Helper()
	before := c.engines[1].Snapshot()
	err := c.engines[1].Step(&ev)
	var pe *llc.ProtocolError
	if !errors.As(err, &pe) || pe.Peer != int(ev.Peer) || !strings.Contains(err.Error(), why) {
		c.Errorf("want an error that names peer %d and says %q, got %v", ev.Peer, why, err)
	}
	if after := c.engines[1].Snapshot(); after != before {
		c.Errorf("%v: state changed from %+v to %+v", err, before, after)
	}
	if n := len(c.engines[1].Take()); n != 0 {
		c.Errorf("%v: %d commands", err, n)
	}
}

// says returns a packet of peer 0 in its ring.
func says(kind uint8, word uint64, body ...byte) ir.Event {
	return ir.Event{Kind: ir.Arrived, Ring: 0, Header: ir.Header{Kind: kind, Word: word}, Data: body}
}

func shared(ev ir.Event) ir.Event {
	ev.Ring = ir.NoRing
	return ev
}

func with(ev ir.Event, change func(h *ir.Header)) ir.Event {
	change(&ev.Header)
	return ev
}

func TestProtocolErrorsAboutTheWay(t *testing.T) {
	c := newHarness(t)
	c.refuses("in ring 0, not in the shared ring", says(wire.Eager, 0))
	c.refuses("nothing was asked for", shared(says(wire.Grant, 0)))
	c.refuses("nothing was asked for", shared(says(wire.Refuse, 0)))
	c.refuses("was not granted", shared(says(wire.Switch, 0)))
	ask := func(h *ir.Header) { h.Flags = wire.Ask }
	c.refuses("flags 0x2", with(shared(says(wire.Ack, 0)), ask))
	c.send(1, &llc.Request{Peer: 0})
	c.engines[1].Retry() // it asks now
	c.refuses("ring 2 of 2", shared(says(wire.Grant, 2)))
	c.run(10)
	c.refuses("flags 0x2", with(shared(says(wire.Grant, 0)), ask))
	c.connect()
	c.refuses("shared ring, not in ring 0", shared(says(wire.Eager, 0)))
	c.refuses("not granted, or is in use", says(wire.Switch, 0))
	c.refuses("nothing was asked for", says(wire.Grant, 0))
	c.refuses("asks for a ring", with(says(wire.Eager, 0), ask))
	self := says(wire.Eager, 0)
	self.Peer = 1
	c.refuses("this peer itself", self)
	for _, peer := range []int32{-1, 3} {
		nobody := says(wire.Eager, 0)
		nobody.Peer = peer
		c.refuses("3 peers", nobody)
	}
}

func TestProtocolErrorsAboutShape(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.refuses("kind 0", says(0, 0))
	c.refuses("kind 200", says(200, 0))
	c.refuses("payload", says(wire.Ack, 1, 1))
	c.refuses("flags", with(says(wire.Ack, 1), func(h *ir.Header) { h.Flags = 128 }))
	c.refuses("flags", with(says(wire.Fragment, 0), func(h *ir.Header) { h.Flags = wire.Sync }))
}

func TestProtocolErrorsAboutEagerMessages(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.refuses("at most 300", says(wire.Eager, 301, 1))
	c.refuses("2 of 1 bytes", says(wire.Eager, 1, 1, 2))
	c.refuses("0 of 5 bytes", says(wire.Eager, 5))
	c.refuses("tag -1", with(says(wire.Eager, 1, 1), func(h *ir.Header) { h.Tag = -1 }))
	c.refuses("id 0", with(says(wire.Eager, 1, 1), func(h *ir.Header) { h.Flags = wire.Sync }))
	c.refuses("no message is under way", says(wire.Fragment, 0, 1))
	half := says(wire.Eager, 10, 1, 2, 3)
	if err := c.engines[1].Step(&half); err != nil {
		t.Fatal(err)
	}
	c.refuses("7 bytes of the message before it are missing", says(wire.Eager, 1, 1))
	c.refuses("are missing", says(wire.RTS, 5000, encodeRTS(5000, 1, 1)...))
	c.refuses("1 bytes at 4", says(wire.Fragment, 4, 1))
	c.refuses("0 bytes at 3", says(wire.Fragment, 3))
	c.refuses("8 bytes at 3", says(wire.Fragment, 3, make([]byte, 8)...))
	rest := says(wire.Fragment, 3, make([]byte, 7)...)
	if err := c.engines[1].Step(&rest); err != nil {
		t.Fatal(err)
	}
	// The same where a receive has matched.
	c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 10)})
	r := c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 10)})
	if err := c.engines[1].Step(&half); err != nil {
		t.Fatal(err)
	}
	c.refuses("7 bytes of the message before it are missing", says(wire.Eager, 1, 1))
	c.refuses("are missing", says(wire.RTS, 5000, encodeRTS(5000, 1, 1)...))
	if err := c.engines[1].Step(&rest); err != nil || !r.Done() || r.Status.Bytes != 10 {
		t.Fatalf("%+v, %v", r.Status, err)
	}
}

func encodeRTS(word, segment uint64, id uint32) []byte {
	b := make([]byte, wire.RTSBytes)
	(*wire.RTSBody)(b).Encode(word, segment, id, 0)
	return b
}

func encodeCTSSplit(word, segment, want uint64, index, unit uint32) []byte {
	b := make([]byte, wire.CTSSplitBytes)
	(*wire.CTSSplitBody)(b).Encode(word, segment, want, wire.NewClaim(1, 1), 7, index, unit)
	return b
}

func encodeCTSStream(word, want uint64) []byte {
	b := make([]byte, wire.CTSStreamBytes)
	(*wire.CTSStreamBody)(b).Encode(word, want, 7)
	return b
}

// firstID is the id of an engine's first transfer.
const firstID = 1 << 22

func TestProtocolErrorsToASender(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.refuses("no transfer", says(wire.FIN, firstID))
	c.refuses("no transfer", says(wire.Ack, firstID))
	c.refuses("no transfer", says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 10, 0, 5)...))
	c.refuses("no transfer", says(wire.CTSStream, firstID, encodeCTSStream(firstID, 1)...))
	s := c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	c.refuses("is Exposing", says(wire.FIN, firstID))
	c.run(3)
	c.refuses("is Offered", says(wire.Ack, firstID))
	c.refuses("no transfer", says(wire.FIN, firstID+1))
	c.refuses("reason 0x5", says(wire.FIN, wire.Pair(firstID, 5)))
	c.refuses("no transfer", says(wire.FIN, 2*firstID))
	other := says(wire.FIN, firstID)
	other.Peer, other.Ring = 2, ir.NoRing
	c.refuses("no transfer", other)
	c.refuses("not 40", says(wire.CTSSplit, firstID, 1))
	c.refuses("not 16", says(wire.CTSStream, firstID, 1))
	c.refuses("4001 of 4000 bytes", says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 4001, 0, 500)...))
	c.refuses("word 2 of 2", says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 4000, 2, 500)...))
	c.refuses("4001 of 4000 bytes", says(wire.CTSStream, firstID, encodeCTSStream(firstID, 4001)...))
	ok := says(wire.CTSStream, firstID, encodeCTSStream(firstID, 200)...)
	if err := c.engines[1].Step(&ok); err != nil {
		t.Fatal(err)
	}
	c.engines[1].Take()
	c.refuses("no transfer", says(wire.CTSStream, firstID, encodeCTSStream(firstID, 1)...))
	if !s.Done() || s.Status.Err != nil {
		t.Fatalf("%+v", s.Status)
	}
}

func TestProtocolErrorsAboutAcknowledgement(t *testing.T) {
	c := newHarness(t)
	c.connect()
	s := c.send(1, &llc.Request{Peer: 0, Mode: llc.Synchronous, Buf: make([]byte, 10)})
	c.refuses("Unacknowledged", says(wire.Ack, wire.Pair(firstID, 1)))
	c.refuses("reason 0x0", with(says(wire.Ack, firstID), func(h *ir.Header) { h.Flags = wire.Failed }))
	ack := says(wire.Ack, firstID)
	if err := c.engines[1].Step(&ack); err != nil || !s.Done() {
		t.Fatal(err, s.Done())
	}
	c.refuses("no transfer", says(wire.Ack, firstID))
	// A long one, which waits for room: acknowledged twice.
	for range 8 {
		c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 8)})
	}
	c.send(1, &llc.Request{Peer: 0, Mode: llc.Synchronous, Buf: make([]byte, 300)})
	second := uint64(2 * firstID)
	ack = says(wire.Ack, second)
	if err := c.engines[1].Step(&ack); err != nil {
		t.Fatal(err)
	}
	c.refuses("acknowledged before", says(wire.Ack, second))
}

func TestProtocolErrorsToAReceiver(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.refuses("not 20", says(wire.RTS, 5000, 1))
	c.refuses("tag -5", with(says(wire.RTS, 5000, encodeRTS(5000, 1, 1)...), func(h *ir.Header) { h.Tag = -5 }))
	c.refuses("bytes", says(wire.RTS, 1<<63, encodeRTS(1<<63, 1, 1)...))
	c.refuses("no transfer", says(wire.Data, firstID, 1))
	c.refuses("no transfer", says(wire.Part, firstID))
	r := c.recv(1, &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 1000)})
	offer := with(says(wire.RTS, 5000, encodeRTS(5000, 0, 9)...), func(h *ir.Header) { h.Tag = 3 })
	if err := c.engines[1].Step(&offer); err != nil {
		t.Fatal(err)
	}
	c.engines[1].Take()
	c.refuses("part 1", says(wire.Data, wire.Pair(firstID, 1), 1))
	c.refuses("0 bytes at 0", says(wire.Data, firstID))
	c.refuses("1001 bytes at 0", says(wire.Data, firstID, make([]byte, 1001)...))
	c.refuses("is Streaming", says(wire.Part, firstID))
	whole := says(wire.Data, firstID, make([]byte, 1000)...)
	if err := c.engines[1].Step(&whole); err != nil || !errors.Is(r.Status.Err, llc.ErrTruncated) {
		t.Fatal(err, r.Status)
	}
	c.refuses("no transfer", says(wire.Data, wire.Pair(firstID, 1), 1))
}

// shareTo has peer 0 offer a large message and stops when engine 1 shares it.
func (c *harness) shareTo() *llc.Request {
	c.Helper()
	c.connect()
	r := c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 4000)})
	var ev ir.Event
	for i := 0; *c.net.Word(1, 1)|*c.net.Word(1, 0) == 0; i++ {
		if i == 100 {
			c.Fatal("the message is not shared")
		}
		c.run(1)
	}
	for len(c.engines[1].Pending()) == 0 {
		c.net.Poll(1, &ev)
	}
	return r
}

// opened has engine 1 take the answers to its Swap and its Expose, and so invite the sender.
func (c *harness) opened() {
	c.Helper()
	var ev ir.Event
	for range 2 {
		if !c.net.Poll(1, &ev) {
			c.Fatal("no answer")
		}
		if err := c.engines[1].Step(&ev); err != nil {
			c.Fatal(err)
		}
	}
	c.post(1)
}

func TestProtocolErrorsAboutParts(t *testing.T) {
	c := newHarness(t)
	r := c.shareTo()
	c.refuses("Sharing", says(wire.Part, wire.Pair(firstID, 1))) // not invited yet
	c.opened()
	var ev ir.Event
	c.refuses("8 chunks moved, of 8", says(wire.Part, wire.Pair(firstID, 8)))
	part := says(wire.Part, wire.Pair(firstID, 7))
	if err := c.engines[1].Step(&part); err != nil { // cannot be recognised as an error yet
		t.Fatal(err)
	}
	c.refuses("Sharing", says(wire.Part, wire.Pair(firstID, 7)))
	for !r.Done() {
		c.poll(1, &ev)
		if err := c.engines[1].Step(&ev); err != nil {
			t.Logf("%v", err)
		}
		c.post(1)
	}
	if r.Status.Err != nil {
		t.Fatal(r.Status)
	}
}

// TestPartThatClaimsTooMuch: the sender reports more than it had claimed; the receiver reports the error and
// pulls the chunks in question.
func TestPartThatClaimsTooMuch(t *testing.T) {
	c := newHarness(t)
	r := c.shareTo()
	var ev ir.Event
	forged, named := false, false
	for i := 0; !r.Done(); i++ {
		if i > 1000 {
			t.Fatal("the receive does not end")
		}
		if !c.poll(1, &ev) {
			t.Fatal("nothing happens")
		}
		err := c.engines[1].Step(&ev)
		if var0 := new(*llc.ProtocolError); errors.As(err, var0) && (*var0).Peer == 0 {
			named = true
		} else if err != nil {
			t.Fatal(err)
		}
		c.post(1)
		if w := wire.Claim(*c.net.Word(1, 0) | *c.net.Word(1, 1)); w.Front() == 2 && !forged {
			forged = true
			word := c.net.Word(1, 0)
			if *word == 0 {
				word = c.net.Word(1, 1)
			}
			*word = uint64(wire.Claim(*word).TakeBack())
			part := says(wire.Part, wire.Pair(firstID, 5))
			if err := c.engines[1].Step(&part); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !forged || !named || r.Status.Err != nil {
		t.Fatalf("forged %v, named %v, %+v", forged, named, r.Status)
	}
}

// TestClaimWordTampered: values that neither side can have written end the transfer.
func TestClaimWordTampered(t *testing.T) {
	for _, side := range []int{0, 1} {
		c := newHarness(t)
		r := c.shareTo()
		s := c.engines[0].Pending()[0].Request
		var ev ir.Event
		var found error
		for i := 0; !r.Done() || !s.Done(); i++ {
			if i > 1000 {
				t.Fatalf("side %d: no end", side)
			}
			for k := range 2 {
				if c.poll(k, &ev) {
					if ev.Kind == ir.Swapped && k == side && i > 4 && found == nil {
						was := wire.Claim(ev.Old)
						ev.Old = uint64(wire.NewClaim(was.Generation(), 3000000))
					}
					if err := c.engines[k].Step(&ev); err != nil {
						found = err
						if k != side {
							t.Fatalf("engine %d: %v", k, err)
						}
					}
				}
				c.post(k)
			}
		}
		var pe *llc.ProtocolError
		if !errors.As(found, &pe) || pe.Peer != 1-side {
			t.Fatalf("side %d: %v", side, found)
		}
		if side == 1 && r.Status.Err == nil {
			t.Fatal("the receive succeeded")
		}
	}
}

// TestForgedBodies: a wrong value that looks right, which no other check could find, ends the use of the
// peer. Without the seal a stream of fewer bytes, or an answer to another transfer, would leave one side
// waiting.
func TestForgedBodies(t *testing.T) {
	forge := func(ev ir.Event, at int) ir.Event { ev.Data[at] ^= 8; return ev }
	c := newHarness(t)
	c.connect()
	const check = "body has the check"
	c.refuses(check, forge(says(wire.RTS, 5000, encodeRTS(5000, 1, 9)...), 8)) // its id
	c.refuses(check, says(wire.RTS, 4000, encodeRTS(5000, 1, 9)...))
	c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	c.run(3)
	c.refuses(check, forge(says(wire.CTSStream, firstID, encodeCTSStream(firstID, 4000)...), 1))           // fewer bytes
	c.refuses(check, forge(says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 4000, 0, 500)...), 24)) // its id
	c.refuses(check, forge(says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 4000, 0, 500)...), 9))  // fewer bytes
	stream := says(wire.CTSStream, firstID, encodeCTSStream(firstID, 4000)...)
	if err := c.engines[1].Step(&stream); err != nil {
		t.Fatal(err)
	}
}
