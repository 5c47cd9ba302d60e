// Package lu is the LU kernel of the NAS Parallel Benchmarks: symmetric successive
// over-relaxation, with a lower and an upper block-triangular sweep in each step.
//
// The grid is cut into pencils along z. A sweep goes through the planes one by one,
// as a wavefront over the ranks: values at the edge of a plane arrive from two
// neighbours before it is computed and leave to the other two after. Within a plane
// the points of a diagonal i+j = constant do not depend on each other; they lie side
// by side in memory (rhinet/npb/cfd, DiagonalLayout), and vectors work on several
// at once.
//
// Specification: npb-bt-sp-lu, section 5 (docs/references.md).
package lu
