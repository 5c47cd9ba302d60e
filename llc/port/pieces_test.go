package port

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/strided"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A sparse is a message in blocks of 24 bytes, 40 apart.
type sparse []byte

var sparsely = strided.Blocks{Block: 24, Stride: 40}

func newSparse(data []byte) sparse {
	_, end := sparsely.Span(0, len(data))
	s := make(sparse, end)
	s.Scatter(data, 0)
	return s
}

func (s sparse) Size() int {
	n := len(s) / sparsely.Stride * sparsely.Block
	return n + len(s)%sparsely.Stride
}

func (s sparse) Gather(dst []byte, off int) {
	strided.Move{Bytes: len(dst), There: off, Their: sparsely}.Copy(dst, 0, s, false)
}

func (s sparse) Scatter(src []byte, off int) {
	strided.Move{Bytes: len(src), There: off, Their: sparsely}.Copy(src, 0, s, true)
}

func (s sparse) Blocks() ([]byte, strided.Blocks) { return s, sparsely }

func (s sparse) List(strided.List, int, int) ([]byte, strided.List) { return nil, nil }

// A way sends or receives the message i of b, from or to the other of two ports.
type way func(p *Port, i int, b sparse) (llc.Status, error)

func startPieces(p *Port, i int, b sparse) (llc.Status, error) {
	r := &llc.Request{Peer: 1, Tag: i, Body: b, Mode: llc.Scattered, Attended: i%2 == 0}
	p.Start(r, true)
	p.Wait(r)
	return r.Status, r.Status.Err
}

func sendPieces(p *Port, i int, b sparse) (st llc.Status, err error) {
	return st, p.SendPieces(0, 1, i, b)
}

func startRecv(p *Port, i int, b sparse) (llc.Status, error) {
	r := &llc.Request{Peer: 0, Tag: i, Body: b}
	p.Start(r, false)
	p.Wait(r)
	return r.Status, r.Status.Err
}

func recvPieces(p *Port, i int, b sparse) (llc.Status, error) { return p.RecvPieces(0, 0, i, b) }

func recvAny(p *Port, i int, b sparse) (llc.Status, error) {
	return p.RecvPieces(0, llc.AnyPeer, llc.AnyTag, b)
}

// Noncontiguous messages go by the lane as far as there is room, and the remaining packets behind them; each
// message arrives once and whole.
func TestLaneOfPieces(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	caps := nictest.DefaultCaps()
	for name, ways := range map[string][2]way{
		"started": {startPieces, startRecv}, "calls": {sendPieces, recvPieces}, "from any": {sendPieces, recvAny},
		"sends started": {startPieces, recvPieces}, "receives started": {sendPieces, startRecv},
	} {
		for _, n := range []int{0, 1, 24, ir.Short, ir.Short + 1, caps.Fragment, caps.Fragment + 1, 2*caps.Fragment + 1, caps.Eager, caps.Eager + 1, 100_000} {
			both(t, ps, func(p *Port, self int) {
				for i := range 40 { // more than a ring has room for
					want := payload(i, n)
					if self == 0 {
						if _, err := ways[0](p, i, newSparse(want)); err != nil {
							t.Error(err)
						}
						continue
					}
					got, b := make([]byte, n), newSparse(make([]byte, n))
					st, err := ways[1](p, i, b)
					if b.Gather(got, 0); err != nil || st != (llc.Status{Tag: i, Bytes: int64(n)}) || !bytes.Equal(got, want) {
						t.Errorf("%s: %d bytes, message %d: %+v, %v, right bytes: %v", name, n, i, st, err, bytes.Equal(got, want))
					}
				}
			})
		}
	}
}

