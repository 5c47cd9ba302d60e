package llc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/strided"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/llc/wire"
)

// A torn is a message in pieces of a list, in memory that is 0xee between them.
type torn struct {
	mem []byte
	in  strided.Blocks
}

// tear returns a torn of n bytes in pieces of piece bytes and of one less, in turn, out of order in memory,
// with the bytes of want or of zeros.
func tear(n, piece, seed int, want []byte) *torn {
	var lens []int
	for left := n; left > 0; left -= lens[len(lens)-1] {
		lens = append(lens, min(left, piece-len(lens)%2))
	}
	t := &torn{mem: bytes.Repeat([]byte{0xee}, 2*piece*len(lens))}
	for i, part := range lens {
		t.in.List = t.in.List.Add(2*piece*((i+seed)%len(lens)), part)
	}
	t.Scatter(want, 0)
	return t
}

func (t *torn) Size() int { return t.in.List.Bytes() }

func (t *torn) Gather(dst []byte, off int) {
	strided.Move{Bytes: len(dst), There: off, Their: t.in}.Copy(dst, 0, t.mem, false)
}

func (t *torn) Scatter(src []byte, off int) {
	strided.Move{Bytes: len(src), There: off, Their: t.in}.Copy(src, 0, t.mem, true)
}

func (t *torn) Blocks() ([]byte, strided.Blocks) { return nil, strided.Blocks{} }

func (t *torn) List(l strided.List, n, most int) ([]byte, strided.List) {
	for m := (strided.Move{Bytes: n, Mine: t.in}); m.Bytes > 0; {
		at, _, part := m.Next(n)
		l = l.Add(at, part)
	}
	if l.Pieces() > most {
		return nil, nil
	}
	return t.mem, l
}

// whole reports whether nothing between the pieces has changed.
func (t *torn) whole() bool {
	rest := slices.Clone(t.mem)
	strided.Move{Bytes: t.Size(), Mine: t.in}.Copy(rest, 0, bytes.Repeat([]byte{0xee}, t.Size()), false)
	return bytes.Count(rest, []byte{0xee}) == len(rest)
}

// A meddler is a translator whose commands a test may see, and answer in its place.
type meddler struct {
	ir.Translator
	see     func(cmd *ir.Command) error // an error refuses it
	after   func(cmd *ir.Command)
	refused []ir.Event
}

func (m *meddler) Post(cmd *ir.Command) {
	if err := m.see(cmd); err != nil {
		m.refused = append(m.refused, ir.Event{Kind: ir.Failed, Peer: cmd.Peer, Token: cmd.Token, Err: err})
		return
	}
	if m.Translator.Post(cmd); m.after != nil {
		m.after(cmd)
	}
}

func (m *meddler) Poll(ev *ir.Event) bool {
	if len(m.refused) > 0 {
		*ev, m.refused = m.refused[0], m.refused[1:]
		return true
	}
	return m.Translator.Poll(ev)
}

// listCaps returns the Caps of a NIC that moves blocks of 10 bytes and more, and lists of 20.
func listCaps() ir.Caps {
	caps := nictest.DefaultCaps()
	caps.Blocks = 10
	return caps
}

// meddled returns engines whose NICs a test sees.
func meddled(t testing.TB, see func(i int, cmd *ir.Command) error) (l *loop, ms []*meddler) {
	nics := nictest.Loopback(2, listCaps())
	for i := range nics {
		m := &meddler{Translator: nics[i], see: func(cmd *ir.Command) error { return see(i, cmd) }}
		nics[i], ms = m, append(ms, m)
	}
	return newLoopOn(t, nics, listCaps()), ms
}

// readsList reports whether cmd pulls a list, for a message that has one on either side.
func readsList(cmd *ir.Command) bool { return cmd.Op == ir.Pull && cmd.Move == nil }

