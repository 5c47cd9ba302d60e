package port

import (
	"bytes"
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

// Noncontiguous messages go by the lane as far as there is room, and the remaining packets behind them; each
// message arrives once and whole.
func TestLaneOfPieces(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	caps := nictest.DefaultCaps()
	for _, n := range []int{0, 1, 24, ir.Short, ir.Short + 1, caps.Fragment, caps.Fragment + 1, 2*caps.Fragment + 1, caps.Eager, caps.Eager + 1, 100_000} {
		both(t, ps, func(p *Port, self int) {
			for i := range 40 { // more than a ring has room for
				want := payload(i, n)
				if self == 0 {
					r := &llc.Request{Peer: 1, Tag: i, Body: newSparse(want), Mode: llc.Scattered, Attended: i%2 == 0}
					if p.Start(r, true); r.Status.Err != nil {
						t.Error(r.Status.Err)
					}
					p.Wait(r)
					continue
				}
				r := &llc.Request{Peer: 0, Tag: i, Body: newSparse(make([]byte, n))}
				p.Start(r, false)
				p.Wait(r)
				got := make([]byte, n)
				if r.Body.Gather(got, 0); r.Status.Err != nil || int(r.Status.Bytes) != n || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, message %d: %+v, right bytes: %v", n, i, r.Status, bytes.Equal(got, want))
				}
			}
		})
	}
}

// A noncontiguous message that goes whole by the lane is done when Start returns, and allocates nothing.
func TestPiecesAllocateNothing(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	want, buf := payload(1, 100), make([]byte, 100)
	s := &llc.Request{Peer: 1, Tag: 1, Body: newSparse(want), Mode: llc.Scattered}
	round := func() {
		if ps[0].Start(s, true); !s.Done() {
			t.Fatal("it has not gone")
		}
		if _, err := ps[1].Recv(0, 0, 1, buf); err != nil || !bytes.Equal(buf, want) {
			t.Fatal(err, buf)
		}
	}
	round()
	if n := testing.AllocsPerRun(50, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
