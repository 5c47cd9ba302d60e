package llc_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"rhinet/internal/vec"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// TestLaneTakesWhatIsPlain: anything that makes a message differ from what the receive in the lane takes
// leaves it to the slow path.
func TestLaneTakesWhatIsPlain(t *testing.T) {
	const ctx, typ, tag = 3, 7, 5
	for name, c := range map[string]struct {
		spoil func(c *harness, r *llc.Request, v *ir.View)
		want  bool
	}{
		"plain":           {func(*harness, *llc.Request, *ir.View) {}, true},
		"any tag":         {func(_ *harness, r *llc.Request, _ *ir.View) { r.Tag = llc.AnyTag }, true},
		"larger buffer":   {func(_ *harness, r *llc.Request, _ *ir.View) { r.Buf = make([]byte, 6) }, true},
		"another tag":     {func(_ *harness, r *llc.Request, _ *ir.View) { r.Tag++ }, false},
		"a negative tag":  {func(_ *harness, r *llc.Request, v *ir.View) { r.Tag = llc.AnyTag; v.Head[1] |= 1 << 63 }, false},
		"another context": {func(_ *harness, r *llc.Request, _ *ir.View) { r.Context++ }, false},
		"another type":    {func(_ *harness, r *llc.Request, _ *ir.View) { r.Type++ }, false},
		"no type":         {func(_ *harness, r *llc.Request, _ *ir.View) { r.Type = 0 }, false},
		"another kind":    {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[0] ^= 1 << 33 }, false},
		"flags":           {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[0] |= 1 << 40 }, false},
		"more to come":    {func(_ *harness, r *llc.Request, v *ir.View) { v.Head[2]++; r.Buf = make([]byte, 6) }, true},
		"more than fits":  {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[2]++ }, false},
		"more than named": {func(_ *harness, _ *llc.Request, v *ir.View) { v.Head[2]-- }, false},
		"nothing of more": {func(_ *harness, _ *llc.Request, v *ir.View) { v.Data = nil }, false},
		"more than is eager": {func(c *harness, r *llc.Request, v *ir.View) {
			r.Buf = make([]byte, c.caps.Eager+1)
			v.Head[2] = v.Head[2]>>32<<32 | uint64(len(r.Buf))
		}, false},
		"smaller buffer":     {func(_ *harness, r *llc.Request, _ *ir.View) { r.Buf = r.Buf[:4] }, false},
		"another ring":       {func(_ *harness, _ *llc.Request, v *ir.View) { v.Ring++ }, false},
		"a posted receive":   {func(c *harness, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx}) }, false},
		"one from anybody":   {func(c *harness, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx, Peer: llc.AnyPeer}) }, false},
		"one elsewhere":      {func(c *harness, _ *llc.Request, _ *ir.View) { c.recv(1, &llc.Request{Context: ctx + 1}) }, true},
		"a message":          {func(c *harness, _ *llc.Request, _ *ir.View) { c.send(0, &llc.Request{Peer: 1, Context: ctx}); c.run(5) }, false},
		"half a message":     {func(c *harness, _ *llc.Request, _ *ir.View) { c.half() }, false},
		"the end of a peer":  {func(c *harness, _ *llc.Request, _ *ir.View) { c.engines[1].Lose(0, errors.New("gone")) }, false},
		"the end of another": {func(c *harness, _ *llc.Request, _ *ir.View) { c.engines[1].Lose(2, errors.New("gone")) }, true},
	} {
		harness := newHarness(t)
		harness.connect()
		harness.recv(1, &llc.Request{Context: ctx}) // its queues exist from the first message on
		harness.send(0, &llc.Request{Peer: 1, Context: ctx})
		harness.run(5)
		r := &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, 5)}
		v := &ir.View{Data: []byte("hello")}
		llc.EagerWords(&v.Head, llc.MakeKey(ctx, typ), tag, len(v.Data))
		c.spoil(harness, r, v)
		before := llc.Counted(harness.engines[1], 0)
		e, key := harness.engines[1], llc.MakeKey(r.Context, r.Type)
		n, whole := e.Lane(r.Peer).Whole(key, r.Tag, v.Head[0], v.Head[1]|uint64(len(v.Data)), v.Head[2], v.Ring, len(r.Buf))
		whole = whole && e.Unmet(e.Lane(r.Peer), key)
		size, its, got := harness.engines[1].Accept(r.Peer, llc.MakeKey(r.Context, r.Type), r.Tag, v, len(r.Buf))
		if got {
			vec.Fill(r.Buf, v.Data)
		}
		if got != c.want {
			t.Errorf("%s: accepted %v", name, got)
		}
		if line := got && size == len(v.Data) && r.Tag != llc.AnyTag; whole != line || whole && n != size {
			t.Errorf("%s: accepted %v, as a line %v, with %d bytes", name, got, whole, n)
		}
		if n := llc.Counted(harness.engines[1], 0) - before; n > 1 || (n == 1) != got {
			t.Errorf("%s: accepted %v, and counted as %d packets", name, got, n)
		}
		if c.want && (its != tag || size != int(uint32(v.Head[2])) || string(r.Buf[:5]) != "hello") {
			t.Errorf("%s: %d bytes with tag %d, %q", name, size, its, r.Buf)
		}
		if got := harness.engines[1].Vacant(ctx, 0); !c.want && got && name == "the end of a peer" {
			t.Errorf("%s: whoever waits in the lane waits for ever", name)
		}
	}
}

