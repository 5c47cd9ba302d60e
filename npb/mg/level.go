package mg

import "rhinet/npb/nas"

// The axes; x varies fastest in memory.
const (
	axisX = iota
	axisY
	axisZ
	axes
)

// shape is the number of processes along each axis, largest along z.
func shape(procs int) [axes]int {
	l := nas.Log2(procs)
	x := 1 << (l / 3)
	y := 1 << ((l - l/3) / 2)
	return [axes]int{x, y, procs / (x * y)}
}

// place returns the position of a rank in the shape.
func place(shape [axes]int, rank int) [axes]int {
	return [axes]int{rank % shape[0], rank / shape[0] % shape[1], rank / (shape[0] * shape[1])}
}

// rankAt is the inverse of place; positions are periodic.
func rankAt(shape, at [axes]int) int {
	for a, p := range shape {
		at[a] = (at[a] + p) % p
	}
	return at[0] + shape[0]*(at[1]+shape[1]*at[2])
}

// A level is the geometry of one grid of 2^k points per axis on one rank.
//
// Local arrays have a layer of ghost points on each side: own[a] interior points 1..own[a] along axis a,
// extent[a] = own[a]+2. Point (i, j, k) is element origin + i + row*j + plane*k. Rows are padded and
// aligned such that interior point 1 begins a cache line.
type level struct {
	own, extent [axes]int
	first       [axes]int // global index of interior point 1
	row, plane  int
	size        int // elements of an array

	// On coarse grids there may be fewer points along an axis than processes. Then only every step[a]-th
	// process owns one. A process that owns none along some axis is dead on this level: it neither computes
	// nor communicates.
	step  [axes]int
	dead  bool
	minus [axes]int // rank of the neighbour below along each axis
	plus  [axes]int // and above; itself where the axis is not cut

	sources [axes][]source // for prolongAny
	loops   *kernels       // for rows of this level, and between it and the next finer
}

const (
	cacheLine = 8 // numbers in a cache line
	origin    = cacheLine - 1
)

// newLevel returns the geometry of the grid with 2^k points per axis.
func newLevel(k int, shape [axes]int, rank int, vectors nas.Level) *level {
	l := new(level)
	at := place(shape, rank)
	for a, p := range shape {
		l.first[a] = at[a] << k / p
		l.own[a] = (at[a]+1)<<k/p - l.first[a]
		l.extent[a] = l.own[a] + 2
		l.step[a] = max(1, p>>k)
		l.dead = l.dead || l.own[a] == 0
		below, above := at, at
		below[a] -= l.step[a]
		above[a] += l.step[a]
		l.minus[a], l.plus[a] = rankAt(shape, below), rankAt(shape, above)
	}
	l.row = (l.extent[0] + cacheLine - 1) / cacheLine * cacheLine
	l.plane = l.row * l.extent[1]
	l.size = origin + l.plane*l.extent[2] + 3*cacheLine // the assembly may read beyond the end
	l.loops = newKernels(vectors, l.own[axisX])
	if l.dead {
		l.loops = planesGo() // the assembly does not handle planes without points
	}
	if !l.regular() {
		l.findSources()
	}
	return l
}

// at returns the index of point (i, j, k).
func (l *level) at(i, j, k int) int { return origin + i + l.row*j + l.plane*k }

// owns reports whether this rank owns points along axis a.
func (l *level) owns(a int) bool { return l.own[a] > 0 }
