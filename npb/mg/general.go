package mg

// The transfers between levels for ranks that own a single fine point along some axis. The operators are
// the same, but applied point by point, since such grids are tiny.

// shift returns 1 for the axes along which coarse point l is fine point 2l-1 instead of 2l: those with a
// single fine point, which is coarse point 1.
func (l *level) shift() (d [axes]int) {
	for a, n := range l.own {
		if n == 1 {
			d[a] = 1
		}
	}
	return d
}

// restrictAny does what restrict does, for any fine level.
func (l *level) restrictAny(c *level, s, r []float64) {
	d := l.shift()
	for k := 1; k <= c.own[axisZ]; k++ {
		for j := 1; j <= c.own[axisY]; j++ {
			for i := 1; i <= c.own[axisX]; i++ {
				centre := l.at(2*i-d[axisX], 2*j-d[axisY], 2*k-d[axisZ])
				s[c.at(i, j, k)] = l.weighted(r, centre)
			}
		}
	}
}

// weighted returns the weighted mean around one element of the fine level.
func (l *level) weighted(r []float64, centre int) float64 {
	sum := 0.0
	for z := -1; z <= 1; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				w := 0.5 / float64(int(1)<<(x*x+y*y+z*z))
				sum += w * r[centre+x+y*l.row+z*l.plane]
			}
		}
	}
	return sum
}

// A source gives the points that the value at one fine index comes from, along one axis: it is the mean of
// the values at coarse indices low and high, which may be equal.
type source struct{ low, high int }

// findSources fills in l.sources for all fine indices along every axis.
func (l *level) findSources() {
	for a, d := range l.shift() {
		l.sources[a] = make([]source, l.extent[a])
		for f := range l.sources[a] {
			low := (f + d) / 2
			l.sources[a][f] = source{low, low + (f+d)%2}
		}
	}
}

// prolongAny adds the interpolation of z to u for any fine level.
func (l *level) prolongAny(c *level, u, z []float64) {
	for k, sz := range l.sources[axisZ] {
		for j, sy := range l.sources[axisY] {
			for i, sx := range l.sources[axisX] {
				sum := 0.0
				for _, ck := range [2]int{sz.low, sz.high} {
					for _, cj := range [2]int{sy.low, sy.high} {
						sum += z[c.at(sx.low, cj, ck)] + z[c.at(sx.high, cj, ck)]
					}
				}
				u[l.at(i, j, k)] += 0.125 * sum
			}
		}
	}
}