// half leaves engine 1 with one of two packets of a message, for a posted receive.
func (c *harness) half() {
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

// TestLaneGivesNoLine: there is no line if something must go first, if there is no room, or to a peer that is
// lost.
func TestLaneGivesNoLine(t *testing.T) {
	for name, spoil := range map[string]func(c *harness){
		"no room": func(c *harness) {
			for n := 0; n <= c.caps.Slots; n++ {
				if _, ok := c.engines[0].Direct(1, 0, 8); !ok {
					return
				}
			}
			t.Error("more lines than the ring has")
		},
		"messages wait": func(c *harness) {
			for range c.caps.Slots + 1 {
				c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 100)})
			}
		},
		"the end of the peer": func(c *harness) { c.engines[0].Lose(1, errors.New("gone")) },
	} {
		c := newHarnessOf(t, func(c *ir.Caps) { c.Fragment = 128 })
		c.connect()
		for n, want := range map[int]bool{0: true, ir.Short: true, ir.Short + 1: false} {
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

// TestLanePartsAreThoseOfSend: a message of several packets is cut and placed by the lane as by the slow
// path, until there is no room, and from there the slow path goes on.
func TestLanePartsAreThoseOfSend(t *testing.T) {
	type part struct {
		slot, pos uint64
		bytes     int
	}
	for n := ir.Short + 1; n <= 300; n++ { // as much as is eager
		slots := func(c *ir.Caps) { c.Slots <<= n & 1 } // lines are scarce, or data
		long, lane := newHarnessOf(t, slots), newHarnessOf(t, slots)
		long.connect()
		lane.connect()
		for round := 0; ; round++ {
			var want, got []part
			r := &llc.Request{Peer: 1, Buf: make([]byte, n)}
			long.engines[0].Send(r)
			for _, c := range long.engines[0].Take() {
				if c.Op == ir.Packet {
					want = append(want, part{c.Slot, c.Pos, len(c.Data)})
				}
			}
			gone, whole := 0, lane.engines[0].Whole(1, 0, n, n)
			for gone < n {
				slot, pos, bytes, ok := lane.engines[0].Part(1, 0, gone, n, n)
				if !ok {
					break
				}
				got = append(got, part{slot, pos, bytes})
				gone += bytes
			}
			if whole != (gone == n) {
				t.Fatalf("%d bytes, round %d: whole %v, and %d go", n, round, whole, gone)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d bytes, message %d: parts %v, want %v", n, round, got, want)
			}
			if !r.Done() {
				if gone > 0 {
					lane.engines[0].SendRest(&llc.Request{Peer: 1, Buf: make([]byte, n)}, gone)
				}
				if _, _, _, ok := lane.engines[0].Part(1, 0, 0, n, n); ok && gone > 0 {
					t.Errorf("%d bytes: the next message passes the rest of this one", n)
				}
				break
			}
		}
	}
	c := newHarness(t)
	c.connect()
	if _, _, _, ok := c.engines[0].Part(1, 0, 0, c.caps.Eager+1, c.caps.Eager+1); ok {
		t.Error("a message goes in packets that is too long for them")
	}
	if _, _, _, ok := c.engines[0].Part(2, 0, 0, 100, 100); ok {
		t.Error("a packet for a peer without a ring")
	}
}

// TestLaneTakesWhatFollows: the packets of a message come one after the other, and those that are not there
// yet come by the slow path.
func TestLaneTakesWhatFollows(t *testing.T) {
	body := []byte("hello, world")
	for name, c := range map[string]struct {
		spoil func(v *ir.View)
		want  int
	}{
		"the rest":        {func(*ir.View) {}, 7},
		"less":            {func(v *ir.View) { v.Data = v.Data[:3] }, 3},
		"nothing":         {func(v *ir.View) { v.Data = nil }, 0},
		"more":            {func(v *ir.View) { v.Data = append(v.Data, 'x') }, 0},
		"another place":   {func(v *ir.View) { v.Head[2]++ }, 0},
		"another ring":    {func(v *ir.View) { v.Ring++ }, 0},
		"another kind":    {func(v *ir.View) { v.Head[0] ^= 1 << 34 }, 0},
		"with flags":      {func(v *ir.View) { v.Head[0] |= 1 << 40 }, 0},
		"of some context": {func(v *ir.View) { v.Head[0] |= 1 << 50 }, 0},
	} {
		harness := newHarness(t)
		harness.connect()
		harness.send(0, &llc.Request{Peer: 1})
		harness.run(5) // from now on packets of peer 0 come in its ring
		harness.recv(1, &llc.Request{})
		e, buf := harness.engines[1], make([]byte, len(body))
		v := &ir.View{Data: slices.Clone(body[:5])}
		llc.EagerWords(&v.Head, 0, 9, len(body))
		if size, its, ok := e.Accept(0, 0, llc.AnyTag, v, len(buf)); size != len(body) || its != 9 || !ok {
			t.Fatalf("%s: %d bytes, tag %d, %v", name, size, its, ok)
		}
		vec.Fill(buf, v.Data)
		v = &ir.View{Data: slices.Clone(body[5:])}
		llc.FragmentWords(&v.Head, 5)
		c.spoil(v)
		before := llc.Counted(e, 0)
		n := e.Next(0, v, 5, len(buf))
		copy(buf[5:], v.Data[:n])
		if counted := llc.Counted(e, 0) - before; counted > 1 || (counted == 1) != (n > 0) {
			t.Errorf("%s: %d bytes were taken, and counted as %d packets", name, n, counted)
		}
		if n != c.want || string(buf[5:5+n]) != string(body[5:5+n]) {
			t.Errorf("%s: %d bytes were taken: %q", name, n, buf)
		}
		r := &llc.Request{Peer: 0, Buf: buf}
		if 5+n < len(body) {
			e.AcceptRest(r, len(body), 9, 5+n)
			if e.Vacant(0, 0) {
				t.Errorf("%s: another message may come into the lane while one is half here", name)
			}
			ev := ir.Event{Kind: ir.Arrived, Data: body[5+n:], Header: ir.Header{Kind: wire.Fragment, Word: uint64(5 + n)}}
			if err := e.Step(&ev); err != nil || !r.Done() || r.Status != (llc.Status{Tag: 9, Bytes: int64(len(body))}) || string(buf) != string(body) {
				t.Errorf("%s: %v, done %v, %+v, %q", name, err, r.Done(), r.Status, buf)
			}
		}
	}
}

// TestLaneDelivers: a message in one packet is delivered as Step delivers it, and everything else is left
// alone.
func TestLaneDelivers(t *testing.T) {
	const ctx, typ, tag = 3, 7, 5
	for name, c := range map[string]struct {
		spoil func(c *harness, v *ir.View)
		want  bool
	}{
		"plain":             {func(*harness, *ir.View) {}, true},
		"no receive":        {func(_ *harness, v *ir.View) { v.Head[1] += 1 << 32 }, true},
		"another type":      {func(_ *harness, v *ir.View) { v.Head[2] += 1 << 32 }, true},
		"any type":          {func(_ *harness, v *ir.View) { v.Head[2] &= 1<<32 - 1 }, true},
		"too long":          {func(_ *harness, v *ir.View) { v.Data = make([]byte, 9); v.Head[2] += 4 }, true},
		"a context shut":    {func(c *harness, _ *ir.View) { c.engines[1].Shut(ctx) }, true},
		"a negative tag":    {func(_ *harness, v *ir.View) { v.Head[1] |= 1 << 63 }, false},
		"flags":             {func(_ *harness, v *ir.View) { v.Head[0] |= 1 << 40 }, false},
		"another kind":      {func(_ *harness, v *ir.View) { v.Head[0] ^= 1 << 33 }, false},
		"more to come":      {func(_ *harness, v *ir.View) { v.Head[2]++ }, false},
		"another ring":      {func(_ *harness, v *ir.View) { v.Ring++ }, false},
		"half a message":    {func(c *harness, _ *ir.View) { c.half() }, false},
		"the end of a peer": {func(c *harness, _ *ir.View) { c.engines[1].Lose(0, errors.New("gone")) }, false},
		"more than is eager": {func(c *harness, v *ir.View) {
			v.Data = make([]byte, c.caps.Eager+1)
			v.Head[2] = typ<<32 | uint64(len(v.Data))
		}, false},
	} {
		for posted := 1; posted <= 3; posted += 2 { // alone, and as the first of a series
			name := fmt.Sprintf("%s, %d posted", name, posted)
			delivers(t, name, posted, 1, c.want, func(c *harness) *llc.Request {
				return c.recv(1, &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, 6)})
			}, func(harness *harness) *ir.View {
				v := &ir.View{Data: []byte("hello")}
				llc.EagerWords(&v.Head, llc.MakeKey(ctx, typ), tag, len(v.Data))
				c.spoil(harness, v)
				return v
			})
		}
	}
}

