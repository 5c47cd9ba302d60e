package llc_test

import (
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// lend has engine 0 offer n bytes to 1 by the lane of offers.
func (c *harness) lend(r *llc.Request) *llc.Request {
	c.Helper()
	if !c.engines[0].Offers(r.Peer, len(r.Buf)) {
		c.Fatal("a long message to a peer with a ring is not offered")
	}
	s, err := c.net.Lend(0, r.Peer, r.Buf)
	if err != nil {
		c.Fatal(err)
	}
	c.engines[0].Offer(r, s)
	c.post(0)
	return r
}

// TestLaneOfOffers: an offer that differs from what the receive in the lane takes, or that its receiver does
// not move alone, is left to the slow path. A fetch ends the send, and its memory cannot be reached
// afterwards.
func TestLaneOfOffers(t *testing.T) {
	const ctx, typ, tag, n = 3, 7, 5, 400
	for name, c := range map[string]struct {
		spoil func(c *harness, r *llc.Request, v *ir.View)
		want  bool
	}{
		"plain":             {func(*harness, *llc.Request, *ir.View) {}, true},
		"any tag":           {func(_ *harness, r *llc.Request, _ *ir.View) { r.Tag = llc.AnyTag }, true},
		"larger buffer":     {func(_ *harness, r *llc.Request, _ *ir.View) { r.Buf = make([]byte, n+1) }, true},
		"smaller buffer":    {func(_ *harness, r *llc.Request, _ *ir.View) { r.Buf = r.Buf[:n-1] }, false},
		"another tag":       {func(_ *harness, r *llc.Request, _ *ir.View) { r.Tag++ }, false},
		"a negative tag":    {func(_ *harness, r *llc.Request, v *ir.View) { r.Tag = llc.AnyTag; v.Head[1] |= 1 << 63 }, false},
		"another context":   {func(_ *harness, r *llc.Request, _ *ir.View) { r.Context++ }, false},
		"another type":      {func(_ *harness, r *llc.Request, _ *ir.View) { r.Type++ }, false},
		"another kind":      {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[0] ^= 1 << 34 }, false},
		"flags":             {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[0] |= 1 << 42 }, false},
		"another ring":      {func(_ *harness, _ *llc.Request, v *ir.View) { v.Ring++ }, false},
		"nothing":           {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[2] = 0 }, false},
		"another size":      {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[2]-- }, false},
		"a body in blocks":  {func(_ *harness, _ *llc.Request, v *ir.View) { v.Data = append(v.Data, 0) }, false},
		"a damaged body":    {func(_ *harness, _ *llc.Request, v *ir.View) { v.Data[0] ^= 1 }, false},
		"a posted receive":  {func(c *harness, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx}) }, false},
		"one elsewhere":     {func(c *harness, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx + 1}) }, true},
		"the end of a peer": {func(c *harness, _ *llc.Request, _ *ir.View) { c.engines[1].Lose(0, errors.New("gone")) }, false},
	} {
		harness := newHarness(t)
		harness.connect()
		harness.recv(1, &llc.Request{Context: ctx}) // its queues exist from the first message on
		harness.send(0, &llc.Request{Peer: 1, Context: ctx})
		harness.run(5)
		out := harness.lend(&llc.Request{Peer: 1, Context: ctx, Type: typ, Tag: tag, Buf: pattern(n, 1)})
		r := &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, n)}
		var v ir.View
		if !harness.net.Look(1, 0, &v) {
			t.Fatal("no packet")
		}
		c.spoil(harness, r, &v)
		before := llc.Counted(harness.engines[1], 0)
		o, got := harness.engines[1].Offered(r.Peer, llc.MakeKey(r.Context, r.Type), r.Tag, &v, len(r.Buf))
		if got != c.want || llc.Counted(harness.engines[1], 0) != before {
			t.Errorf("%s: offered %v, and counted as %d packets", name, got, llc.Counted(harness.engines[1], 0)-before)
		}
		if !got {
			continue
		}
		if err := harness.net.Read(1, 0, o.Segment, r.Buf[:o.Bytes]); err != nil || o.Bytes != n || o.Tag != tag || string(r.Buf[:n]) != string(pattern(n, 1)) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
		harness.net.Take(1, &v)
		harness.engines[1].Fetched(0, &o, false)
		if harness.post(1); llc.Counted(harness.engines[1], 0) != before+1 {
			t.Errorf("%s: counted as %d packets", name, llc.Counted(harness.engines[1], 0)-before)
		}
		harness.run(5)
		if !out.Done() || out.Status.Err != nil || harness.net.Exposed(0) != 0 || !harness.engines[0].Idle() {
			t.Errorf("%s: done %v, %v; %d segments, idle %v", name, out.Done(), out.Status.Err, harness.net.Exposed(0), harness.engines[0].Idle())
		}
	}
}

