// Package is is the NAS kernel IS, integer sort: it finds the sorted position of N integer keys, ten times,
// with two keys changed before each time.
//
// Each rank sorts its keys into buckets. The ranks agree on which rank takes which buckets, so that all get
// about the same number of keys. The keys are exchanged all-to-all, and each rank counts the values of the
// keys it received. The kernel mainly tests memory access and short collective operations.
package is
