package cfd

// Ghosts is the number of ghost layers around a box.
const Ghosts = 2

// Box is a part of the global grid that one rank owns.
type Box struct {
	N    int    // points of the global grid to an edge
	Low  [3]int // global indices of the first point
	Edge [3]int // points in each direction, without ghost layers
}

// Inside returns the range [from, to) of local indices in direction d that are
// not on the global boundary.
func (b *Box) Inside(d int) (from, to int) {
	to = b.Edge[d]
	if b.Low[d] == 0 {
		from = 1
	}
	if b.Low[d]+b.Edge[d] == b.N {
		to--
	}
	return from, to
}

// Fill sets the points of the box in u, and its ghost points on the global grid, to the values of f.
// Components beyond the five, and points outside of the grid, get harmless values: vectors compute with
// them, but the results are not used.
func (b *Box) Fill(u []float64, l *Layout, f func(n, i, j, k int) [Components]float64) {
	for k := -Ghosts; k < b.Edge[2]+Ghosts; k++ {
		for j := -Ghosts; j < b.Edge[1]+Ghosts; j++ {
			for i := -Ghosts; i < b.Edge[0]+Ghosts; i++ {
				v := [Components]float64{1, 0, 0, 0, 1}
				if b.onGrid(0, i) && b.onGrid(1, j) && b.onGrid(2, k) {
					v = f(b.N, b.Low[0]+i, b.Low[1]+j, b.Low[2]+k)
				}
				at := l.At(i, j, k)
				for m, x := range v {
					u[at+m*l.Comp] = x
				}
			}
		}
	}
}

func (b *Box) onGrid(d, i int) bool {
	g := b.Low[d] + i
	return g >= 0 && g < b.N
}

// AddErrorSquares adds to sum the squares of u - u* at all points of the box, including boundary points.
func (b *Box) AddErrorSquares(sum *[Components]float64, u []float64, l *Layout) {
	for k := range b.Edge[2] {
		for j := range b.Edge[1] {
			for i := range b.Edge[0] {
				e := ExactAt(b.N, b.Low[0]+i, b.Low[1]+j, b.Low[2]+k)
				at := l.At(i, j, k)
				for m := range sum {
					d := u[at+m*l.Comp] - e[m]
					sum[m] += d * d
				}
			}
		}
	}
}

// AddSquares adds the squares of the interior points of r to sum.
func (b *Box) AddSquares(sum *[Components]float64, r []float64, l *Layout) {
	i0, i1 := b.Inside(0)
	j0, j1 := b.Inside(1)
	k0, k1 := b.Inside(2)
	for k := k0; k < k1; k++ {
		for j := j0; j < j1; j++ {
			for i := i0; i < i1; i++ {
				at := l.At(i, j, k)
				for m := range sum {
					x := r[at+m*l.Comp]
					sum[m] += x * x
				}
			}
		}
	}
}