// TestOfferBehindCopies: a message by the lane of offers does not go before a copy that is under way.
func TestOfferBehindCopies(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.recv(1, &llc.Request{Peer: 2, Buf: make([]byte, 400)})
	c.send(2, &llc.Request{Peer: 1, Buf: pattern(400, 2)})
	var ev ir.Event
	for turn := 0; c.engines[1].Snapshot().Copies == 0; turn++ { // and is not posted
		if turn == 100 {
			t.Fatal("no copy")
		}
		if c.net.Poll(2, &ev) {
			_ = c.engines[2].Step(&ev)
		}
		if c.post(2); c.net.Poll(1, &ev) {
			_ = c.engines[1].Step(&ev)
		}
	}
	c.lend(&llc.Request{Peer: 1, Context: 1, Buf: pattern(400, 1)})
	var v ir.View
	if !c.net.Look(1, 0, &v) {
		t.Fatal("no packet")
	}
	if o, ok := c.engines[1].Offered(0, llc.MakeKey(1, 0), 0, &v, 400); ok {
		t.Errorf("%+v goes before a copy that is under way", o)
	}
}

// TestOffersByLane: which messages are offered by the lane, and that such a message is also received by the
// slow path, in its place among others.
func TestOffersByLane(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ir.Caps)
		spoil  func(*harness)
		peer   int
		n      int
		want   bool
	}{
		"long":         {n: 301, peer: 1, want: true},
		"the longest":  {n: 1999, peer: 1, want: true},
		"split":        {n: 2000, peer: 1},
		"eager":        {n: 300, peer: 1},
		"no ring yet":  {n: 301, peer: 2},
		"itself":       {n: 301, peer: 0},
		"not remote":   {n: 301, peer: 1, change: func(c *ir.Caps) { c.Remote = false }},
		"gone":         {n: 301, peer: 1, spoil: func(c *harness) { c.engines[0].Lose(1, errors.New("gone")) }},
		"no transfers": {n: 301, peer: 1, spoil: func(c *harness) { llc.LimitTransfers(c.engines[0], 0) }},
	} {
		if c.change == nil {
			c.change = func(*ir.Caps) {}
		}
		harness := newHarnessOf(t, c.change)
		harness.connect()
		if c.spoil != nil {
			c.spoil(harness)
		}
		if got := harness.engines[0].Offers(c.peer, c.n); got != c.want {
			t.Errorf("%s: offered %v", name, got)
		}
	}
	harness := newHarness(t)
	harness.connect()
	var sends, recvs []*llc.Request
	for i, n := range []int{10, 500, 20, 1500, 30} {
		r := &llc.Request{Peer: 1, Tag: i, Buf: pattern(n, 1)}
		if n > harness.caps.Eager {
			sends = append(sends, harness.lend(r))
		} else {
			sends = append(sends, harness.send(0, r))
		}
		recvs = append(recvs, harness.recv(1, &llc.Request{Tag: llc.AnyTag, Buf: make([]byte, n)}))
	}
	harness.run(60)
	for i, r := range recvs {
		if !sends[i].Done() || !r.Done() || r.Status.Err != nil || r.Status.Tag != i || string(r.Buf) != string(sends[i].Buf) {
			t.Errorf("message %d: sent %v, received %v, %+v", i, sends[i].Done(), r.Done(), r.Status)
		}
	}
	if n := harness.net.Exposed(0) + harness.net.Exposed(1); n != 0 {
		t.Errorf("%d segments are exposed", n)
	}
}

// TestNoOfferAlone: a message that both sides move, and one that the NIC cannot reach, are left to the slow
// path.
func TestNoOfferAlone(t *testing.T) {
	for name, change := range map[string]func(*ir.Caps){
		"split":      func(c *ir.Caps) { c.Split = 350 },
		"not remote": func(c *ir.Caps) { c.Remote = false },
	} {
		c := newHarnessOf(t, change)
		c.connect()
		c.send(0, &llc.Request{Peer: 1, Buf: pattern(400, 1)})
		var ev ir.Event
		for c.net.Poll(0, &ev) { // its segment
			_ = c.engines[0].Step(&ev)
			c.post(0)
		}
		var v ir.View
		if !c.net.Look(1, 0, &v) {
			t.Fatalf("%s: no packet", name)
		}
		if o, ok := c.engines[1].Offered(0, 0, 0, &v, 400); ok {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
