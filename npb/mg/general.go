package mg

// The transfers between levels for ranks that own a single fine point along
// some axis. They are the same operators, point by point: such grids are tiny.

// shift is 1 along axes where coarse point l lies on fine point 2l-1 instead
// of 2l: those with a single fine point, which is coarse point 1.
func (l *level) shift() (d [axes]int) {
	for a, n := range l.own {
		if n == 1 {
			d[a] = 1
		}
	}
	return d
}

// restrictAny is restrict for any fine level.
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

// weighted is the restriction at one fine element.
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

// A source is where one fine index gets its value from along an axis: the mean
// of coarse indices low and high, which may be the same.
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
