//go:build !purego

package mg

//go:generate go run -C _asm . -width 64 -out ../kernels_avx512_amd64.s
//go:generate go run -C _asm . -width 32 -out ../kernels_avx2_amd64.s

import "rhinet/npb/nas"

// assembly returns the loops of a level, or nil if these are in Go.
func assembly(level nas.Level) *kernels {
	switch level {
	case nas.AVX2:
		return wrap(4, &stubs{residualAVX2, smoothAVX2, restrictAVX2, prolongAVX2, prolongFreshAVX2, normAVX2})
	case nas.AVX512:
		return wrap(8, &stubs{residualAVX512, smoothAVX512, restrictAVX512, prolongAVX512, prolongFreshAVX512, normAVX512})
	}
	return nil
}

// stubs are the functions in assembly. Strides are in bytes.
type stubs struct {
	residual     func(r, v, u *float64, nx, ny, row, plane int, c *[3]float64)
	smooth       func(u, r *float64, nx, ny, row, plane int, c *[3]float64)
	restrict     func(s, r *float64, nx, ny, srow, row, plane int, c *restrictConstants)
	prolong      func(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)
	prolongFresh func(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)
	norm         func(r *float64, nx, ny, row int, sum, most *[8]float64)
}

// restrictConstants are the weights by distance, and the permutation that separates the numbers at even and
// odd positions after two vectors were interleaved.
type restrictConstants struct {
	weight [4]float64
	order  [8]uint64
}

// prolongConstants are the weights, and the permutations that interleave two vectors: which numbers form
// the first and which the second result.
type prolongConstants struct {
	weight      [3]float64
	first, last [8]uint64
}

// wrap adds Go's bounds checks to the functions. width is the length of their vectors; they read up to two
// vectors beyond a row.
func wrap(width int, s *stubs) *kernels {
	weights := &[3]float64{8.0 / 3, 1.0 / 6, 1.0 / 12}
	down := &restrictConstants{[4]float64{0.5, 0.25, 0.125, 0.0625}, [8]uint64{0, 2, 4, 6, 1, 3, 5, 7}}
	up := &prolongConstants{[3]float64{0.5, 0.25, 0.125},
		[8]uint64{0, 8, 1, 9, 2, 10, 3, 11}, [8]uint64{4, 12, 5, 13, 6, 14, 7, 15}}
	sums := new([2][8]float64) // for norm; allocated once here instead of in every call
	check := func(a []float64, at, nx, ny, row, plane int) {
		_, _ = a[at-plane-row-width], a[at+plane+ny*row+nx+2*width-1]
	}
	return &kernels{
		width: width,
		residual: func(r, v, u []float64, at, nx, ny, row, plane int) {
			check(u, at, nx, ny, row, plane)
			_, _ = r[at+(ny-1)*row+nx-1], v[at+(ny-1)*row+nx-1]
			s.residual(&r[at], &v[at], &u[at], nx, ny, 8*row, 8*plane, weights)
		},
		smooth: func(u, r []float64, at, nx, ny, row, plane int, c *[3]float64) {
			check(r, at, nx, ny, row, plane)
			_ = u[at+(ny-1)*row+nx-1]
			s.smooth(&u[at], &r[at], nx, ny, 8*row, 8*plane, c)
		},
		restrict: func(c []float64, cat, crow int, r []float64, at, nx, ny, row, plane int) {
			// at is the first point along x, but the second along y.
			check(r, at, 2*nx, 2*ny-2, row, plane)
			_ = c[cat+(ny-1)*crow+nx-1]
			s.restrict(&c[cat], &r[at], nx, ny, 8*crow, 8*row, 8*plane, down)
		},
		prolong: func(u []float64, at, row, plane int, z []float64, zat, nx, ny, zrow, zplane int, fresh bool) {
			_, _ = u[at+plane+(2*ny-1)*row+2*nx-1], z[zat+zplane+ny*zrow+nx-1]
			_ = z[zat-width]
			f := s.prolong
			if fresh {
				f = s.prolongFresh
			}
			f(&u[at], &z[zat], nx, ny, 8*row, 8*plane, 8*zrow, 8*zplane, up)
		},
		norm: func(r []float64, at, nx, ny, row int) (sum, most float64) {
			_ = r[at+(ny-1)*row+nx-1]
			*sums = [2][8]float64{}
			s.norm(&r[at], nx, ny, 8*row, &sums[0], &sums[1])
			for i := range width {
				sum += sums[0][i]
				most = max(most, sums[1][i])
			}
			return sum, most
		},
	}
}
