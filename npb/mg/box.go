package mg

// A box is a range of local points, low <= index < high along each axis.
type box struct{ low, high [axes]int }

// count is the number of points in b.
func (b *box) count() int {
	n := 1
	for a := range axes {
		n *= b.high[a] - b.low[a]
	}
	return n
}

// face returns the plane of ghosts or points that an exchange along an axis moves. It includes the ghosts
// of the axes before, but not those of the axes after, so that exchanges along the three axes in order also
// fill the edges and corners.
func (l *level) face(axis, index int) box {
	b := l.slab(axis, index)
	for a := axis + 1; a < axes; a++ {
		b.low[a], b.high[a] = 1, l.extent[a]-1
	}
	return b
}

// slab returns the whole plane of points with one index along an axis.
func (l *level) slab(axis, index int) box {
	b := box{high: l.extent}
	b.low[axis], b.high[axis] = index, index+1
	return b
}

// pack copies the points of b from array a to buf and returns their number.
func (l *level) pack(buf, a []float64, b box) int {
	n, width := 0, b.high[0]-b.low[0]
	for k := b.low[2]; k < b.high[2]; k++ {
		at := l.at(b.low[0], b.low[1], k)
		for range b.high[1] - b.low[1] {
			if width == 1 {
				buf[n] = a[at]
			} else {
				copy(buf[n:n+width], a[at:])
			}
			n += width
			at += l.row
		}
	}
	return n
}

// unpack is the inverse of pack.
func (l *level) unpack(a, buf []float64, b box) {
	n, width := 0, b.high[0]-b.low[0]
	for k := b.low[2]; k < b.high[2]; k++ {
		at := l.at(b.low[0], b.low[1], k)
		for range b.high[1] - b.low[1] {
			if width == 1 {
				a[at] = buf[n]
			} else {
				copy(a[at:at+width], buf[n:])
			}
			n += width
			at += l.row
		}
	}
}

// wrap fills the ghosts along an axis that is not cut, from the opposite side: the grid is periodic.
func (l *level) wrap(a []float64, axis int) {
	last := l.own[axis]
	stride := [axes]int{1, l.row, l.plane}[axis]
	for _, ghost := range [2]struct{ to, from int }{{0, last}, {last + 1, 1}} {
		b := l.face(axis, ghost.to)
		shift := (ghost.from - ghost.to) * stride
		width := b.high[0] - b.low[0]
		for k := b.low[2]; k < b.high[2]; k++ {
			at := l.at(b.low[0], b.low[1], k)
			for range b.high[1] - b.low[1] {
				if width == 1 {
					a[at] = a[at+shift]
				} else {
					copy(a[at:at+width], a[at+shift:])
				}
				at += l.row
			}
		}
	}
}