// A message in pieces of a list goes from their places to their places, whatever the layout on the other
// side, and a side without the same list reads the other list at most once.
func TestListsMoveFromWhereTheyLie(t *testing.T) {
	const size = 100_000
	forms := map[string]func(n int, want []byte) llc.Body{
		"a list":       func(n int, want []byte) llc.Body { return tear(n, 500, 3, want) },
		"another list": func(n int, want []byte) llc.Body { return tear(n, 700, 8, want) },
		"short pieces": func(n int, want []byte) llc.Body { return tear(n, 7, 3, want) },
		"bytes apart":  func(n int, want []byte) llc.Body { return body(n, want) },
		"one piece":    func(int, []byte) llc.Body { return nil },
	}
	request := func(peer, n int, want []byte, form string) *llc.Request {
		r := &llc.Request{Peer: peer, Tag: 1, Body: forms[form](n, want)}
		if r.Body == nil {
			r.Buf = append(make([]byte, 0, n), want...)[:n]
		} else {
			r.Mode = llc.Scattered
		}
		return r
	}
	for from := range forms {
		for to := range forms {
			for _, room := range []int{size, size / 3, size + 1000} {
				t.Run(fmt.Sprintf("%s, %s, %d", from, to, room), func(t *testing.T) {
					var reads [2]int
					l, _ := meddled(t, func(i int, cmd *ir.Command) error {
						if readsList(cmd) && (strings.Contains(from, "list") || strings.Contains(to, "list")) {
							reads[i]++
						}
						return nil
					})
					want := pattern(size, 3)
					s, r := request(1, size, want, from), request(0, room, nil, to)
					l.engines[1].Recv(r)
					l.engines[0].Send(s)
					l.until(s)
					l.until(r)
					l.run()
					n := min(size, room)
					have := make([]byte, n)
					if r.Gather(have, 0); !bytes.Equal(have, want[:n]) || r.Status.Bytes != size || (r.Status.Err != nil) != (room < size) || s.Status.Err != nil {
						t.Errorf("send %+v, receive %+v, right bytes: %v", s.Status, r.Status, bytes.Equal(have, want[:n]))
					}
					for _, r := range []*llc.Request{s, r} {
						if b, torn := r.Body.(*torn); torn && !b.whole() {
							t.Error("bytes between the pieces have changed")
						}
					}
					listed := strings.Contains(from, "list")
					switch alike := from == to && room == size; {
					case listed && alike && reads != [2]int{}:
						t.Errorf("%v lists are read, of what is alike", reads)
					case listed && !alike && reads[1] != 1 || !listed && reads[1] != 0 || reads[0] > 1:
						t.Errorf("%v lists are read", reads)
					}
					for i, e := range l.engines {
						if s := e.Snapshot(); !e.Idle() || s.Transfers+s.Segments+s.Words+s.Copies != 0 {
							t.Errorf("engine %d at rest: %+v", i, s)
						}
					}
				})
			}
		}
	}
}

// Both sides share a message in pieces of lists, and nothing is copied twice.
func TestListsAreShared(t *testing.T) {
	for _, seed := range []int{3, 4} {
		const size = 3_000_000
		var moved [2]int
		l, _ := meddled(t, func(i int, cmd *ir.Command) error {
			if cmd.Move != nil && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
				moved[i] += cmd.Move.Bytes
			}
			return nil
		})
		s := &llc.Request{Peer: 1, Body: tear(size, 5000, 3, pattern(size, 1)), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Body: tear(size, 5000, seed, nil)}
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		l.until(s)
		l.until(r)
		if moved[0] == 0 || moved[1] == 0 || moved[0]+moved[1] != size {
			t.Errorf("lists %d and 3: %v bytes moved", seed, moved)
		}
		have := make([]byte, size)
		if r.Gather(have, 0); r.Status.Err != nil || !bytes.Equal(have, pattern(size, 1)) {
			t.Errorf("lists %d and 3: %+v, or other bytes", seed, r.Status)
		}
	}
}

// Lists have as many pieces as are worthwhile, and not more than are read at once.
func TestListsOfFewPieces(t *testing.T) {
	for _, c := range []struct {
		size, piece int
		listed      bool
	}{{30_000, 21, true}, {30_000, 20, false}, {llc.MostListed * 20, 21, true}, {llc.MostListed * 24, 21, false}} {
		lists := false
		l, _ := meddled(t, func(_ int, cmd *ir.Command) error {
			lists = lists || cmd.Move != nil && cmd.Move.Mine.List != nil && (cmd.Op == ir.Pull || cmd.Op == ir.Push)
			return nil
		})
		s := &llc.Request{Peer: 1, Body: tear(c.size, c.piece, 3, nil), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Body: tear(c.size, c.piece, 3, nil)}
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		l.until(s)
		l.until(r)
		if lists != c.listed {
			t.Errorf("%d bytes in pieces of %d: lists %v", c.size, c.piece, lists)
		}
	}
}

// Messages in pieces of lists allocate nothing in a steady state, whether a list is read or not.
func TestListsAllocateNothing(t *testing.T) {
	for _, seed := range []int{3, 4} {
		l := newLoop(t, 2, listCaps())
		s := &llc.Request{Peer: 1, Tag: 1, Body: tear(30000, 500, 3, nil), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Tag: 1, Body: tear(30000, 500, seed, nil)}
		round := func() {
			l.engines[1].Recv(r)
			l.engines[0].Send(s)
			l.until(s)
			l.until(r)
		}
		round()
		if n := testing.AllocsPerRun(20, round); n != 0 {
			t.Errorf("list %d: %v allocations", seed, n)
		}
	}
}

