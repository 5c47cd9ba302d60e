package llc_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/sim"
)

// A crossing is three engines with rings between all. Peer 1 sends a long message to peer 0, and a small one
// comes to one of the two at the worst moment: when a copy has just begun there. The network answers commands
// before it shows packets.
type crossing struct {
	*testing.T
	net     *sim.Net
	engines []*llc.Engine
	meet    func(at int, cmd *ir.Command) // called before a command is carried out
}

// crossingCaps have a quantum of 1000 bytes, and brief ones of 125.
func crossingCaps(copies, split int) ir.Caps {
	return ir.Caps{
		Name: "crossing", Remote: true, Rings: 4, Slots: 64, Bytes: 4096, Words: 2, Fragment: 100, Eager: 100,
		Split: split, SplitUnit: 1000, Copies: copies,
	}
}

func newCrossing(t *testing.T, caps ir.Caps) *crossing { return newCrossingBy(t, caps, 0) }

// newCrossingBy is newCrossing for NICs with so many injection ports.
func newCrossingBy(t *testing.T, caps ir.Caps, ports int) *crossing {
	c := &crossing{T: t, net: sim.NewNet(3, caps, 8, nil), meet: func(int, *ir.Command) {}}
	for i := range 3 {
		c.engines = append(c.engines, llc.New(llc.Config{Self: i, Peers: 3, Caps: caps, Ports: ports}))
	}
	c.net.Ports = ports
	for i := range c.engines {
		for k := range c.engines {
			if i != k {
				c.recv(k, i, 0, nil)
				c.send(i, k, 0, nil)
			}
		}
	}
	for range 40 {
		c.turns()
	}
	return c
}

func (c *crossing) send(from, to, tag int, b []byte) *llc.Request {
	r := &llc.Request{Peer: to, Tag: tag, Buf: b}
	c.engines[from].Send(r)
	c.post(from)
	return r
}

func (c *crossing) recv(at, from, tag int, b []byte) *llc.Request {
	r := &llc.Request{Peer: from, Tag: tag, Buf: b}
	c.engines[at].Recv(r)
	c.post(at)
	return r
}

func (c *crossing) post(i int) {
	for _, cmd := range slices.Clone(c.engines[i].Take()) {
		c.meet(i, &cmd)
		c.net.Post(i, &cmd)
	}
}

// turn gives an engine one event, or a retry.
func (c *crossing) turn(i int) {
	c.Helper()
	var ev ir.Event
	if !c.net.Poll(i, &ev) {
		c.engines[i].Retry()
	} else if err := c.engines[i].Step(&ev); err != nil {
		c.Fatalf("engine %d: %v", i, err)
	}
	c.post(i)
}

func (c *crossing) turns() {
	for i := range c.engines {
		c.turn(i)
	}
}

// until turns all engines until all requests are done.
func (c *crossing) until(all ...*llc.Request) {
	c.Helper()
	for range 10000 {
		if !slices.ContainsFunc(all, func(r *llc.Request) bool { return !r.Done() }) {
			return
		}
		c.turns()
	}
	c.Fatal("not done")
}

// waits returns how many bytes engine at copies of a long message of so many bytes while a small one for it
// is there, which comes when the engine begins its n-th copy. With attend the program waits for the small
// message.
func waits(t *testing.T, caps ir.Caps, ports, bulk, at, from, n int, attend bool) (copied int) {
	t.Helper()
	c := newCrossingBy(t, caps, ports)
	want := pattern(bulk, 1)
	long, got := c.recv(0, 1, 1, make([]byte, bulk)), make([]byte, 1)
	small, seen := c.recv(at, from, 2, got), 0
	c.meet = func(i int, cmd *ir.Command) {
		if i != at || cmd.Op != ir.Pull && cmd.Op != ir.Push {
			return
		}
		if seen++; seen == n {
			meet := c.meet
			c.meet = func(int, *ir.Command) {}
			c.send(from, at, 2, []byte{7})
			c.meet = meet
		}
		if seen >= n && !small.Done() {
			copied += len(cmd.Data)
		}
	}
	if attend {
		c.engines[at].Attend(1)
	}
	sent := c.send(1, 0, 1, want)
	c.until(long, sent)
	if seen < n { // there were fewer copies
		c.send(from, at, 2, []byte{7})
	}
	c.until(small)
	if !bytes.Equal(long.Buf, want) || got[0] != 7 {
		t.Fatalf("%d bytes, %d: wrong bytes", bulk, at)
	}
	return copied
}

