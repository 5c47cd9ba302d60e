package cfd

// Components is the number of unknowns of a point: density, three momenta, energy.
const Components = 5

// Constants of the model (section 1.2).
const (
	C1 = 1.4 // ratio of specific heats
	C2 = 0.4 // C1 - 1

	Kappa  = 0.1   // c3*c4: viscosity
	Kappa5 = 0.196 // c1*c5*c3*c4: heat conduction

	C1C5 = 1.96 // c1*c5

	// Dissipation4 is S, the coefficient of the fourth-difference dissipation.
	Dissipation4 = 0.25
)

// Dissipation2 returns D, the coefficient of the second-difference dissipation,
// of direction d (0, 1, 2 for x, y, z).
func Dissipation2(d int) float64 {
	if d == 2 {
		return 1.0
	}
	return 0.75
}

// Steps returns 1/h^2 and 1/(2h), the factors of second and first differences
// on a grid with n points to an edge.
func Steps(n int) (t1, t2 float64) {
	h := float64(n - 1)
	return h * h, h / 2
}

// DissipationRow returns the coefficients of the fourth difference at index g of a line of n points, for
// the offsets -2..+2, without the factor S. Next to the boundary, the terms that would use boundary values
// are 0.
func DissipationRow(n, g int) [5]float64 {
	row := [5]float64{1, -4, 6, -4, 1}
	if g <= 2 {
		row[0] = 0
	}
	if g >= n-3 {
		row[4] = 0
	}
	if g == 1 {
		row[1], row[2] = 0, 5
	}
	if g == n-2 {
		row[2], row[3] = 5, 0
	}
	return row
}
