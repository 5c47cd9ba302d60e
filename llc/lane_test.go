package llc_test

import (
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// TestLaneTakesWhatIsPlain: each thing that makes a message another one than the
// receive in the lane takes leaves it to the long way.
func TestLaneTakesWhatIsPlain(t *testing.T) {
	const ctx, typ, tag = 3, 7, 5
	for name, c := range map[string]struct {
		spoil func(c *court, r *llc.Request, v *ir.View)
		want  bool
	}{
		"plain":              {func(*court, *llc.Request, *ir.View) {}, true},
		"any tag":            {func(_ *court, r *llc.Request, _ *ir.View) { r.Tag = llc.AnyTag }, true},
		"larger buffer":      {func(_ *court, r *llc.Request, _ *ir.View) { r.Buf = make([]byte, 6) }, true},
		"another tag":        {func(_ *court, r *llc.Request, _ *ir.View) { r.Tag++ }, false},
		"a negative tag":     {func(_ *court, r *llc.Request, v *ir.View) { r.Tag = llc.AnyTag; v.Head[1] |= 1 << 63 }, false},
		"another context":    {func(_ *court, r *llc.Request, _ *ir.View) { r.Context++ }, false},
		"another type":       {func(_ *court, r *llc.Request, _ *ir.View) { r.Type++ }, false},
		"no type":            {func(_ *court, r *llc.Request, _ *ir.View) { r.Type = 0 }, false},
		"another kind":       {func(_ *court, _ *llc.Request, v *ir.View) { v.Head[0] ^= 1 << 33 }, false},
		"flags":              {func(_ *court, _ *llc.Request, v *ir.View) { v.Head[0] |= 1 << 40 }, false},
		"more to come":       {func(_ *court, _ *llc.Request, v *ir.View) { v.Head[2]++ }, false},
		"smaller buffer":     {func(_ *court, r *llc.Request, _ *ir.View) { r.Buf = r.Buf[:4] }, false},
		"another ring":       {func(_ *court, _ *llc.Request, v *ir.View) { v.Ring++ }, false},
		"a posted receive":   {func(c *court, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx}) }, false},
		"one from anybody":   {func(c *court, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx, Peer: llc.AnyPeer}) }, false},
		"one elsewhere":      {func(c *court, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx + 1}) }, true},
		"a message":          {func(c *court, _ *llc.Request, _ *ir.View) { c.send(0, &llc.Request{Peer: 1, Context: ctx}); c.run(5) }, false},
		"half a message":     {func(c *court, _ *llc.Request, _ *ir.View) { c.half() }, false},
		"the end of a peer":  {func(c *court, _ *llc.Request, _ *ir.View) { c.engines[1].Lose(0, errors.New("gone")) }, false},
		"the end of another": {func(c *court, _ *llc.Request, _ *ir.View) { c.engines[1].Lose(2, errors.New("gone")) }, true},
	} {
		court := newCourt(t)
		court.connect()
		court.recv(1, &llc.Request{Context: ctx}) // whose queues are there from the first message on
		court.send(0, &llc.Request{Peer: 1, Context: ctx})
		court.run(5)
		r := &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, 5)}
		v := &ir.View{Data: []byte("hello")}
		llc.EagerWords(&v.Head, llc.MakeKey(ctx, typ), tag, len(v.Data))
		c.spoil(court, r, v)
		if got := court.engines[1].Accept(r, v); got != c.want || r.Done() != c.want {
			t.Errorf("%s: accepted %v, done %v", name, got, r.Done())
		}
		if c.want && (r.Status.Source != 0 || r.Status.Tag != tag || r.Status.Bytes != 5 || string(r.Buf[:5]) != "hello") {
			t.Errorf("%s: %+v, %q", name, r.Status, r.Buf)
		}
		if got := court.engines[1].Vacant(ctx, 0); !c.want && got && name == "the end of a peer" {
			t.Errorf("%s: whoever waits in the lane waits for ever", name)
		}
	}
}

// half leaves engine 1 with one packet of a message that has two, for a receive that
// is posted.
func (c *court) half() {
	c.Helper()
	c.recv(1, &llc.Request{Tag: 1, Buf: make([]byte, 150)})
	c.send(0, &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 150)})
	var ev ir.Event
	if !c.net.Poll(1, &ev) || ev.Kind != ir.Arrived {
		c.Fatalf("%+v", ev)
	}
	if err := c.engines[1].Step(&ev); err != nil {
		c.Fatal(err)
	}
}

// TestLaneGivesNoLine: where something waits that must go before, where there is no
// room, and to a peer that is lost.
func TestLaneGivesNoLine(t *testing.T) {
	for name, spoil := range map[string]func(c *court){
		"no room": func(c *court) {
			for n := 0; n <= c.caps.Slots; n++ {
				if _, ok := c.engines[0].Direct(1, 0, 8); !ok {
					return
				}
			}
			t.Error("more lines than the ring has")
		},
		"messages wait": func(c *court) {
			for range c.caps.Slots + 1 {
				c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 100)})
			}
		},
		"the end of the peer": func(c *court) { c.engines[0].Lose(1, errors.New("gone")) },
	} {
		c := newCourt(t)
		c.connect()
		for n, want := range map[int]bool{0: true, ir.Inline: true, ir.Inline + 1: false} {
			if _, ok := c.engines[0].Direct(1, 0, n); ok != want {
				t.Errorf("%d bytes: %v", n, ok)
			}
		}
		if _, ok := c.engines[0].Direct(2, 0, 0); ok {
			t.Error("a line to a peer without a ring")
		}
		spoil(c)
		if _, ok := c.engines[0].Direct(1, 0, 8); ok {
			t.Errorf("%s: there is a line", name)
		}
	}
}
