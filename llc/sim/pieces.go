package sim

import (
	"slices"

	"rhinet/internal/strided"
	"rhinet/llc"
)

// A sparse is a message in blocks at equal distances, an [llc.Body]. What lies between the blocks is gap.
type sparse struct {
	mem []byte
	n   int
	in  strided.Blocks
	all bool // it says that they are blocks
}

const gap = 0xc3

// spread has a request be of a message in pieces in the place of its buffer, as often as the parameters want.
func (w *world) spread(r *llc.Request) {
	if w.Pieces == 0 || w.rng.IntN(100) >= w.Pieces {
		return
	}
	block := 1 + w.rng.IntN(40)
	s := &sparse{n: len(r.Buf), in: strided.Blocks{Block: block, Stride: block + w.rng.IntN(2*block)}, all: w.rng.IntN(4) > 0}
	_, end := s.in.Span(0, s.n)
	s.mem = slices.Repeat([]byte{gap}, end)
	s.Scatter(r.Buf, 0)
	r.Buf, r.Body = nil, s
	if r.Mode == llc.Standard {
		r.Mode, r.Attended = llc.Scattered, w.rng.IntN(2) == 0
	}
}

// Size is the bytes of the message.
func (s *sparse) Size() int { return s.n }

// Gather packs bytes of the message.
func (s *sparse) Gather(dst []byte, off int) {
	strided.Move{Bytes: len(dst), There: off, Their: s.in}.Copy(dst, 0, s.mem, false)
}

// Scatter is the inverse of Gather.
func (s *sparse) Scatter(src []byte, off int) {
	strided.Move{Bytes: len(src), There: off, Their: s.in}.Copy(src, 0, s.mem, true)
}

// Blocks tells of the blocks, or hides them.
func (s *sparse) Blocks() ([]byte, strided.Blocks) {
	if !s.all {
		return nil, strided.Blocks{}
	}
	return s.mem, s.in
}

// intact reports whether nothing between the blocks has changed.
func (s *sparse) intact() bool {
	for i, b := range s.mem {
		if i%s.in.Stride >= s.in.Block && b != gap {
			return false
		}
	}
	return true
}

// message is the message of a request, or what has come of it.
func message(r *llc.Request) []byte {
	if r.Body == nil {
		return r.Buf
	}
	b := make([]byte, r.Bytes())
	r.Gather(b, 0)
	return b
}
