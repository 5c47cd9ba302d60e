package llc_test

import (
	"slices"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/sim"
	"rhinet/llc/wire"
)

// newStreamHarness is a harness in which long messages go as streams.
func newStreamHarness(t *testing.T) *harness {
	c := newHarness(t)
	c.caps.Remote = false
	c.net = sim.NewNet(3, c.caps, 8, nil)
	for i := range c.engines {
		c.engines[i] = llc.New(llc.Config{Self: i, Peers: 3, Caps: c.caps})
	}
	c.connect()
	return c
}

// sent runs the engines for a number of turns, a share 1/one of them for engine 0, and returns the packets
// that go into rings: 0 for a packet of a message, the receiver's id for a packet of a stream.
func (c *harness) sent(turns, one int) (order []uint32) {
	c.Helper()
	var ev ir.Event
	for turn := range turns {
		for i, e := range c.engines {
			if i == 0 && turn%one != 0 {
				continue
			}
			if !c.net.Poll(i, &ev) {
				e.Retry()
			} else if err := e.Step(&ev); err != nil {
				c.Fatal(err)
			}
			cmds := e.Take()
			for k := range cmds {
				switch h := &cmds[k].Header; {
				case i != 0 || cmds[k].Op != ir.Packet:
				case h.Kind == wire.Data:
					id, _ := wire.Halves(h.Word)
					order = append(order, id)
				case h.Kind == wire.Eager || h.Kind == wire.Fragment:
					order = append(order, 0)
				}
				c.net.Post(i, &cmds[k])
			}
		}
	}
	return order
}

// TestPacketsTakeTurns: streams to one peer go on packet by packet, in turn with each other and with
// messages, from when both are there until one has gone.
func TestPacketsTakeTurns(t *testing.T) {
	for name, messages := range map[string]int{"two streams": 0, "a stream and messages": 30} {
		t.Run(name, func(t *testing.T) {
			one := 1
			if messages > 0 {
				one = 10 // the ring is empty at each turn: in a full one messages go first
			}
			c := newStreamHarness(t)
			streams := 2
			if messages > 0 {
				streams = 1
			}
			for i := range streams {
				c.recv(1, &llc.Request{Peer: 0, Tag: i + 1, Buf: make([]byte, 3000)})
				c.send(0, &llc.Request{Peer: 1, Tag: i + 1, Buf: make([]byte, 3000)})
			}
			for messages > 0 && len(c.sent(1, 1)) == 0 { // until the stream has begun
			}
			for range messages {
				c.recv(1, &llc.Request{Peer: 0, Tag: 9, Buf: make([]byte, 200)})
				c.send(0, &llc.Request{Peer: 1, Tag: 9, Buf: make([]byte, 200)})
			}
			order := c.sent(5000, one)
			first, second := order[0], order[slices.IndexFunc(order, func(k uint32) bool { return k != order[0] })]
			order = order[slices.Index(order, second):]
			last := func(k uint32) int { // up to here both are there
				at := len(order) - 1
				for at > 0 && order[at] != k {
					at--
				}
				return at
			}
			order = order[:min(last(first), last(second))]
			part := 0
			for _, k := range order {
				if k == first {
					part++
				}
			}
			if n := len(order); n < 20 || part < n/4 || part > n-n/4 {
				t.Errorf("%d of %d packets are of one of both: %x", part, n, order)
			}
		})
	}
}

// TestLaneLeavesTurnsToStreams: a message of several packets does not overtake a stream that waits.
func TestLaneLeavesTurnsToStreams(t *testing.T) {
	c := newStreamHarness(t)
	e, n := c.engines[0], 1 // streams leave this much room
	if _, _, _, ok := e.Part(1, 0, 0, n, n); !ok {
		t.Fatal("no room in an empty ring")
	}
	c = newStreamHarness(t)
	e = c.engines[0]
	c.recv(1, &llc.Request{Peer: 0, Tag: 1, Buf: make([]byte, 3000)})
	c.send(0, &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 3000)})
	for i := 0; e.Snapshot().Queued == 0; i++ {
		if i > 100 {
			t.Fatal("the stream does not begin")
		}
		c.run(1)
	}
	if _, _, _, ok := e.Part(1, 0, 0, n, n); ok {
		t.Error("a message passes a stream that waits")
	}
}
