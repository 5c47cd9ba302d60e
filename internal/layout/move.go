package layout

import (
	"encoding/binary"
	"iter"

	"rhinet/internal/strided"
	"rhinet/internal/vec"
)

// Gather copies bytes of data to dst, from byte off of the data on, as many as dst has room for.
// mem[origin] is the origin. It returns the number of bytes copied. All of them must lie in mem.
func (t *Type) Gather(dst, mem []byte, origin, off int) int {
	m := mover{mem: mem, buf: dst}
	if off < t.size {
		t.root.move(&m, origin, off)
	}
	return len(dst) - len(m.buf)
}

// Scatter is the inverse of Gather.
func (t *Type) Scatter(mem []byte, origin int, src []byte, off int) int {
	m := mover{mem: mem, buf: src, out: true}
	if off < t.size {
		t.root.move(&m, origin, off)
	}
	return len(src) - len(m.buf)
}

// A mover is one copy in progress: buf is the remaining part of the packed bytes.
type mover struct {
	mem, buf []byte
	out      bool // from buf to mem
}

// move moves the bytes of n from byte skip on, until buf is exhausted.
func (n *node) move(m *mover, origin, skip int) {
	origin += n.at
	switch n.kind {
	case run:
		m.run(origin+skip, n.size-skip)
	case loop:
		n.moveLoop(m, origin, skip)
	case list:
		n.moveList(m, origin, skip)
	}
}

// run moves at most n bytes at mem[at:].
func (m *mover) run(at, n int) {
	n = min(n, len(m.buf))
	if m.out {
		vec.Copy(m.mem[at:at+n], m.buf)
	} else {
		vec.Copy(m.buf[:n], m.mem[at:])
	}
	m.buf = m.buf[n:]
}

func (n *node) moveLoop(m *mover, origin, skip int) {
	c := n.child
	i := skip / c.size
	if skip -= i * c.size; skip > 0 {
		c.move(m, origin+i*n.stride, skip)
		i++
	}
	if c.kind == run {
		if whole := min(len(m.buf)/c.size, n.count-i); whole > 0 {
			m.blocks(origin+c.at+i*n.stride, n.stride, c.size, whole)
			i += whole
		}
	}
	for ; i < n.count && len(m.buf) > 0; i++ {
		c.move(m, origin+i*n.stride, 0)
	}
}

func (n *node) moveList(m *mover, origin, skip int) {
	i, before := n.find(skip)
	skip -= before
	if n.kids == nil {
		if skip > 0 {
			m.run(origin+n.ats[i]+skip, n.ends[i]-before-skip)
			before = n.ends[i]
			i++
		}
		m.runs(n, i, before, origin)
		return
	}
	for ; i < len(n.ats) && len(m.buf) > 0; i++ {
		n.kids[i].move(m, origin+n.ats[i], skip)
		skip = 0
	}
}

// runs moves the runs of a list from run i on, before which there are so many bytes. Runs of the sizes of
// numbers are copied by single loads and stores.
func (m *mover) runs(n *node, i, before, origin int) {
	order, ends, buf := binary.NativeEndian, n.ends[:len(n.ats)], m.buf
	for ; i < len(ends) && len(buf) > 0; i++ {
		at, size := origin+n.ats[i], ends[i]-before
		before = ends[i]
		if size != 4 && size != 8 || size > len(buf) {
			m.buf = buf
			m.run(at, size)
			buf = m.buf
			continue
		}
		to, from := buf[:size], m.mem[at:at+size]
		if m.out {
			to, from = from, to
		}
		if size == 4 {
			order.PutUint32(to, order.Uint32(from))
		} else {
			order.PutUint64(to, order.Uint64(from))
		}
		buf = buf[size:]
	}
	m.buf = buf
}

// blocks moves count blocks of size bytes, stride apart in mem from at on.
func (m *mover) blocks(at, stride, size, count int) {
	buf := m.buf[:size*count]
	m.buf = m.buf[size*count:]
	if m.out {
		copyBlocks(m.mem, at, stride, buf, 0, size, size, count)
	} else {
		copyBlocks(buf, 0, size, m.mem, at, stride, size, count)
	}
}