// A list that cannot be exposed or read leads to a stream, to work by the other side alone, or to an error,
// as a refusal of the message does.
func TestListsRefused(t *testing.T) {
	const size = 3_000_000
	isList := func(cmd *ir.Command) bool { return len(cmd.Data) < size/10 }
	for name, c := range map[string]struct {
		refuse func(i int, cmd *ir.Command) bool
		err    error
		fails  error
	}{
		"the sender's exposed":     {func(i int, cmd *ir.Command) bool { return i == 0 && cmd.Op == ir.Expose && isList(cmd) }, fs.ErrInvalid, nil},
		"the receiver's exposed":   {func(i int, cmd *ir.Command) bool { return i == 1 && cmd.Op == ir.Expose && isList(cmd) }, fs.ErrInvalid, nil},
		"the sender's message":     {func(i int, cmd *ir.Command) bool { return i == 0 && cmd.Op == ir.Expose && !isList(cmd) }, fs.ErrInvalid, nil},
		"the receiver's message":   {func(i int, cmd *ir.Command) bool { return i == 1 && cmd.Op == ir.Expose && !isList(cmd) }, fs.ErrInvalid, nil},
		"read by the sender":       {func(i int, cmd *ir.Command) bool { return i == 0 && readsList(cmd) }, fs.ErrInvalid, nil},
		"read by the receiver":     {func(i int, cmd *ir.Command) bool { return i == 1 && readsList(cmd) }, fs.ErrInvalid, llc.ErrRefused},
		"not permitted to be read": {func(i int, cmd *ir.Command) bool { return i == 1 && readsList(cmd) }, fs.ErrPermission, nil},
	} {
		refused := 0
		l, _ := meddled(t, func(i int, cmd *ir.Command) error {
			if c.refuse(i, cmd) {
				refused++
				return c.err
			}
			return nil
		})
		want := pattern(size, 1)
		s := &llc.Request{Peer: 1, Body: tear(size, 5000, 3, want), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Body: tear(size, 5000, 4, nil)}
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		l.until(s)
		l.until(r)
		l.run()
		have := make([]byte, size)
		if r.Gather(have, 0); refused == 0 || !errors.Is(r.Status.Err, c.fails) || c.fails == nil && !bytes.Equal(have, want) {
			t.Errorf("%s: refused %d times, %v, right bytes: %v", name, refused, r.Status.Err, bytes.Equal(have, want))
		}
		for i, e := range l.engines {
			if s := e.Snapshot(); !e.Idle() || s.Transfers+s.Segments+s.Words+s.Copies != 0 {
				t.Errorf("%s: engine %d at rest: %+v", name, i, s)
			}
		}
	}
}

// A list that describes other bytes than the message has is a protocol error of its owner. The receive that
// needs it fails; if the sender cannot use the receiver's list, the receiver moves everything.
func TestListsThatCannotBe(t *testing.T) {
	for reader := range 2 {
		l, ms := meddled(t, func(int, *ir.Command) error { return nil })
		ms[reader].after = func(cmd *ir.Command) {
			if readsList(cmd) {
				cmd.Data[len(cmd.Data)-8]++
			}
		}
		const size = 3_000_000
		want := pattern(size, 1)
		s := &llc.Request{Peer: 1, Body: tear(size, 5000, 3, want), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Body: tear(size, 5000, 4, nil)}
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		var lie *llc.ProtocolError
		for turns := 0; !s.Done() || !r.Done(); turns++ {
			if turns == 100_000 {
				t.Fatalf("%+v, %+v", s, r)
			}
			for i, e := range l.engines {
				if l.post(i); !l.nics[i].Poll(&l.ev) {
					e.Retry()
				} else if err := e.Step(&l.ev); err != nil && (i != reader || !errors.As(err, &lie)) {
					t.Fatalf("engine %d: %v", i, err)
				}
				l.post(i)
			}
		}
		if lie == nil || lie.Peer != 1-reader || !lie.Lost || !strings.Contains(lie.Error(), "a bad list: 3000001 bytes in ") {
			t.Fatalf("reader %d: %v", reader, lie)
		}
		have := make([]byte, size)
		if r.Gather(have, 0); reader == 0 && (r.Status.Err != nil || !bytes.Equal(have, want)) {
			t.Errorf("the receiver has %+v, right bytes: %v", r.Status, bytes.Equal(have, want))
		}
		if reader == 1 && !errors.Is(r.Status.Err, llc.ErrRefused) {
			t.Errorf("the receiver has %+v", r.Status)
		}
	}
}

