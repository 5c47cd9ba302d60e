package port

import (
	"fmt"
	"testing"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/nictest"
)

// TestDeposits: where peers share processors, a message that might as well be read goes in packets if half of the
// ring stays free and nothing else is under way: its send is complete at once. Otherwise it waits for its receiver.
func TestDeposits(t *testing.T) {
	const ring = 64 << 10
	caps := nictest.DefaultCaps()
	caps.Slots, caps.Bytes, caps.Fragment, caps.Offered, caps.Eager, caps.Split = 64, ring, pipelined, pipelined, ring/4, ring
	start := func(p *Port, n, tag int) *llc.Request {
		r := &llc.Request{Peer: 1, Tag: tag, Buf: payload(tag, n)}
		p.Start(r, true)
		return r
	}
	for _, c := range []struct {
		name   string
		policy wait.Policy
		bytes  int
		under  bool // a receive is under way
		most   int  // messages that go at once
	}{
		{"shared processors", oversubscribed(), caps.Eager, false, 2},
		{"a processor for each", exclusive(), caps.Eager, false, 0},
		{"too long", oversubscribed(), caps.Eager + 1, false, 0},
		{"beside a receive", oversubscribed(), caps.Eager, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ps := openPolicy(t, nictest.LoopbackWith(2, caps, nictest.Hooks{}), c.policy, func(int) Limits { return Limits{} })
			acquaint(t, ps)
			other := &llc.Request{Peer: 1, Tag: 99, Buf: make([]byte, 8)}
			if c.under {
				ps[0].Start(other, false)
			}
			for round := range 3 { // the ring has been read meanwhile
				var rs []*llc.Request
				for done := true; done; {
					r := start(ps[0], c.bytes, len(rs))
					rs, done = append(rs, r), r.Done()
				}
				if len(rs)-1 != c.most {
					t.Errorf("round %d: %d messages go at once, want %d", round, len(rs)-1, c.most)
				}
				for tag := range rs {
					recv(t, ps[1], 0, 0, tag, payload(tag, c.bytes))
				}
				for _, r := range rs {
					if ps[0].Wait(r); r.Status.Err != nil {
						t.Error(r.Status.Err)
					}
				}
			}
			if c.under {
				send(t, ps[1], 0, 0, 99, payload(99, 8))
				ps[0].Wait(other)
			}
		})
	}
}

// TestTrySendLooks: an exchange finds room in a ring that its reader has read since the sender last looked.
func TestTrySendLooks(t *testing.T) {
	for _, n := range []int{pipelined, 2*pipelined + 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			caps := nictest.DefaultCaps()
			caps.Slots, caps.Bytes, caps.Fragment, caps.Eager, caps.Split = 64, 64<<10, pipelined, 4*pipelined, 64<<10
			ps := openPolicy(t, nictest.LoopbackWith(2, caps, nictest.Hooks{}), exclusive(), func(int) Limits { return Limits{} })
			acquaint(t, ps)
			for i := range 50 {
				if !ps[0].TrySend(0, 1, i, payload(i, n)) {
					t.Fatalf("message %d does not go, though the ring is empty", i)
				}
				recv(t, ps[1], 0, 0, i, payload(i, n))
			}
			for i := 0; ps[0].TrySend(0, 1, i, payload(i, n)); i++ {
				if i > caps.Bytes/n {
					t.Fatal("more goes than there is room for")
				}
			}
		})
	}
}
