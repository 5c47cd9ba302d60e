// Package ft is the NAS kernel FT: it solves a diffusion equation on a periodic
// box by a three-dimensional fast Fourier transform, and transforms back at
// each of several times.
//
// The box is cut into slabs along z; one all-to-all exchange per transform
// turns them into slabs along y. It is the kernel of bisection bandwidth.
//
// # Layout
//
// Complex numbers are kept in cells of 8: eight real parts, then eight
// imaginary parts, two cache lines. A one-dimensional transform works on 8
// lines at a time, one per place in the cell, so that every step is the same
// for eight numbers side by side. Three arrangements occur; the last index
// varies fastest, * is the place in the cell:
//
//	space:     z in own slab, y/8, x, *=y    initial values and results
//	mixed:     y slab, z in own slab, y in y slab, x/8, *=x
//	frequency: z, y in own slab, x/8, *=x
//
// The transform along x needs the first, those along y and z the others. The
// exchange sends part s of mixed to rank s, where it lies already in the order
// of frequency, so nothing is reordered on its account.
package ft
