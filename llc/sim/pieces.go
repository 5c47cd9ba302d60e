package sim

import (
	"bytes"
	"slices"

	"rhinet/internal/strided"
	"rhinet/llc"
)

// A sparse is an [llc.Body] in blocks at equal distances, or in pieces of a list. The bytes between are gap.
type sparse struct {
	mem []byte
	n   int
	in  strided.Blocks
	all bool // it describes its layout
}

const gap = 0xc3

// scattered returns a layout of n bytes in pieces of up to 2*block-1 that lie apart in any order, and its
// end.
func (w *world) scattered(n, block int) (in strided.Blocks, end int) {
	var ats, lens []int
	for left := n; left > 0; left -= lens[len(lens)-1] {
		end += 1 + w.rng.IntN(block)
		ats, lens = append(ats, end), append(lens, min(left, 1+w.rng.IntN(2*block-1)))
		end += lens[len(lens)-1]
	}
	for _, i := range w.rng.Perm(len(ats)) {
		in.List = in.List.Add(ats[i], lens[i])
	}
	return in, end
}

// spread replaces the buffer of a request by a message in pieces, as often as the parameters want.
func (w *world) spread(r *llc.Request) {
	if w.Pieces == 0 || w.rng.IntN(100) >= w.Pieces {
		return
	}
	block := 1 + w.rng.IntN(40)
	s := &sparse{n: len(r.Buf), in: strided.Blocks{Block: block, Stride: block + w.rng.IntN(2*block)}, all: w.rng.IntN(4) > 0}
	_, end := s.in.Span(0, s.n)
	if w.rng.IntN(2) == 0 && s.n > 0 {
		s.in, end = w.scattered(s.n, block)
	}
	s.mem = slices.Repeat([]byte{gap}, end)
	s.Scatter(r.Buf, 0)
	r.Buf, r.Body = nil, s
	if r.Mode == llc.Standard {
		r.Mode, r.Attended = llc.Scattered, w.rng.IntN(2) == 0
	}
}

// Size returns the size of the message in bytes.
func (s *sparse) Size() int { return s.n }

// Gather packs bytes of the message.
func (s *sparse) Gather(dst []byte, off int) {
	strided.Move{Bytes: len(dst), There: off, Their: s.in}.Copy(dst, 0, s.mem, false)
}

// Scatter is the inverse of Gather.
func (s *sparse) Scatter(src []byte, off int) {
	strided.Move{Bytes: len(src), There: off, Their: s.in}.Copy(src, 0, s.mem, true)
}

// Blocks describes the blocks, or hides them.
func (s *sparse) Blocks() ([]byte, strided.Blocks) {
	if !s.all || s.in.List != nil {
		return nil, strided.Blocks{}
	}
	return s.mem, s.in
}

// List describes the pieces, or hides them.
func (s *sparse) List(l strided.List, n, most int) ([]byte, strided.List) {
	if !s.all || n == 0 {
		return nil, nil
	}
	for m := (strided.Move{Bytes: n, Mine: s.in}); m.Bytes > 0; {
		at, _, n := m.Next(n)
		l = l.Add(at, n)
	}
	if l.Pieces() > most {
		return nil, nil
	}
	return s.mem, l
}

// intact reports whether nothing between the pieces has changed.
func (s *sparse) intact() bool {
	between := slices.Clone(s.mem)
	for m := (strided.Move{Bytes: s.n, Mine: s.in}); m.Bytes > 0; {
		at, _, n := m.Next(s.n)
		copy(between[at:at+n], slices.Repeat([]byte{gap}, n))
	}
	return bytes.Count(between, []byte{gap}) == len(between)
}

// message returns the message of a request, or what has been received of it.
func message(r *llc.Request) []byte {
	if r.Body == nil {
		return r.Buf
	}
	b := make([]byte, r.Bytes())
	r.Gather(b, 0)
	return b
}
