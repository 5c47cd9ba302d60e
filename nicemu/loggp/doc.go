// Package loggp has the cheap models of networks: LogGP, which has no topology, and a fat tree with
// contention at each of its links.
//
//	parameters.go  tables of parameters
//	flow.go        packets that reserve one link after the other
//	loggp.go       two links for each rank: out and in
//	fattree.go     a k-ary n-tree
//
// Both follow the LogGP model of Alexandrov, Ionescu, Schauser and Scheiman (1995), with two
// parameters of LogGOPS, the overhead for each byte and the size from which senders wait for
// receivers: latency L, overhead o, gap g between packets, gap G for each byte.
//
// A packet occupies a link while its bytes pass, and its head moves on at once: this is virtual
// cut-through with buffers that are always large enough. It takes one event for each link. Links
// serve packets in the order of their arrival in virtual time.
package loggp
