// Package lu is the LU kernel of the NAS Parallel Benchmarks: symmetric successive
// over-relaxation, with a lower and an upper block-triangular sweep in each step.
//
// The grid is cut into pencils along z. A sweep goes through the planes one by one, as a wavefront over the
// ranks: before a plane is computed, the values at its edges arrive from two neighbours, and afterwards
// those at the other edges are sent to the other two. Within a plane the points of a diagonal i+j =
// constant do not depend on each other; they are adjacent in memory (rhinet/npb/cfd, DiagonalLayout), and
// vector instructions process several at once.
//
// Specification: npb-bt-sp-lu, section 5 (docs/references.md).
package lu
