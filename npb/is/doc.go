// Package is is the NAS kernel IS, integer sort: it finds the sorted position
// of N integer keys, ten times, with two keys altered before each time.
//
// Each rank sorts its keys into buckets, the ranks agree on who takes which
// buckets so that everybody has about the same number of keys, the keys
// travel in one all-to-all exchange, and each rank counts the key values it
// received. It is the kernel of memory traffic and of short collectives.
package is
