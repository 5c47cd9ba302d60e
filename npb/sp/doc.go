// Package sp is the SP kernel of the NAS Parallel Benchmarks: an approximately
// factored implicit time step, diagonalised, so that its line systems are scalar
// and pentadiagonal.
//
// A step sets the update vector to T_in(dt*(R(U) - G)), solves along x, y and z in turn, each followed by a
// pointwise transform to the next eigenvectors, and adds the result to U. In each direction the five
// components use three different matrices. Eight lines are solved at a time, one in each lane of a vector;
// see rhinet/npb/cfd for the layout, the right-hand side and the decomposition.
//
// Specification: npb-bt-sp-lu, section 4 (docs/references.md).
package sp