// delivers posts receives and has a message come some times, by Deliver and by Step: both must do the same,
// if Deliver takes it.
func delivers(t *testing.T, name string, posted, times int, want bool, post func(*harness) *llc.Request, message func(*harness) *ir.View) {
	t.Helper()
	var found [2]llc.Snapshot
	var got [2][]llc.Status
	var seen [2]uint32
	for i := range 2 {
		harness := newHarness(t)
		harness.connect()
		var rs []*llc.Request
		for range posted {
			rs = append(rs, post(harness))
		}
		v := message(harness)
		e := harness.engines[1]
		for range times {
			if i == 0 {
				before := e.Snapshot()
				if ok := e.Deliver(v); ok != want {
					t.Errorf("%s: delivered %v", name, ok)
				}
				if after := e.Snapshot(); !want && !reflect.DeepEqual(after, before) {
					t.Errorf("%s: not delivered, and yet %+v became %+v", name, before, after)
				}
			} else {
				ev := ir.Event{Kind: ir.Arrived, Data: v.Data, Ring: ir.Ring(v.Ring)}
				ev.Header.Unpack(&v.Head, len(v.Data))
				_ = e.Step(&ev)
			}
		}
		found[i], seen[i] = e.Snapshot(), llc.Counted(e, 0)
		for _, r := range rs {
			if got[i] = append(got[i], r.Status); r.Done() && r.Status.Err == nil && string(r.Buf[:5]) != "hello" {
				t.Errorf("%s: %q", name, r.Buf)
			}
		}
	}
	if want && (!reflect.DeepEqual(found[0], found[1]) || seen[0] != seen[1] || fmt.Sprint(got[0]) != fmt.Sprint(got[1])) {
		t.Errorf("%s: by the lane %+v, %+v, %d packets seen, by Step %+v, %+v, %d", name, found[0], got[0], seen[0], found[1], got[1], seen[1])
	}
}

