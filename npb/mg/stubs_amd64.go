//go:build !purego

package mg

// The functions in assembly; see the program in _asm. Each is the Go function
// of its name with Plane for the suffix.

//go:noescape
func residualAVX2(r, v, u *float64, nx, ny, row, plane int, c *[3]float64)

//go:noescape
func smoothAVX2(u, r *float64, nx, ny, row, plane int, c *[3]float64)

//go:noescape
func restrictAVX2(s, r *float64, nx, ny, srow, row, plane int, c *restrictConstants)

//go:noescape
func prolongAVX2(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)

//go:noescape
func prolongFreshAVX2(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)

//go:noescape
func normAVX2(r *float64, nx, ny, row int, sum, most *[8]float64)

//go:noescape
func residualAVX512(r, v, u *float64, nx, ny, row, plane int, c *[3]float64)

//go:noescape
func smoothAVX512(u, r *float64, nx, ny, row, plane int, c *[3]float64)

//go:noescape
func restrictAVX512(s, r *float64, nx, ny, srow, row, plane int, c *restrictConstants)

//go:noescape
func prolongAVX512(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)

//go:noescape
func prolongFreshAVX512(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *prolongConstants)

//go:noescape
func normAVX512(r *float64, nx, ny, row int, sum, most *[8]float64)
