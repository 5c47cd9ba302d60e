// Package sync is a communication/synchronization controller as a network interface
// (sync-controller): in addition to the data network of a cluster, each node has a Responsive
// Processor (RP) with local memory, an event link for packets of 16 bytes, a data link for long
// ones, and a distributed barrier controller (BC).
//
//	regs.go     the RP's tables, and the local memory that others write
//	manager.go  assigns buffers in local memory, and starts the RPs (sync-controller, section 8)
//	way.go      data packets to a receive buffer of another RP, looked up in advance
//	event.go    event packets, and the queue from which a process reads them (1.3)
//	locks.go    Non-Collision Locks (4)
//	flags.go    lines that the RPs forward to all nodes
//	codes.go    the codes of RBCQ-1 at the distributed BC (6, 7)
//	refusal.go  the reasons of refusals
//
// This package is the fast path: the thread that makes a request does the work of RP and BC, on
// memory of the job (package fabric). Package syncctl is the same controller in virtual time, hop
// by hop and with the central BC as a separate machine; a test compares the two.
//
// The central BC is not a separate machine here, because its state follows from one number of each
// node: the place, in the order of all synchronizations, of the next code that the node will
// execute. A node may pass its code at place p when no other node's number is below p: then every
// earlier head of the barrier queue has become empty. So each distributed BC shows its number to
// all others, in a line of tables that no other process can write, and reads theirs.
//
// A [NIC] is the handle of a process. A [Manager] is that of the process that makes the memory of a
// job; it cannot be had from a NIC.
//
// Choices where the specification is silent are marked "Our choice". It does not mention
// protection.
package sync