// TestSeries: a receive that is posted after two equal ones waits behind them, whatever comes between two of
// them, and gets the messages in the same order as without a series.
func TestSeries(t *testing.T) {
	const ctx, typ, tag, posted = 3, 7, 5, 5
	of := func(change func(r *llc.Request)) func(*harness) *llc.Request {
		n := 0
		return func(c *harness) *llc.Request {
			r := &llc.Request{Context: ctx, Type: typ, Tag: tag, Buf: make([]byte, 6)}
			if n++; n%posted == 3 {
				change(r)
			}
			return c.recv(1, r)
		}
	}
	for name, change := range map[string]func(r *llc.Request){
		"equal":            func(*llc.Request) {},
		"for another tag":  func(r *llc.Request) { r.Tag++ },
		"for any tag":      func(r *llc.Request) { r.Tag = llc.AnyTag },
		"from anyone":      func(r *llc.Request) { r.Peer = llc.AnyPeer },
		"of another type":  func(r *llc.Request) { r.Type++ },
		"another context":  func(r *llc.Request) { r.Context++ },
		"of a shorter one": func(r *llc.Request) { r.Buf = r.Buf[:3] },
	} {
		for times := range posted + 2 {
			delivers(t, fmt.Sprintf("%s, %d messages", name, times), posted, times, true, of(change), func(*harness) *ir.View {
				v := &ir.View{Data: []byte("hello")}
				llc.EagerWords(&v.Head, llc.MakeKey(ctx, typ), tag, len(v.Data))
				return v
			})
		}
	}
}

// TestSeriesEnds: receives of a series fail once their peer is gone, those posted later too.
func TestSeriesEnds(t *testing.T) {
	c := newHarness(t)
	c.connect()
	post := func() *llc.Request { return c.recv(1, &llc.Request{Tag: 5, Buf: make([]byte, 6)}) }
	rs := []*llc.Request{post(), post(), post()}
	c.engines[1].Lose(0, errors.New("gone"))
	for i, r := range append(rs, post()) {
		if !r.Done() || !errors.Is(r.Status.Err, llc.ErrPeerGone) {
			t.Errorf("receive %d: done %v, %v", i, r.Done(), r.Status.Err)
		}
	}
}

