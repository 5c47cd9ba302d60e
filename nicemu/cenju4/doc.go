// Package cenju4 is the network interface of Cenju-4: user programs write parcels into
// queues in main memory, hardware cuts them into packets, and a multistage network of 4x4
// switches carries them, to one node or to many, or meets them for a barrier.
//
// What a node has (cenju4, section 3):
//
//	header queues     parcels that wait: the OS's, replies, the task's      sender.go
//	Sender            checks a parcel, cuts it, reads the data               sender.go, cut.go
//	Receiver          looks addresses up, writes, answers, tells             receiver.go, reply.go
//	buffer table      where messages go, address registers, log              buffers.go
//	page tables       4 segments of pages: who may reach what                pages.go
//	header tables     nodes, multicast sets, synchronizations                tables.go
//
// What a parcel can be: remote DMA (also to an address register of the receiver), message
// 0 and 1, atomic add, remote read, swap, compare and swap; to one node, or, but for those
// that are answered, to a set of nodes; or a synchronization (parcel.go).
//
// What is here is the fast path: the thread that posts a parcel does what all modules on its way
// would do, on tables that lie in the memory of the job (package fabric). A
// refused parcel moves nothing; a multicast is refused by each node for itself. What a process
// uses again and again is looked up once, as a [Way]. [NIC.Write] and [NIC.Read] are the software
// that the hardware expects: they cut at 512 KByte, send odd words and repair words apart.
//
// Package stepped shows the same parcels one state at a time, and a test holds the two to be one NIC.
//
// Three handles lead to a NIC. A [NIC] is what a process has. A [Manager] is the OS, which
// writes the tables of a job before any process runs. [Hardware] is the inside, for the
// stepped model, and only a Manager gives it out.
//
// Where the specification is silent and suggests nothing, or where we leave its
// suggestion, the code says "Our choice"; docs/cenju4.md has the reasons.
package cenju4
