// Package cenju4 is the network interface of Cenju-4: user programs write parcels into queues in
// main memory, hardware cuts them into packets, and a multistage network of 4x4 switches carries
// them to one node or to many, or collects them for a barrier.
//
// What a node has (cenju4, section 3):
//
//	header queues     waiting parcels: the OS's, replies, the task's        sender.go
//	Sender            checks a parcel, cuts it, reads the data               sender.go, cut.go
//	Receiver          looks addresses up, writes, answers, reports           receiver.go, reply.go
//	buffer table      message buffers, address registers, log                buffers.go
//	page tables       4 segments of pages, with rights                       pages.go
//	header tables     nodes, multicast sets, synchronizations                tables.go
//
// The parcels are: remote DMA (also to an address register of the receiver), message 0 and 1,
// atomic add, remote read, swap, compare and swap, each to one node or, if it has no answer, to a
// set of nodes; and synchronization (parcel.go).
//
// This package is the fast path: the thread that posts a parcel does the work of all modules on the
// parcel's path, on tables in the memory of the job (package fabric). A refused parcel moves
// nothing; each node of a multicast refuses for itself. A destination that a process uses
// repeatedly is looked up once, as a [Way]. [NIC.Write] and [NIC.Read] are the software that the
// hardware expects: they cut at 512 KByte, and send odd words and repairs of words separately.
//
// Package stepped shows the same parcels one state at a time, and a test checks that both behave as
// the same NIC.
//
// There are three handles to a NIC. A [NIC] is that of a process. A [Manager] is the OS, which
// writes the tables of a job before any process runs. [Hardware] is the inside, for the stepped
// model, and only a Manager returns it.
//
// Where the specification is silent and suggests nothing, or where we do not follow its suggestion,
// the code says "Our choice"; docs/cenju4.md has the reasons.
package cenju4