// An impossible list is refused: one of more pieces than are worthwhile, or in no segment, unless it equals
// the list of the offer that it answers.
func TestProtocolErrorsAboutLists(t *testing.T) {
	rts := func(list uint64, pieces uint32) ir.Event {
		b := append(encodeRTS(5000, 1, 1), make([]byte, wire.SummedBytes)...)
		(*wire.SummedBody)(b[wire.RTSBytes:]).Encode(5000, 7, list, pieces)
		return says(wire.RTS, 5000, b...)
	}
	none := newHarness(t)
	none.connect()
	none.refuses("RTS of 44 bytes", rts(1, 5))

	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Blocks = 64 })
	c.connect()
	c.refuses("a list of no pieces", rts(1, 0))
	c.refuses("list 0 of 5 pieces of 5000 bytes", rts(0, 5))
	c.refuses("list 1 of 40 pieces of 5000 bytes", rts(1, 40))
	bad := rts(1, 5)
	bad.Data[wire.RTSBytes]++
	c.refuses("overwritten", bad)
	huge := rts(1, llc.MostListed+1)
	huge.Header.Word = 1 << 60
	b := append(encodeRTS(1<<60, 1, 1), make([]byte, wire.ListBytes)...)
	(*wire.ListBody)(b[wire.RTSBytes:]).Encode(1<<60, 1, llc.MostListed+1)
	huge.Data = b
	c.refuses("list 1 of 16385 pieces", huge)

	cts := func(want, list uint64, pieces uint32) ir.Event {
		b := append(encodeCTSSplit(firstID, 1, want, 0, 500), make([]byte, wire.ListBytes)...)
		(*wire.ListBody)(b[wire.CTSSplitBytes:]).Encode(firstID, list, pieces)
		return says(wire.CTSSplit, firstID, b...)
	}
	s := tear(4000, 200, 3, nil)
	pieces := uint32(s.in.List.Pieces())
	c.send(1, &llc.Request{Peer: 0, Body: s, Mode: llc.Scattered})
	c.run(4)
	c.refuses("of 32 pieces of 4000 bytes", cts(4000, 1, 32))
	c.refuses("list 0 of", cts(4000, 0, pieces+1))
	c.refuses("list 0 of", cts(3999, 0, pieces))
	good := cts(4000, 0, pieces)
	if err := c.engines[1].Step(&good); err != nil {
		t.Error(err)
	}

	slice := newHarnessOf(t, func(caps *ir.Caps) { caps.Blocks = 64 })
	slice.connect()
	slice.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	slice.run(3)
	slice.refuses("list 0 of", cts(4000, 0, 1))
}

// A peer that ends while its list is read, or this one is exposed, leaves nothing behind.
func TestPeerGoneWithLists(t *testing.T) {
	const size = 100_000
	for name, c := range map[string]struct {
		self int
		at   func(cmd *ir.Command) bool
	}{
		"its list is read":             {1, readsList},
		"the list is exposed":          {0, func(cmd *ir.Command) bool { return cmd.Op == ir.Expose && len(cmd.Data) < size/10 }},
		"the message is exposed":       {0, func(cmd *ir.Command) bool { return cmd.Op == ir.Expose && len(cmd.Data) >= size }},
		"the answer's list is exposed": {1, func(cmd *ir.Command) bool { return cmd.Op == ir.Expose && len(cmd.Data) < size/10 }},
	} {
		there := false
		l, _ := meddled(t, func(i int, cmd *ir.Command) error {
			there = there || i == c.self && c.at(cmd)
			return nil
		})
		rs := [2]*llc.Request{
			{Peer: 1, Body: tear(size, 500, 3, nil), Mode: llc.Scattered},
			{Peer: 0, Body: tear(size, 500, 4, nil)},
		}
		l.engines[1].Recv(rs[1])
		l.engines[0].Send(rs[0])
		for turns := 0; !there; turns++ {
			if turns == 1000 {
				t.Fatalf("%s: never", name)
			}
			for i := range 2 {
				if !there {
					l.turn(i)
				}
			}
		}
		e := l.engines[c.self]
		if err := e.Step(&ir.Event{Kind: ir.Failed, Peer: int32(1 - c.self), Err: ir.ErrPeerGone}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range 100 {
			l.post(c.self)
			if l.nics[c.self].Poll(&l.ev) && l.ev.Kind != ir.Arrived {
				if err := e.Step(&l.ev); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		r := rs[c.self]
		if s := e.Snapshot(); !r.Done() || !errors.Is(r.Status.Err, llc.ErrPeerGone) || s.Transfers+s.Segments+s.Copies != 0 {
			t.Errorf("%s: %+v, %+v", name, r.Status, s)
		}
	}
}