// TestSmallMessagesGoFirst counts exactly what a small message waits for: all that is left of a long message
// where the NIC moves it in one command or copies while the processor goes on, otherwise one quantum. This
// holds at both sides of the long message, for a small one from the same peer and from another.
func TestSmallMessagesGoFirst(t *testing.T) {
	const bulk, unit, never = 64000, 1000, 1 << 30
	for _, tt := range []struct {
		name          string
		copies, split int
		at, from      int
		attend        bool
		second, fifth int // bytes copied beside a small message that comes during the second copy, and the fifth
	}{
		{"at once, pulled", 2, never, 0, 2, false, 0, 0}, // there is one copy
		{"at once, shared", 2, 2000, 0, 2, false, 32000 - unit, 32000 - 4*unit},
		{"pulled", 1, never, 0, 2, false, unit, unit},
		{"pulled, same peer", 1, never, 0, 1, false, unit, unit},
		{"pulled, waited for", 1, never, 0, 2, true, unit / 8, unit / 8},
		{"shared, at the receiver", 1, 2000, 0, 2, false, unit, unit},
		{"shared, at the receiver, same peer", 1, 2000, 0, 1, false, unit, unit},
		{"shared, at the receiver, waited for", 1, 2000, 0, 2, true, unit / 8, unit / 8},
		{"shared, at the sender", 1, 2000, 1, 2, false, unit, unit},
		{"shared, at the sender, same peer", 1, 2000, 1, 0, false, unit, unit},
		{"shared, at the sender, waited for", 1, 2000, 1, 2, true, unit / 8, unit / 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			caps := crossingCaps(tt.copies, tt.split)
			for n, want := range map[int]int{2: tt.second, 5: tt.fifth} {
				if got := waits(t, caps, 0, bulk, tt.at, tt.from, n, tt.attend); got != want {
					t.Errorf("the small message meets copy %d: %d bytes are copied while it waits, want %d", n, got, want)
				}
			}
		})
	}
}

// TestSmallMessagesGoFirstByPorts: however many ports carry out a long message, a small one waits for at most
// one quantum of all of them, and for less if some have begun before.
func TestSmallMessagesGoFirstByPorts(t *testing.T) {
	const bulk, ports, part, brief = 64000, 4, 256, 32
	for _, split := range []int{1 << 30, 2000} {
		caps := crossingCaps(1, split)
		caps.SplitUnit = ports * part
		for n, left := range map[int]int{1: 4, 2: 3, 4: 1, 5: 4} {
			if got := waits(t, caps, ports, bulk, 0, 2, n, false); got != left*part {
				t.Errorf("the small message meets copy %d: %d bytes are copied while it waits, want %d", n, got, left*part)
			}
		}
		if got := waits(t, caps, ports, bulk, 0, 2, 2, true); got != 3*brief {
			t.Errorf("the program waits for the small message: %d bytes are copied, want %d", got, 3*brief)
		}
	}
}

// copies runs a crossing until all requests are done and returns what engine at
// copies, by peer.
func (c *crossing) copies(at int, all ...*llc.Request) (list []ir.Command) {
	c.Helper()
	c.meet = func(i int, cmd *ir.Command) {
		if i == at && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
			list = append(list, *cmd)
		}
	}
	c.until(all...)
	return list
}

// TestTransfersTakeTurns: transfers take turns quantum by quantum, though each could be moved at once.
func TestTransfersTakeTurns(t *testing.T) {
	c := newCrossing(t, crossingCaps(1, 1<<30))
	a, b := c.recv(0, 1, 1, make([]byte, 5000)), c.recv(0, 2, 1, make([]byte, 4500))
	c.send(1, 0, 1, pattern(5000, 1))
	c.send(2, 0, 1, pattern(4500, 1))
	order := ""
	for _, cmd := range c.copies(0, a, b) {
		order += fmt.Sprintf(" %d:%d+%d", cmd.Peer, cmd.Offset, len(cmd.Data))
	}
	if want := " 1:0+1000 1:1000+1000 2:0+1000 1:2000+1000 2:1000+1000 1:3000+1000 2:2000+1000 1:4000+1000 2:3000+1000 2:4000+500"; order != want {
		t.Errorf("copies are%s, want%s", order, want)
	}
}

