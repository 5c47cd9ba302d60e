package ft

// Copies between the arrays and the work space of a transform. Positions and strides count numbers, not
// cells.

// take copies n cells, stride apart from at on, to the start of work.
func take(work []float64, n int, from []float64, at, stride int) {
	for ; n > 0; n-- {
		*(*[cell]float64)(work) = *(*[cell]float64)(from[at:])
		work = work[cell:]
		at += stride
	}
}

// put copies cells place[0], place[1], ... of work to to, stride apart from at on.
func put(to []float64, at, stride int, work []float64, place []int32) {
	for _, p := range place {
		*(*[cell]float64)(to[at:]) = *(*[cell]float64)(work[int(p)*cell:])
		at += stride
	}
}

// takeEvolved multiplies cells of v, stride apart from at on, in place by
// ex[lane]*scale*ez[0], ex[lane]*scale*ez[1], ..., and copies them to work with
// real and imaginary parts exchanged: the transform of exchanged parts is the
// exchanged inverse transform.
func takeEvolved(work, v []float64, at, stride int, ex *[lanes]float64, scale float64, ez []float64) {
	for _, z := range ez {
		f := scale * z
		c, w := (*[cell]float64)(v[at:]), (*[cell]float64)(work)
		for i, e := range ex {
			e *= f
			re, im := c[i]*e, c[i+lanes]*e
			c[i], c[i+lanes] = re, im
			w[i], w[i+lanes] = im, re
		}
		work = work[cell:]
		at += stride
	}
}

// takeTransposed copies n cells along y from 8 rows of cells along x, stride apart from at on.
func takeTransposed(work []float64, n int, from []float64, at, stride int) {
	for x := 0; x < n; x += lanes {
		w := (*[lanes * cell]float64)(work)
		for y := range lanes {
			c := (*[cell]float64)(from[at+y*stride:])
			for i := range lanes {
				w[i*cell+y], w[i*cell+y+lanes] = c[i], c[i+lanes]
			}
		}
		work = work[lanes*cell:]
		at += cell
	}
}

// putTransposed is the inverse of takeTransposed, for a work space in the order of place.
func putTransposed(to []float64, at, stride int, work []float64, place []int32) {
	for len(place) >= lanes {
		for i, p := range place[:lanes] {
			w := (*[cell]float64)(work[int(p)*cell:])
			for y := range lanes {
				c := (*[cell]float64)(to[at+y*stride:])
				c[i], c[i+lanes] = w[y], w[y+lanes]
			}
		}
		place = place[lanes:]
		at += cell
	}
}
