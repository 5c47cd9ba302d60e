package llc_test

import (
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// TestHalves: one message in halfLooks is timed, more at first. After halfEnough messages in a row of which the sender's part took
// more than twice as long for each byte as the receiver's, the receiver moves spellFor messages alone, and then
// twice as many; a sender that is invited by then leaves them to the receiver. A message that is not moved in halves, or of which one side does not know its time, does not count.
func TestHalves(t *testing.T) {
	const slow, quick = 600, 500 // the sender pushes 300 and 200 bytes, see the simulated NIC
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Split, caps.SplitUnit = 400, 300 })
	var pushes, timed int
	deaf := -1
	c.net.Refuse = func(from int, cmd *ir.Command) error {
		if cmd.Op != ir.Pull && cmd.Op != ir.Push {
			return nil
		}
		if cmd.Op == ir.Push {
			pushes++
		}
		if cmd.Timed {
			timed++
			cmd.Timed = from != deaf
		}
		return nil
	}
	c.connect()
	turn, invites := 0, false
	pass := func(r *llc.Request, halves, looks bool) {
		t.Helper()
		turn++
		pushes, timed = 0, 0
		got := make([]byte, r.Bytes())
		in := c.recv(1, &llc.Request{Buf: got})
		if invites {
			c.engines[1].Invite(in)
			c.run(10)
		}
		out := c.send(0, r)
		c.run(40)
		want := make([]byte, r.Bytes())
		if r.Body != nil {
			r.Body.Gather(want, 0)
		} else {
			copy(want, r.Buf)
		}
		if !in.Done() || !out.Done() || in.Status.Err != nil || string(got) != string(want) {
			t.Fatalf("message %d of %d bytes: %v, %v, %+v", turn, r.Bytes(), in.Done(), out.Done(), in.Status)
		}
		if (pushes > 0) != halves || (timed > 0) != looks {
			t.Fatalf("message %d of %d bytes: the sender moves %d parts, %d copies are timed", turn, r.Bytes(), pushes, timed)
		}
	}
	message := func(n int) *llc.Request { return &llc.Request{Peer: 1, Buf: pattern(n, turn)} }
	quiet := func(unseen int) {
		t.Helper()
		for _, n := range []int{1, 3, 7, 15, 31, 31} {
			pass(message(quick), true, true)
			for range n {
				pass(message(unseen), true, false)
			}
		}
	}
	quiet(slow)
	for range 3 {
		pass(message(slow), true, true)
	}
	quiet(quick)
	spell := func(n int) {
		t.Helper()
		for i := range 4 {
			pass(message(slow), true, true)
			if i == 2 {
				for deaf = range 2 {
					pass(message(slow), true, true)
				}
				deaf = -1
				pass(message(900), true, false) // more than two parts
			}
		}
		for i := range n {
			if i%16 == 0 {
				pass(message(900), true, false)
			}
			if i%2 == 0 {
				pass(message(quick), false, false)
			} else {
				pass(message(slow), false, false)
			}
		}
	}
	for _, n := range []int{63, 127, 255, 511, 511} {
		spell(n)
	}
	quiet(quick)
	spell(63)

	for range 4 {
		pass(message(slow), true, true)
	}
	invites = true
	for range 127 {
		pass(message(slow), false, false)
	}
	pass(message(slow), false, true) // the receiver is there, and moves both
}

// TestHalvesOversubscribed: where peers share processors no message is timed.
func TestHalvesOversubscribed(t *testing.T) {
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Split, caps.SplitUnit = 400, 300 })
	for i := range c.engines {
		c.engines[i] = llc.New(llc.Config{Self: i, Peers: 3, Caps: c.caps, Oversubscribed: true})
	}
	pushes := 0
	c.net.Refuse = func(from int, cmd *ir.Command) error {
		if cmd.Op == ir.Push {
			pushes++
		}
		if cmd.Timed && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
			t.Errorf("a copy of peer %d is timed", from)
		}
		return nil
	}
	c.connect()
	for range 8 {
		c.recv(1, &llc.Request{Peer: 2, Buf: make([]byte, 8)}) // with nothing else to receive it would move all alone
		in := c.recv(1, &llc.Request{Buf: make([]byte, 600)})
		c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 600)})
		if c.run(40); !in.Done() {
			t.Fatal("the message does not arrive")
		}
	}
	if pushes != 8 {
		t.Errorf("senders move %d parts of 8 messages", pushes)
	}
}

// TestProtocolErrorsAboutTimes: the time of a part is not negative, and only an invitation asks for it.
func TestProtocolErrorsAboutTimes(t *testing.T) {
	c := newHarness(t)
	c.shareTo()
	c.opened()
	early := says(wire.Part, wire.Pair(firstID, 1))
	early.Header.Tag = -1
	c.refuses("-1 ns", early)
	for _, k := range []wire.Kind{wire.Part, wire.CTSStream, wire.FIN} {
		c.refuses("flags", with(says(k, wire.Pair(firstID, 1)), func(h *ir.Header) { h.Flags = wire.Timed }))
	}
	c.refuses("flags", with(says(wire.CTSSplit, firstID), func(h *ir.Header) { h.Flags = wire.Aside }))
}
