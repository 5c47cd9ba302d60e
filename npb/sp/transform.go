package sp

import "rhinet/npb/cfd"

// transformX converts from the eigenvectors of the x direction to those of y (section 4.2, T_x).
func transformX(x *[cfd.Components]cfd.LanesOf) {
	for l := range w {
		r0, r1, r3, r4 := x[0][l], x[1][l], x[3][l], x[4][l]
		w1, w2 := rootHalf*x[2][l], 0.5*(r3+r4)
		x[0][l], x[1][l], x[2][l], x[3][l], x[4][l] = -r1, r0, rootHalf*(r3-r4), w2-w1, w2+w1
	}
}

// transformY converts from the eigenvectors of y to those of z (T_y).
func transformY(x *[cfd.Components]cfd.LanesOf) {
	for l := range w {
		r1, r2, r3, r4 := x[1][l], x[2][l], x[3][l], x[4][l]
		w1, w2 := rootHalf*x[0][l], 0.5*(r3+r4)
		x[0][l], x[1][l], x[2][l], x[3][l], x[4][l] = rootHalf*(r3-r4), -r2, r1, w2-w1, w2+w1
	}
}

// transformZ converts from the eigenvectors of z back to the unknowns (T_z); m1..m3 are the momenta, c is
// the speed of sound.
func transformZ(r0, r1, r2, r3, r4, rho, m1, m2, m3, reciprocal, c float64) (s0, s1, s2, s3, s4 float64) {
	v1, v2, v3 := m1*reciprocal, m2*reciprocal, m3*reciprocal
	q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
	w1 := rootHalf * rho / c * (r3 + r4)
	w2 := r2 + w1
	w3 := rootHalf * rho * (r3 - r4)
	return w2,
		v1*w2 - rho*r1,
		v2*w2 + rho*r0,
		v3*w2 + w3,
		rho*(v2*r0-v1*r1) + q*w2 + c*c/cfd.C2*w1 + v3*w3
}
