package llc_test

import (
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// meets has peer 0 offer n bytes with a type and a tag, and returns what engine 1 finds of the offer after
// spoil.
func (c *harness) meets(out *llc.Request, spoil func(*ir.View)) (o llc.Offer, into []byte, met bool) {
	c.Helper()
	c.lend(out)
	var v ir.View
	if !c.net.Look(1, 0, &v) {
		c.Fatal("no packet")
	}
	if spoil != nil {
		spoil(&v)
	}
	before := llc.Counted(c.engines[1], 0)
	if o, into, met = c.engines[1].Meet(&v); met {
		c.net.Take(1, &v)
		before++
	}
	if c.post(1); llc.Counted(c.engines[1], 0) != before {
		c.Errorf("met %v, and counted as %d packets", met, llc.Counted(c.engines[1], 0)-before)
	}
	return o, into, met
}

// TestMeet: an offer meets a posted receive. The driver reads the message if it is plain, otherwise the
// engine moves it. If no posted receive fits, or the receiver does not move the message alone, it is left to
// the slow path. In each case it goes once, and its memory cannot be reached afterwards.
func TestMeet(t *testing.T) {
	const ctx, typ, tag, n = 3, 7, 5, 400
	for name, c := range map[string]struct {
		change    func(*ir.Caps)
		receive   func(r *llc.Request)
		spoil     func(v *ir.View)
		met, read bool
		refused   bool // by the NIC
		err       error
	}{
		"plain":                     {met: true, read: true},
		"any tag":                   {receive: func(r *llc.Request) { r.Tag = llc.AnyTag }, met: true, read: true},
		"any source":                {receive: func(r *llc.Request) { r.Peer = llc.AnyPeer }, met: true, read: true},
		"larger buffer":             {receive: func(r *llc.Request) { r.Buf = make([]byte, n+1) }, met: true, read: true},
		"one that the NIC refuses":  {met: true, read: true, refused: true},
		"smaller buffer":            {receive: func(r *llc.Request) { r.Buf = r.Buf[:n-1] }, met: true, err: &llc.TruncatedError{}},
		"another type":              {receive: func(r *llc.Request) { r.Type++ }, met: true, err: llc.ErrType},
		"no type":                   {receive: func(r *llc.Request) { r.Type = 0 }, met: true},
		"as long as is moved alone": {change: func(c *ir.Caps) { c.SplitUnit, c.Split = n, n+1 }, met: true, read: true},
		"longer than one copy":      {change: func(c *ir.Caps) { c.SplitUnit = n - 1 }},
		"another tag":               {receive: func(r *llc.Request) { r.Tag++ }},
		"another context":           {receive: func(r *llc.Request) { r.Context++ }},
		"another source":            {receive: func(r *llc.Request) { r.Peer = 2 }},
		"another kind":              {spoil: func(v *ir.View) { v.Head[0] ^= 1 << 34 }},
		"flags":                     {spoil: func(v *ir.View) { v.Head[0] |= 1 << 42 }},
		"a negative tag":            {receive: func(r *llc.Request) { r.Tag = llc.AnyTag }, spoil: func(v *ir.View) { v.Head[1] |= 1 << 63 }},
		"another ring":              {spoil: func(v *ir.View) { v.Ring++ }},
		"nothing":                   {spoil: func(v *ir.View) { v.Head[2] = 0 }},
		"a body in blocks":          {spoil: func(v *ir.View) { v.Data = append(v.Data, 0) }},
		"a damaged body":            {spoil: func(v *ir.View) { v.Data = append([]byte{v.Data[0] ^ 1}, v.Data[1:]...) }},
	} {
		if c.change == nil {
			c.change = func(*ir.Caps) {}
		}
		harness := newHarnessOf(t, c.change)
		harness.connect()
		in := &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, n)}
		if c.receive != nil {
			c.receive(in)
		}
		harness.recv(1, in)
		out := &llc.Request{Peer: 1, Context: ctx, Type: typ, Tag: tag, Buf: pattern(n, 1)}
		o, into, met := harness.meets(out, c.spoil)
		if met != c.met || (into != nil) != c.read {
			t.Errorf("%s: met %v, %d bytes to read", name, met, len(into))
		}
		switch {
		case into == nil:
		case c.refused:
			harness.engines[1].Unread(0, &o)
		default:
			if err := harness.net.Read(1, 0, o.Segment, into); err != nil || o.Bytes != n || o.Tag != tag {
				t.Errorf("%s: %+v, %v", name, o, err)
			}
			harness.engines[1].Fetched(0, &o, false)
			if !in.Done() {
				t.Errorf("%s: the receive is not done", name)
			}
		}
		harness.post(1)
		if !met && in.Context == ctx && in.Peer == 0 && in.Tag == tag && c.err == nil { // as if it had not been asked
			met = true
		}
		if harness.run(20); !met {
			continue
		}
		var want *llc.TruncatedError
		if st := in.Status; !in.Done() || st.Tag != tag || st.Source != 0 || st.Bytes != n ||
			!errors.Is(st.Err, c.err) && !(errors.As(c.err, &want) && errors.As(st.Err, &want)) ||
			!errors.Is(st.Err, llc.ErrType) && string(in.Buf[:min(n, len(in.Buf))]) != string(out.Buf[:min(n, len(in.Buf))]) {
			t.Errorf("%s: done %v, %+v, or damaged", name, in.Done(), st)
		}
		if !out.Done() || harness.net.Exposed(0) != 0 || !harness.engines[0].Idle() || !harness.engines[1].Idle() {
			t.Errorf("%s: done %v; %d segments", name, out.Done(), harness.net.Exposed(0))
		}
	}
}

// TestMeetBehindCopies: an offer does not go before a copy that waits or is under way, and not before packets
// that are missing.
func TestMeetBehindCopies(t *testing.T) {
	for name, wait := range map[string]func(c *harness){
		"a copy": func(c *harness) {
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
		},
		"half a message": func(c *harness) {
			c.half()
			var rest ir.View
			if c.net.Look(1, 0, &rest) { // which the engine is not told of
				c.net.Take(1, &rest)
			}
		},
	} {
		c := newHarness(t)
		c.connect()
		wait(c)
		c.recv(1, &llc.Request{Context: 1, Buf: make([]byte, 400)})
		c.lend(&llc.Request{Peer: 1, Context: 1, Buf: pattern(400, 1)})
		var v ir.View
		if !c.net.Look(1, 0, &v) {
			t.Fatal("no packet")
		}
		if o, _, met := c.engines[1].Meet(&v); met {
			t.Errorf("%+v goes before %s", o, name)
		}
	}
}
