package cg

// The loops over vectors. Slices are cut to one length first, so that the
// compiler needs no bounds checks inside.

// dot returns x . y.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return a + b + c + d
}

// dots returns x . z and z . z.
func dots(x, z []float64) (xz, zz float64) {
	x = x[:len(z)]
	for i, v := range z {
		xz += x[i] * v
		zz += v * v
	}
	return xz, zz
}

// scale sets x = f z.
func scale(x []float64, f float64, z []float64) {
	x = x[:len(z)]
	for i, v := range z {
		x[i] = f * v
	}
}

// advance sets z += alpha d, r -= alpha q, and returns r . r.
func advance(z, r []float64, alpha float64, d, q []float64) float64 {
	n := len(z)
	r, d, q = r[:n], d[:n], q[:n]
	var a, b float64
	i := 0
	for ; i < n-1; i += 2 {
		z[i] += alpha * d[i]
		z[i+1] += alpha * d[i+1]
		u, v := r[i]-alpha*q[i], r[i+1]-alpha*q[i+1]
		r[i], r[i+1] = u, v
		a += u * u
		b += v * v
	}
	if i < n {
		z[i] += alpha * d[i]
		u := r[i] - alpha*q[i]
		r[i] = u
		a += u * u
	}
	return a + b
}

// direct sets d = r + beta d.
func direct(d, r []float64, beta float64) {
	r = r[:len(d)]
	for i, v := range d {
		d[i] = r[i] + beta*v
	}
}

// distance returns |x - r| squared.
func distance(x, r []float64) float64 {
	r = r[:len(x)]
	var sum float64
	for i, v := range x {
		d := v - r[i]
		sum += d * d
	}
	return sum
}

// accumulate sets w += in.
func accumulate(w, in []float64) {
	in = in[:len(w)]
	for i, v := range in {
		w[i] += v
	}
}
