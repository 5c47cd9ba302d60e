package cfd

// exactTable holds the coefficients of the exact solution: for each component the
// constant, then x, y, z to the first, second, third and fourth power.
var exactTable = [Components][13]float64{
	{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
	{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
	{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
	{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
	{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}

// Exact returns the steady state at the coordinates x, y, z in [0, 1] (section
// 1.3).
func Exact(x, y, z float64) [Components]float64 {
	var u [Components]float64
	for m := range u {
		c := &exactTable[m]
		u[m] = c[0] +
			x*(c[1]+x*(c[4]+x*(c[7]+x*c[10]))) +
			y*(c[2]+y*(c[5]+y*(c[8]+y*c[11]))) +
			z*(c[3]+z*(c[6]+z*(c[9]+z*c[12])))
	}
	return u
}

// ExactAt returns the exact solution at a grid point.
func ExactAt(n, i, j, k int) [Components]float64 {
	h := 1 / float64(n-1)
	return Exact(coordinate(n, i, h), coordinate(n, j, h), coordinate(n, k, h))
}

// coordinate returns i*h, and exactly 1 on the high face.
func coordinate(n, i int, h float64) float64 {
	if i == n-1 {
		return 1
	}
	return float64(i) * h
}

// Initial returns the initial value of a grid point: exact on the boundary, and inside a blend of products
// of face values (section 1.4), which is deliberately far from the solution.
func Initial(n, i, j, k int) [Components]float64 {
	if !interior(n, i) || !interior(n, j) || !interior(n, k) {
		return ExactAt(n, i, j, k)
	}
	h := 1 / float64(n-1)
	x, y, z := float64(i)*h, float64(j)*h, float64(k)*h
	xl, xh := Exact(0, y, z), Exact(1, y, z)
	yl, yh := Exact(x, 0, z), Exact(x, 1, z)
	zl, zh := Exact(x, y, 0), Exact(x, y, 1)
	var u [Components]float64
	for m := range u {
		p := (1-x)*xl[m] + x*xh[m]
		s := (1-y)*yl[m] + y*yh[m]
		g := (1-z)*zl[m] + z*zh[m]
		u[m] = p + s + g - p*s - s*g - g*p + p*s*g
	}
	return u
}

func interior(n, i int) bool { return i >= 1 && i <= n-2 }