// copyBlocks copies blocks between strided places. Blocks of the sizes of numbers are copied by single
// loads and stores.
func copyBlocks(dst []byte, d, dstep int, src []byte, s, sstep, size, count int) {
	order := binary.NativeEndian
	switch {
	case size == 4:
		for range count {
			order.PutUint32(dst[d:d+4], order.Uint32(src[s:s+4]))
			d, s = d+dstep, s+sstep
		}
	case size == 8:
		for range count {
			order.PutUint64(dst[d:d+8], order.Uint64(src[s:s+8]))
			d, s = d+dstep, s+sstep
		}
	case size == 16:
		for range count {
			a, b := order.Uint64(src[s:s+8]), order.Uint64(src[s+8:s+16])
			order.PutUint64(dst[d:d+8], a)
			order.PutUint64(dst[d+8:d+16], b)
			d, s = d+dstep, s+sstep
		}
	case dstep >= 0 && sstep >= 0:
		vec.CopyBlocks(dst[d:], dstep, src[s:], sstep, size, count)
	default:
		for range count {
			vec.Copy(dst[d:d+size], src[s:s+size])
			d, s = d+dstep, s+sstep
		}
	}
}

// Segments yields, in order, the contiguous pieces of the data from byte off to byte end-1: displacement
// from the origin, and length. So a transfer can continue anywhere.
func (t *Type) Segments(off, end int) iter.Seq2[int, int] {
	return func(yield func(at, n int) bool) {
		if end = min(end, t.size); off < end {
			left := end - off
			t.root.walk(0, off, &left, yield)
		}
	}
}

// walk yields the pieces of n from byte skip on; it reports whether to continue.
func (n *node) walk(origin, skip int, left *int, yield func(at, n int) bool) bool {
	origin += n.at
	switch n.kind {
	case run:
		return piece(origin+skip, n.size-skip, left, yield)
	case loop:
		i := skip / n.child.size
		for skip -= i * n.child.size; i < n.count; i++ {
			if !n.child.walk(origin+i*n.stride, skip, left, yield) {
				return false
			}
			skip = 0
		}
		return true
	}
	i, before := n.find(skip)
	for skip -= before; i < len(n.ats); i++ {
		on := false
		if n.kids != nil {
			on = n.kids[i].walk(origin+n.ats[i], skip, left, yield)
		} else {
			on = piece(origin+n.ats[i]+skip, n.ends[i]-before-skip, left, yield)
			before = n.ends[i]
		}
		if !on {
			return false
		}
		skip = 0
	}
	return true
}

func piece(at, n int, left *int, yield func(at, n int) bool) bool {
	n = min(n, *left)
	*left -= n
	return yield(at, n) && *left > 0
}

// List adds to l the places of n bytes of the data from byte off on, relative to the first byte of data in
// memory. It returns nil if that takes more than most pieces, or if there are so many that finding out
// would take long.
func (t *Type) List(l strided.List, off, n, most int) strided.List {
	if most == 0 || n == 0 || t.size/t.root.pieces() < n/most/2 {
		return nil
	}
	left := n
	t.root.walk(-t.lo, off, &left, func(at, n int) bool {
		l = l.Add(at, n)
		return l.Pieces() <= most
	})
	if left > 0 || l.Pieces() > most {
		return nil
	}
	return l
}

// A Stretch is data that lies in blocks at equal distances, or in one piece, from At on, relative to the
// origin.
type Stretch struct {
	At, Bytes int
	In        strided.Blocks
}

// Stretches yields, in order, the longest parts of the data that a [Stretch] can describe.
func (t *Type) Stretches() iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		if t.size > 0 {
			t.root.stretches(0, yield)
		}
	}
}

// stretches yields the stretches of n; it reports whether to continue.
func (n *node) stretches(origin int, yield func(Stretch) bool) bool {
	origin += n.at
	switch n.kind {
	case run:
		return yield(Stretch{At: origin, Bytes: n.size})
	case loop:
		if in := n.blocks(); !in.One() {
			return yield(Stretch{At: origin + n.child.at, Bytes: n.size, In: in})
		}
		for i := range n.count {
			if !n.child.stretches(origin+i*n.stride, yield) {
				return false
			}
		}
		return true
	}
	for i, at := range n.ats {
		switch {
		case n.kids != nil:
			if !n.kids[i].stretches(origin+at, yield) {
				return false
			}
		case !yield(Stretch{At: origin + at, Bytes: n.ends[i] - n.before(i)}):
			return false
		}
	}
	return true
}
