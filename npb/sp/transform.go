package sp

import "rhinet/npb/cfd"

// transformX leads from the eigenvectors of the x direction to those of y (section
// SP, "pointwise transforms", T_x).
func transformX(r [cfd.Components]float64) [cfd.Components]float64 {
	w1, w2 := rootHalf*r[2], 0.5*(r[3]+r[4])
	return [cfd.Components]float64{-r[1], r[0], rootHalf * (r[3] - r[4]), w2 - w1, w2 + w1}
}

// transformY leads from the eigenvectors of y to those of z (T_y).
func transformY(r [cfd.Components]float64) [cfd.Components]float64 {
	w1, w2 := rootHalf*r[0], 0.5*(r[3]+r[4])
	return [cfd.Components]float64{rootHalf * (r[3] - r[4]), -r[2], r[1], w2 - w1, w2 + w1}
}

// transformZ leads from the eigenvectors of z back to the unknowns (T_z); m1..m3
// are momenta, c is the speed of sound.
func transformZ(r [cfd.Components]float64, rho, m1, m2, m3, reciprocal, c float64) [cfd.Components]float64 {
	v1, v2, v3 := m1*reciprocal, m2*reciprocal, m3*reciprocal
	q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
	w1 := rootHalf * rho / c * (r[3] + r[4])
	w2 := r[2] + w1
	w3 := rootHalf * rho * (r[3] - r[4])
	return [cfd.Components]float64{
		w2,
		v1*w2 - rho*r[1],
		v2*w2 + rho*r[0],
		v3*w2 + w3,
		rho*(v2*r[0]-v1*r[1]) + q*w2 + c*c/cfd.C2*w1 + v3*w3,
	}
}