// TestSilence: requests that become done are counted, and listed unless the engine is silent.
func TestSilence(t *testing.T) {
	for _, silent := range []bool{false, true} {
		c := newHarness(t)
		c.connect()
		e := c.engines[1]
		e.Silence(silent)
		before := e.Ended()
		r := &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 5), Notify: true}
		e.Recv(r)
		v := &ir.View{Data: []byte("hello")}
		llc.EagerWords(&v.Head, 0, 3, len(v.Data))
		if !e.Deliver(v) || !r.Done() || e.Ended() != before+1 {
			t.Fatalf("silent %v: done %v, %d have ended", silent, r.Done(), e.Ended()-before)
		}
		listed := e.Completed() == r
		if listed == silent || r.Notify == silent || e.Telling() {
			t.Errorf("silent %v: listed %v, Notify %v", silent, listed, r.Notify)
		}
	}
}

// TestWholeIsOnePacket: whatever a lane takes as a whole, it would take anyway, except that a message that is
// longer than its packet is refused.
func TestWholeIsOnePacket(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.send(0, &llc.Request{Peer: 1})
	c.recv(1, &llc.Request{Buf: make([]byte, 1)})
	c.run(5)
	e := c.engines[1]
	for n := range ir.Short + 3 {
		v := &ir.View{Data: make([]byte, n)}
		llc.EagerWords(&v.Head, 0, 5, n)
		w0, w1, w2 := llc.LineWords(0, 5, n)
		if w0 != v.Head[0] || w1 != v.Head[1]|uint64(n) || w2 != v.Head[2] {
			t.Errorf("%d bytes: %x %x %x, want %x", n, w0, w1, w2, v.Head)
		}
		l := e.Lane(0)
		size, ok := l.Whole(0, 5, w0, w1, w2, v.Ring, 150)
		if ok = ok && e.Unmet(l, 0); !ok || size != n {
			t.Errorf("%d bytes: %v, %d", n, ok, size)
		}
		if _, ok := l.Whole(0, 5, w0, w1, w2, v.Ring, n-1); ok && n > 0 {
			t.Errorf("%d bytes are taken into fewer", n)
		}
		if _, ok := l.Whole(0, 5, w0, w1, w2+1, v.Ring, 150); ok {
			t.Errorf("%d bytes of one more are a whole message", n)
		}
		if _, _, ok := e.Accept(0, 0, 5, v, 150); !ok {
			t.Errorf("%d bytes are not accepted", n)
		}
		if _, ok := l.Whole(0, llc.AnyTag, w0, 0xffffffff<<32|uint64(n), w2, v.Ring, 150); ok {
			t.Errorf("%d bytes: a line with no tag", n)
		}
		before := llc.Counted(e, 0)
		if l.Came(); llc.Counted(e, 0) != before+1 {
			t.Error("what came is not counted")
		}
	}
}

// TestLanePartsOfAtMost: packets are as long as the caller and the ring allow, and Whole counts them.
func TestLanePartsOfAtMost(t *testing.T) {
	const n = 300 // as much as is eager
	for most, want := range map[int][]int{
		n: {100, 100, 100}, 80: {80, 80, 80, 60}, 50: {50, 50, 50, 50, 50, 50}, 41: {41, 41, 41, 41, 41, 41, 41, 13},
	} {
		for lines := len(want) - 1; lines <= len(want); lines++ {
			c := newHarnessOf(t, func(c *ir.Caps) { c.Slots, c.Bytes = 16, 2048 })
			c.connect()
			e := c.engines[0]
			for e.Whole(1, 0, lines+1, 1) { // a byte each
				if _, ok := e.Direct(1, 0, 0); !ok {
					t.Fatal("no line, and room for several")
				}
			}
			if whole := e.Whole(1, 0, n, most); whole != (lines >= len(want)) {
				t.Errorf("packets of %d bytes in %d lines: whole %v", most, lines, whole)
			}
			var got []int
			for gone := 0; gone < n; {
				_, _, bytes, ok := e.Part(1, 0, gone, n, most)
				if !ok {
					break
				}
				got, gone = append(got, bytes), gone+bytes
			}
			if !slices.Equal(got, want[:min(lines, len(want))]) {
				t.Errorf("packets of %d bytes in %d lines: %v, want %v", most, lines, got, want)
			}
		}
	}
}
