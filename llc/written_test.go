package llc_test

import (
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// TestWrittenMessages: messages of medium length are offered. After a message that the receiver reports as
// slow to read, writtenFor messages go in packets, and then one is offered again; if that is slow too, twice
// as many go in packets, up to mostWrittenFor, until enough are fast. Shorter messages, and noncontiguous
// ones, always go in packets, longer ones never.
func TestWrittenMessages(t *testing.T) {
	const slow, quick = 150, 151 // as the simulated NIC reports it
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Offered = 100 })
	c.connect()
	turn := 0
	pass := func(r *llc.Request, offered bool) {
		t.Helper()
		turn++
		n, before := r.Bytes(), llc.Counted(c.engines[1], 0)
		got := make([]byte, n)
		in := c.recv(1, &llc.Request{Buf: got})
		out := c.send(0, r)
		c.run(20)
		want := r.Buf
		if r.Body != nil {
			want = make([]byte, n)
			r.Body.Gather(want, 0)
		}
		if !in.Done() || !out.Done() || in.Status.Err != nil || string(got) != string(want) {
			t.Fatalf("message %d of %d bytes: %v, %v, %+v", turn, n, in.Done(), out.Done(), in.Status)
		}
		packets := llc.Counted(c.engines[1], 0) - before
		if whole := uint32((n + 99) / 100); offered && packets != 1 || !offered && packets != whole {
			t.Fatalf("message %d of %d bytes: %d packets, offered: %v", turn, n, packets, offered)
		}
	}
	message := func(n int) *llc.Request { return &llc.Request{Peer: 1, Buf: pattern(n, turn)} }
	for range 3 {
		pass(message(quick), true)
	}
	spell := func(n int) {
		t.Helper()
		pass(message(slow), true)
		for i := range n {
			if i%3 == 0 {
				pass(message(100), false) // does not count
				pass(message(301), true)
			}
			if i%2 == 0 {
				pass(message(quick), false)
			} else {
				pass(message(slow), false)
			}
		}
	}
	for _, n := range []int{63, 127, 255, 511, 511} {
		spell(n)
	}
	for range 7 {
		pass(message(quick), true)
	}
	spell(511) // the eighth is slow
	for range 8 {
		pass(message(quick), true)
	}
	spell(63)
	for range 9 {
		pass(message(quick), true)
	}
	var both [2]*llc.Request // on their way together: their reports count once
	for i := range both {
		c.recv(1, &llc.Request{Buf: make([]byte, slow)})
		both[i] = c.send(0, message(slow))
	}
	if c.run(20); !both[0].Done() || !both[1].Done() {
		t.Fatal("two messages at once do not arrive")
	}
	for range 63 {
		pass(message(quick), false)
	}
	pass(message(quick), true)
	pass(&llc.Request{Peer: 1, Mode: llc.Scattered, Body: body(quick, pattern(quick, 1))}, false)
	sync := message(quick)
	sync.Mode = llc.Synchronous
	pass(sync, true)
}

// TestProtocolErrorsAboutSlowness: a FIN says one of two things, and only of a message that exists.
func TestProtocolErrorsAboutSlowness(t *testing.T) {
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Offered = 100 })
	c.connect()
	flags := func(f uint8) func(*ir.Header) { return func(h *ir.Header) { h.Flags = f } }
	c.refuses("flags 0xc", with(says(wire.FIN, 0), flags(wire.Slow|wire.Failed)))
	c.refuses("no transfer", with(says(wire.FIN, 0), flags(wire.Slow)))
	if c.engines[1].Packs(0, 200) {
		t.Error("what was refused has been heeded")
	}
}

// TestWrittenOversubscribed: where peers share processors, only the shorter ones of the messages that have just
// been written go in packets.
func TestWrittenOversubscribed(t *testing.T) {
	for _, oversubscribed := range []bool{false, true} {
		caps := ir.Caps{Rings: 1, Slots: 64, Bytes: 1 << 18, Fragment: 1 << 14, Eager: 64 << 10, Offered: 16 << 10, Remote: true, Copies: 1}
		e := llc.New(llc.Config{Peers: 2, Caps: caps, Oversubscribed: oversubscribed})
		for n, want := range map[int]bool{16 << 10: true, 32 << 10: true, 32<<10 + 1: !oversubscribed, 64 << 10: !oversubscribed, 64<<10 + 1: false} {
			if got := llc.WrittenPacks(e, 1, n); got != want {
				t.Errorf("oversubscribed %v, %d bytes: in packets %v", oversubscribed, n, got)
			}
		}
	}
}
