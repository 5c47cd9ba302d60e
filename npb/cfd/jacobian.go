package cfd

// Matrix is a 5x5 block, by rows.
type Matrix [Components][Components]float64

// viscosity returns the weight of v_a in the momentum equations of direction d;
// a runs from 1 to 3.
func viscosity(a, d int) float64 {
	if a == d+1 {
		return 4.0 / 3 * Kappa
	}
	return Kappa
}

// Jacobians returns the derivatives with respect to the state u of the convective flux in direction d, and
// of its viscous part (section 1.7).
func Jacobians(u *[Components]float64, d int) (a, n Matrix) {
	r := 1 / u[0]
	v := [4]float64{0, u[1] * r, u[2] * r, u[3] * r}
	q := 0.5 * (v[1]*v[1] + v[2]*v[2] + v[3]*v[3])
	e := u[4] * r
	x := d + 1
	vd := v[x]
	a[0][x] = 1
	for i := 1; i <= 3; i++ {
		a[i][0] = -v[i] * vd
		a[i][i] += vd
		a[i][x] += v[i]
		a[4][i] = -C2 * v[i] * vd
	}
	a[x][0] += C2 * q
	for b := 1; b <= 3; b++ {
		a[x][b] -= C2 * v[b]
	}
	a[x][4] = C2
	a[4][0] = (2*C2*q - C1*e) * vd
	a[4][x] += C1*e - C2*q
	a[4][4] = C1 * vd

	for i := 1; i <= 3; i++ {
		k := viscosity(i, d)
		n[i][0], n[i][i] = -k*v[i]*r, k*r
		n[4][i] = (k - Kappa5) * v[i] * r
		n[4][0] -= (k - Kappa5) * v[i] * v[i] * r
	}
	n[4][0] -= Kappa5 * e * r
	n[4][4] = Kappa5 * r
	return a, n
}
