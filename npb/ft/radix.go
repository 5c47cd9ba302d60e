package ft

// radixFour does one step of the transforms of the blocks of 4*quarter points
// in work: it combines points a quarter apart, and multiplies the results by
// roots of unity.
func radixFour(work []float64, quarter int, roots []float64) {
	for q := quarter * cell; len(work) >= 4*q; work = work[4*q:] {
		combine(work[:q], work[q:][:q], work[2*q:][:q], work[3*q:][:q], roots)
	}
}

// combine is the step on the four quarters of one block.
func combine(x0, x1, x2, x3, roots []float64) {
	for len(x0) >= cell && len(x1) >= cell && len(x2) >= cell && len(x3) >= cell && len(roots) >= rootsPerStep {
		a, b, c, d := (*[cell]float64)(x0), (*[cell]float64)(x1), (*[cell]float64)(x2), (*[cell]float64)(x3)
		w := (*[rootsPerStep]float64)(roots)
		w1r, w1i, w2r, w2i, w3r, w3i := w[0], w[1], w[2], w[3], w[4], w[5]
		for i := range lanes {
			sr, si := a[i]+c[i], a[i+lanes]+c[i+lanes]
			dr, di := a[i]-c[i], a[i+lanes]-c[i+lanes]
			tr, ti := b[i]+d[i], b[i+lanes]+d[i+lanes]
			er, ei := d[i+lanes]-b[i+lanes], b[i]-d[i] // i (b - d)
			a[i], a[i+lanes] = sr+tr, si+ti
			ur, ui := dr+er, di+ei
			b[i], b[i+lanes] = ur*w1r-ui*w1i, ur*w1i+ui*w1r
			ur, ui = sr-tr, si-ti
			c[i], c[i+lanes] = ur*w2r-ui*w2i, ur*w2i+ui*w2r
			ur, ui = dr-er, di-ei
			d[i], d[i+lanes] = ur*w3r-ui*w3i, ur*w3i+ui*w3r
		}
		x0, x1, x2, x3, roots = x0[cell:], x1[cell:], x2[cell:], x3[cell:], roots[rootsPerStep:]
	}
}

// lastFour does the transforms of length 4 of adjacent points.
func lastFour(x []float64) {
	for ; len(x) >= 4*cell; x = x[4*cell:] {
		a, b := (*[cell]float64)(x), (*[cell]float64)(x[cell:])
		c, d := (*[cell]float64)(x[2*cell:]), (*[cell]float64)(x[3*cell:])
		for i := range lanes {
			sr, si := a[i]+c[i], a[i+lanes]+c[i+lanes]
			dr, di := a[i]-c[i], a[i+lanes]-c[i+lanes]
			tr, ti := b[i]+d[i], b[i+lanes]+d[i+lanes]
			er, ei := d[i+lanes]-b[i+lanes], b[i]-d[i]
			a[i], a[i+lanes] = sr+tr, si+ti
			b[i], b[i+lanes] = dr+er, di+ei
			c[i], c[i+lanes] = sr-tr, si-ti
			d[i], d[i+lanes] = dr-er, di-ei
		}
	}
}

// lastTwo does the transforms of length 2 of adjacent points.
func lastTwo(x []float64) {
	for ; len(x) >= 2*cell; x = x[2*cell:] {
		a, b := (*[cell]float64)(x), (*[cell]float64)(x[cell:])
		for i := range a {
			a[i], b[i] = a[i]+b[i], a[i]-b[i]
		}
	}
}
