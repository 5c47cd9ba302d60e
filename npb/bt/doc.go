// Package bt is the BT kernel of the NAS Parallel Benchmarks: an approximately
// factored implicit time step whose line systems are block-tridiagonal, with 5x5
// blocks.
//
// A step sets the update vector to dt*(R(U) - G), solves along x, y and z in turn, and adds the result to
// U. The blocks of all three solves are formed from U at the beginning of the step. Lines are solved eight
// at a time, one in each lane of a vector; see rhinet/npb/cfd for the layout, the right-hand side and the
// decomposition.
//
// Specification: npb-bt-sp-lu, section 3 (docs/references.md).
package bt
