package cenju4

import (
	"encoding/binary"

	"rhinet/nicemu/dma"
)

// A memory is what a parcel reads or writes at a node: pages of it, or bytes in this process.
type memory struct {
	span
	node int
	hand bool // bytes, not pages
	near []byte
	word [wordBytes]byte // for a parcel that contains its data
	in   int             // number of bytes in word
}

// inline returns the data that a parcel's header holds.
func inline(word uint64, n uint32) memory {
	m := memory{hand: true, in: int(n)}
	binary.NativeEndian.PutUint64(m.word[:], word)
	return m
}

// locate looks up an address at a node. mine says that the task itself gave the address, for its
// own memory: then no right is needed, and lent memory can be found.
func (s *service) locate(rank int, a Address, size uint64, need Right, mine bool) (memory, Reason) {
	switch {
	case size == 0:
		return memory{hand: true}, 0
	case s.physical:
		b := s.nic.f.Memory(uint64(a), size)
		if b == nil {
			return memory{}, NoPage
		}
		return memory{hand: true, near: b}, 0
	case mine && a.Segment() == Lent:
		if uint64(len(s.lent)) != size {
			return memory{}, Beyond
		}
		return memory{hand: true, near: s.lent}, 0
	}
	sp, why := nodeOf(s.nic.f, rank).find(a, size, need)
	return memory{span: sp, node: rank}, why
}

// far reports whether the memory is private memory of another process.
func (s *service) far(m *memory) bool {
	return !m.hand && m.span.bytes > 0 && !m.first.inJob() && m.node != s.nic.rank && s.nic.f.Shared()
}

// part returns contiguous memory from byte i on: as bytes or, if it is private memory of another
// process, as an address there. n is 0 if the memory is mapped but does not exist.
func (s *service) part(m *memory, i uint64) (near []byte, at, n uint64) {
	if m.hand {
		b := m.near
		if b == nil {
			b = m.word[:m.in]
		}
		return b[i:], 0, uint64(len(b)) - i
	}
	at, n = m.run(i)
	if s.far(m) {
		return nil, at, n
	}
	b := s.physicalPart(m, at, n)
	return b, at, uint64(len(b))
}

// physicalPart returns memory at a physical address if this process has it, or nil.
func (s *service) physicalPart(m *memory, at, n uint64) []byte {
	if m.first.inJob() {
		return s.nic.f.Memory(at, n)
	}
	return dma.Within(s.nic.f.Borrow(m.node, m.first.number()), at, n)
}

// reasons translates those of the DMA engine.
var reasons = [...]Reason{dma.NoAccess: NoAccess, dma.Gone: Gone, dma.Fault: Fault}

// copy copies n bytes, run by run.
func (s *service) copy(dst, src *memory, n uint64) (moved uint64, why Reason) {
	for moved < n {
		to, toAt, toSize := s.part(dst, moved)
		from, fromAt, fromSize := s.part(src, moved)
		size := min(toSize, fromSize, n-moved)
		switch {
		case size == 0:
			return moved, Fault // an entry that no owner wrote
		case to != nil && from != nil:
			dma.Write(to[:size], from[:size])
		case to != nil:
			why = s.attach(src.node, fromAt, to[:size], false)
		case from != nil:
			why = s.attach(dst.node, toAt, from[:size], true)
		default:
			why = Fault
		}
		if why != 0 {
			return moved, why
		}
		moved += size
	}
	return moved, 0
}

func (s *service) attach(rank int, at uint64, b []byte, write bool) Reason {
	moved, why, cause := s.nic.engine.Process(rank, at, b, write)
	s.moved += moved
	s.cause = cause
	return reasons[why]
}

// wrongWords imitates the hardware where shifted words continue in another page: the first word of
// that page is replaced by one from the page that physically follows the previous one (cenju4,
// section 7.3).
func (s *service) wrongWords(dst, src *memory, n uint64) Reason {
	if src.hand {
		return 0
	}
	for i := PageBytes - src.span.at%PageBytes; i < n; i += PageBytes {
		before, _ := src.run(i - 1)
		if now, _ := src.run(i); now == before+1 {
			continue
		}
		s.small = inline(0, oddWord)
		if at, size := src.behind(i); size > 0 {
			if why := s.fetch(src, at, s.small.word[:size]); why != 0 {
				return why
			}
		}
		rest := memory{span: dst.span, node: dst.node, hand: dst.hand, near: dst.near}
		if rest.hand {
			rest.near = rest.near[i:]
		} else {
			rest.span.at, rest.span.bytes = rest.span.at+i, rest.span.bytes-i
		}
		if _, why := s.copy(&rest, &s.small, min(oddWord, n-i)); why != 0 {
			return why
		}
	}
	return 0
}

// fetch reads bytes at a physical address of a mapping.
func (s *service) fetch(m *memory, at uint64, b []byte) Reason {
	if s.far(m) {
		return s.attach(m.node, at, b, false)
	}
	from := s.physicalPart(m, at, uint64(len(b)))
	if from == nil {
		return Fault
	}
	copy(b, from)
	return 0
}

// transfer copies the data of a parcel from one memory to another, and keeps both from being
// released.
func (s *service) transfer(dst, src *memory) Reason {
	n := uint64(s.parcel.Length)
	if n == 0 {
		return 0
	}
	if (s.far(dst) || s.far(src)) && !s.nic.engine.Attached() {
		return NoAccess
	}
	for i, m := range [...]*memory{dst, src} {
		if m.hand {
			continue
		}
		if why := m.hold(); why != 0 {
			if i == 1 && !dst.hand {
				dst.drop()
			}
			return why
		}
	}
	_, why := s.copy(dst, src, n)
	if why == 0 && s.parcel.reorders() {
		why = s.wrongWords(dst, src, n)
	}
	for _, m := range [...]*memory{dst, src} {
		if !m.hand {
			m.drop()
		}
	}
	return why
}

// atomic returns the word that a parcel operates on, which is held, if the processors share it.
func (s *service) atomic(m *memory) ([]byte, Reason) {
	if !m.hand {
		if why := m.hold(); why != 0 {
			return nil, why
		}
	}
	if near, _, _ := s.part(m, 0); !s.far(m) && len(near) >= wordBytes && dma.Aligned(near[:wordBytes]) {
		return near[:wordBytes], 0
	}
	if !m.hand {
		m.drop()
	}
	return nil, Fault // an entry that no owner wrote
}
