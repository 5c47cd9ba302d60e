// Package cg is the NAS kernel CG, conjugate gradient: it estimates an
// eigenvalue of a large random sparse matrix by inverse iteration, with 25
// steps of the conjugate gradient method for each linear system.
//
// The ranks form a grid. Each owns a block of the matrix and the segment of the vectors that belongs to its
// columns; products are summed along grid rows and sent to the transposed position. The kernel is dominated
// by irregular memory accesses and short messages between distant ranks.
package cg
