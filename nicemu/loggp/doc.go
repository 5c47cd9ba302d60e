// Package loggp holds the cheap models of networks: LogGP, which knows no
// topology, and a fat tree with contention at each of its links.
//
//	parameters.go  tables of parameters
//	flow.go        packets that reserve one link after the other
//	loggp.go       two links for each rank: out and in
//	fattree.go     a k-ary n-tree
//
// Both follow the LogGP model of Alexandrov, Ionescu, Schauser and Scheiman (1995), with the
// overhead for each byte and the size from which senders wait for receivers that
// LogGOPS has beside it: latency L, overhead o, gap g between packets, gap G for each byte.
//
// A packet has a link while its bytes pass, and its head goes on at once: virtual
// cut-through with buffers that are always large enough. It takes one event a
// link. Who comes first to a link has it first, in virtual time.
package loggp