// TestFloodDoesNotStarveCopies: however many small messages come, a copy begins after patience events.
func TestFloodDoesNotStarveCopies(t *testing.T) {
	c := newCrossing(t, crossingCaps(1, 1<<30))
	long := c.recv(0, 1, 1, make([]byte, 8000))
	c.send(1, 0, 1, pattern(8000, 1))
	copies, since, most := 0, 0, 0
	c.meet = func(i int, cmd *ir.Command) {
		if i == 0 && cmd.Op == ir.Pull {
			copies, since = copies+1, 0
		}
	}
	for !long.Done() {
		c.recv(0, 2, 2, make([]byte, 1))
		c.send(2, 0, 2, []byte{1})
		c.turns()
		if since++; copies > 0 && copies < 8 {
			most = max(most, since)
		}
		if since > 1000 {
			t.Fatalf("no copy for %d events, after %d copies", since, copies)
		}
	}
	if copies != 8 || most != llc.Patience {
		t.Errorf("%d copies, and at most %d events between two; want 8 and %d", copies, most, llc.Patience)
	}
}

// TestAttentionEnds: a wait that is long, or for a long message, does not cut copies short.
func TestAttentionEnds(t *testing.T) {
	lengths := func(attend ...int) (list []int) {
		c := newCrossing(t, crossingCaps(1, 1<<30))
		long := c.recv(0, 1, 1, make([]byte, 4000))
		for _, n := range attend {
			c.engines[0].Attend(n)
		}
		c.send(1, 0, 1, pattern(4000, 1))
		for _, cmd := range c.copies(0, long) {
			list = append(list, len(cmd.Data))
		}
		return list
	}
	whole := []int{1000, 1000, 1000, 1000}
	for _, tt := range []struct {
		attend []int
		want   []int
	}{
		{nil, whole},
		{[]int{100}, []int{125, 125, 125, 125, 125, 125, 125, 125, 1000, 1000, 1000}},
		{[]int{101}, whole},
		{[]int{100, 101}, whole},
	} {
		if got := lengths(tt.attend...); !slices.Equal(got, tt.want) {
			t.Errorf("waits for %d bytes: copies of %d, want %d", tt.attend, got, tt.want)
		}
	}
}

// TestBriefCopiesHaveALimit: however much a NIC copies at once, a brief copy is 32 KiB at most.
func TestBriefCopiesHaveALimit(t *testing.T) {
	const n = 1 << 20
	caps := crossingCaps(1, 1<<30)
	caps.SplitUnit = n
	c := newCrossing(t, caps)
	long := c.recv(0, 1, 1, make([]byte, n))
	c.engines[0].Attend(100)
	c.send(1, 0, 1, pattern(n, 1))
	var got []int
	for _, cmd := range c.copies(0, long) {
		got = append(got, len(cmd.Data))
	}
	if want := append(slices.Repeat([]int{32 << 10}, 8), n-8*32<<10); !slices.Equal(got, want) {
		t.Errorf("copies of %d, want %d", got, want)
	}
}

// TestCopiesAreLeftToWaits: a driver that only looks leaves a copy to the next wait for a small message, as
// often as there may be one soon, and only a copy that may begin.
func TestCopiesAreLeftToWaits(t *testing.T) {
	c := newCrossing(t, crossingCaps(1, 1<<30))
	long, e := c.recv(0, 1, 1, make([]byte, 3000)), c.engines[0]
	if e.Attend(8); e.Leaves() {
		t.Error("it leaves a copy without a transfer")
	}
	c.send(1, 0, 1, pattern(3000, 1))
	for !e.Flying() { // until a copy waits
		c.turn(1)
		var ev ir.Event
		if c.net.Poll(0, &ev) {
			if err := e.Step(&ev); err != nil {
				t.Fatal(err)
			}
		}
		c.post(0)
	}
	for i := range 7 { // the first copy was one of eight
		if !e.Leaves() {
			t.Errorf("look %d does not leave the copy", i)
		}
	}
	if e.Leaves() {
		t.Error("copies are left for ever")
	}
	c.until(long)
}

// TestDriverStaysAwakeForCopies: a copy that waits for the driver is work to do.
func TestDriverStaysAwakeForCopies(t *testing.T) {
	c := newCrossing(t, crossingCaps(1, 1<<30))
	long := c.recv(0, 1, 1, make([]byte, 3000))
	c.send(1, 0, 1, pattern(3000, 1))
	e := c.engines[0]
	for waits := 0; !long.Done(); {
		var ev ir.Event
		if c.net.Poll(0, &ev) {
			if err := e.Step(&ev); err != nil {
				t.Fatal(err)
			}
		} else if e.Snapshot().Transfers > 0 {
			if waits++; !e.Flying() || !e.Retry() || waits > 2 {
				t.Fatalf("look %d in vain: no copy begins", waits)
			}
		}
		c.post(0)
		c.turn(1)
	}
	if e.Retry() || e.Flying() || e.Owed() {
		t.Error("there is work without a transfer")
	}
}
