// Package ft is the NAS kernel FT: it solves a diffusion equation on a periodic box by a three-dimensional
// fast Fourier transform, and transforms back at each of several times.
//
// The box is cut into slabs along z; one all-to-all exchange per transform turns them into slabs along y.
// The kernel is dominated by bisection bandwidth.
//
// # Layout
//
// Complex numbers are stored in cells of 8: eight real parts, then eight imaginary parts, two cache lines.
// A one-dimensional transform works on 8 lines at a time, one per position in the cell, so that every step
// is the same for eight adjacent numbers. There are three arrangements; the last index varies fastest, * is
// the position in the cell:
//
//	space:     z in own slab, y/8, x, *=y    initial values and results
//	mixed:     y slab, z in own slab, y in y slab, x/8, *=x
//	frequency: z, y in own slab, x/8, *=x
//
// The transform along x needs the first arrangement, those along y and z the others. The exchange sends
// part s of mixed to rank s, where it is already in the order of frequency, so nothing is reordered for the
// exchange.
package ft
