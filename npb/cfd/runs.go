package cfd

// Order says which points of a plane follow each other in memory.
type Order int

// The orders of RowLayout and DiagonalLayout.
const (
	ByRows Order = iota
	ByDiagonals
)

// Run is a sequence of interior points that are contiguous in memory: a row, or
// a diagonal, of a plane.
//
// A run of a diagonal may begin with points that are to be skipped, so that vectors begin on cache lines.
type Run struct {
	I, J int // local indices of the first point
	Skip int // points at the beginning that are not part of the run
	Len  int // including those
}

// Runs returns the runs that make up the interior points of a plane of the box.
func (b *Box) Runs(order Order) []Run {
	i0, i1 := b.Inside(0)
	j0, j1 := b.Inside(1)
	var runs []Run
	if order == ByRows {
		for j := j0; j < j1; j++ {
			runs = append(runs, Run{I: i0, J: j, Len: i1 - i0})
		}
		return runs
	}
	for s := i0 + j0; s <= i1-1+j1-1; s++ {
		from, to := max(j0, s-(i1-1)), min(j1-1, s-i0)
		runs = append(runs, diagonalRun(s, from, to-from+1, j0))
	}
	return runs
}

// diagonalRun returns the run of n points with j >= from on diagonal s; first is the index that
// DiagonalLayout aligns to a cache line. A short run begins there only if that takes no additional vector.
func diagonalRun(s, from, n, first int) Run {
	skip := (from - first) % Lanes
	if n <= 2*Lanes && (n+skip+Lanes-1)/Lanes > (n+Lanes-1)/Lanes {
		skip = 0
	}
	return Run{I: s - from + skip, J: from - skip, Skip: skip, Len: n + skip}
}

// point returns the local indices of point x of the run.
func (r Run) point(order Order, x int) (i, j int) {
	x = max(r.Skip, min(x, r.Len-1)) // vectors may reach beyond the ends
	if order == ByRows {
		return r.I + x, r.J
	}
	return r.I - x, r.J + x
}
