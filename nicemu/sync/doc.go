// Package sync is a communication/synchronization controller as a network interface (sync-controller): beside the
// data network of a cluster each node has a Responsive Processor (RP) with local memory, an event link for
// packets of 16 bytes, a data link for long ones, and a distributed barrier controller (BC).
//
//	regs.go     the RP's tables, and what of its local memory others write
//	manager.go  who assigns buffers in local memory, and starts the RPs (sync-controller, section 8)
//	way.go      data packets to a receive buffer of another RP, looked up ahead
//	event.go    event packets, and the queue in which a process finds them (1.3)
//	locks.go    Non-Collision Locks (4)
//	flags.go    lines that the RPs pass on to all
//	codes.go    the codes of RBCQ-1 at the distributed BC (6, 7)
//	refusal.go  each reason not to do something
//
// What is here is the fast path: what RP and BC would do is done by the thread that asks for
// it, on memory of the job (package fabric). Package syncctl is the same controller in virtual time, hop by hop
// and with the central BC as a machine of its own; a test holds the two to one
// another.
//
// The central BC is not written here as a machine, because its state follows from one number of each node: the
// place, in the order of all synchronizations, of the next code that the node will execute. A node may pass its
// code at place p when no other's number is below p: then every earlier head of the barrier queue has become
// empty, whoever saw it first. So each distributed BC shows its number to all others,
// in a line of tables that no other process can write, and looks at theirs.
//
// A [NIC] is what a process has. A [Manager] is who makes the memory of a job; nothing leads from a NIC to it.
//
// Choices where the specification is silent are marked "Our choice". It says nothing of protection.
package sync
