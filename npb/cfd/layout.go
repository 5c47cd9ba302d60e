package cfd

// Lanes is the number of points that vector loops process together. Line solves store their state in groups
// of Lanes lines for any width of the registers, so that ranks on different machines can exchange it.
const Lanes = 8

// margin is the number of doubles before the first and after the last point of a layout: vectors at the
// ends of runs read, but never write, beyond them.
const margin = 64

// Layout says where the components of the points of a box are stored in one slice. The distances between
// neighbours in each direction and between components are the same for every point.
type Layout struct {
	Stride [3]int // distance of neighbours in x, y, z, in doubles
	Comp   int    // distance of components, in doubles
	Size   int    // length of a slice that holds the box
	origin int    // index of component 0 of point (0, 0, 0)
}

// At returns the index of component 0 of the point (i, j, k) of the box. Ghost
// points have negative indices, or indices beyond the edge.
func (l *Layout) At(i, j, k int) int {
	return l.origin + i*l.Stride[0] + j*l.Stride[1] + k*l.Stride[2]
}

// New returns a field of the layout, all zero.
func (l *Layout) New() []float64 { return make([]float64, l.Size) }

// RowLayout stores a box of edge points, with ghost layers around, as rows along
// x: first component 0 of a row, then component 1, and so on; then the next row in
// y, then in z. The point with x index first starts on a cache line.
func RowLayout(edge [3]int, ghost, comps, first int) Layout {
	nx := roundUp(edge[0]+2*ghost+Lanes-1, Lanes)
	ny, nz := edge[1]+2*ghost, edge[2]+2*ghost
	l := Layout{Stride: [3]int{1, comps * nx, comps * nx * ny}, Comp: nx}
	shift := (2*Lanes - (ghost+first)%Lanes) % Lanes
	l.origin = margin + shift + ghost*(l.Stride[0]+l.Stride[1]+l.Stride[2])
	// Transposes read up to Lanes rows that do not exist.
	l.Size = comps*nx*(ny*nz+Lanes) + 2*margin
	return l
}

// DiagonalLayout stores each z plane of a box by its diagonals i+j = constant, along y within a diagonal.
// The points of a diagonal do not depend on each other in a sweep over the plane, so they can be lanes of a
// vector, while a neighbour in x or y is still at a fixed distance. Half of the slice is unused. The points
// with y index first start on cache lines.
func DiagonalLayout(edge [3]int, ghost, comps, first int) Layout {
	w := roundUp(edge[1]+2*ghost, Lanes)
	diagonals := edge[0] + edge[1] + 4*ghost - 1
	row := comps * w
	l := Layout{Stride: [3]int{row, row + 1, row * diagonals}, Comp: w}
	shift := (2*Lanes - (ghost+first)%Lanes) % Lanes
	l.origin = margin + shift + ghost*(l.Stride[0]+l.Stride[1]+l.Stride[2])
	l.Size = l.Stride[2]*(edge[2]+2*ghost) + 2*margin + Lanes
	return l
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