// RecvPieces ends as Recv does, for messages that are there and that come later: shorter ones, ones that are
// too long, and ones of another type.
func TestRecvPieces(t *testing.T) {
	caps := nictest.DefaultCaps()
	ps := open(t, 2)
	acquaint(t, ps)
	for _, late := range []bool{false, true} {
		for _, c := range []arrival{
			{"a line", 48, 48, 0, nil},
			{"less than there is room for", 9, 240, 0, nil},
			{"several packets", caps.Eager - 10, caps.Eager, 0, nil},
			{"room for an offered message", 8, caps.Eager + 24, 0, nil},
			{"too long", 49, 48, 0, llc.ErrTruncated},
			{"of another type", 48, 48, 1 << 8, llc.ErrType},
		} {
			want, got, room := payload(c.n, c.n), make([]byte, c.n), newSparse(make([]byte, c.room))
			var st llc.Status
			var err error
			c.arrives(t, ps[1], late, true, func() { st, err = ps[1].RecvPieces(llc.MakeKey(4, 1), 0, 5, room) }, func() {
				if err := ps[0].SendPieces(llc.MakeKey(4, 1+c.typ), 1, 5, newSparse(want)); err != nil {
					t.Errorf("%s: SendPieces: %v", c.name, err)
				}
			})
			if !errors.Is(err, c.fails) || c.fails == nil && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if c.fails != nil {
				continue
			}
			if room.Gather(got, 0); st != (llc.Status{Tag: 5, Bytes: int64(c.n)}) || !bytes.Equal(got, want) {
				t.Errorf("%s: %+v, right bytes: %v", c.name, st, bytes.Equal(got, want))
			}
			rest := make([]byte, room.Size())
			if room.Gather(rest, 0); bytes.Trim(rest[c.n:], "\x00") != nil {
				t.Errorf("%s: bytes behind the message are %q", c.name, rest[c.n:])
			}
		}
	}
	for _, p := range ps {
		p.Close()
	}
	if err := ps[0].SendPieces(0, 1, 5, newSparse(payload(1, 9))); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed port sends: %v", err)
	}
	if _, err := ps[1].RecvPieces(0, 0, 5, newSparse(payload(1, 9))); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed port receives: %v", err)
	}
}

// A noncontiguous message that goes whole by the lane is done when Start returns, and allocates nothing; nor do
// blocking calls.
func TestPiecesAllocateNothing(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	want, buf := payload(1, 100), make([]byte, 100)
	b := newSparse(want)
	s := &llc.Request{Peer: 1, Tag: 1, Body: b, Mode: llc.Scattered}
	var body, room llc.Body = b, newSparse(buf)
	round := func() {
		if ps[0].Start(s, true); !s.Done() {
			t.Fatal("it has not gone")
		}
		if _, err := ps[1].Recv(0, 0, 1, buf); err != nil || !bytes.Equal(buf, want) {
			t.Fatal(err, buf)
		}
		if err := ps[0].SendPieces(0, 1, 2, body); err != nil {
			t.Fatal(err)
		}
		if st, err := ps[1].RecvPieces(0, 0, 2, room); err != nil || int(st.Bytes) != len(want) {
			t.Fatal(st, err)
		}
	}
	round()
	if n := testing.AllocsPerRun(50, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A blocked is a message of n bytes in blocks.
type blocked struct {
	mem []byte
	in  strided.Blocks
	n   int
}

func (b blocked) Size() int { return b.n }

func (b blocked) Gather(dst []byte, off int) {
	strided.Move{Bytes: len(dst), There: off, Their: b.in}.Copy(dst, 0, b.mem, false)
}

func (b blocked) Scatter(src []byte, off int) {
	strided.Move{Bytes: len(src), There: off, Their: b.in}.Copy(src, 0, b.mem, true)
}

func (b blocked) Blocks() ([]byte, strided.Blocks) { return b.mem, b.in }

func (b blocked) List(strided.List, int, int) ([]byte, strided.List) { return nil, nil }

// A long packet whose bytes lie in one block is sent from there, any other is packed.
func TestRunOfABlock(t *testing.T) {
	const n, block = 4 * longRun, 2 * longRun
	blocks := strided.Blocks{Block: block, Stride: block + 40}
	for _, c := range []struct {
		in     strided.Blocks
		off, n int
		inMem  bool
	}{
		{blocks, 0, longRun, true}, {blocks, longRun, longRun, true}, {blocks, 0, block, true}, {blocks, block, longRun, true},
		{blocks, block + 8, longRun, true}, {blocks, longRun + 1, longRun, false}, {blocks, block - 1, longRun, false},
		{blocks, 0, longRun - 1, false}, {blocks, 0, block + 1, false}, {strided.Blocks{}, 0, longRun, false},
		{strided.Blocks{Block: longRun - 1, Stride: longRun}, 0, longRun, false},
	} {
		b := blocked{payload(3, n+2*(block+40)), c.in, n}
		want := make([]byte, c.n)
		b.Gather(want, c.off)
		got := new(Port).run(b, c.off, c.n)
		at := c.in.Place(c.off)
		if !bytes.Equal(got, want) || (&got[0] == &b.mem[at]) != c.inMem {
			t.Errorf("%+v, from %d: right bytes: %v, where they lie: %v", c.in, c.off, bytes.Equal(got, want), &got[0] == &b.mem[at])
		}
	}
}
