// Package martini is the Martini network interface controller of RHiNET in
// software, after the engineering specification "martini".
//
// What is here is the fast path: each operation runs to completion by the
// thread that kicks it, on tables that lie in the memory of the job's NICs
// (package fabric). Protection is real. A request of another job, outside
// pinned pages or beyond a segment is refused with a [Refusal], counted on
// both sides, and moves nothing: a long request, nothing from the packet on that
// is refused.
//
// How the parts of the specification map to files:
//
//	regs.go      tables and their places in NIC memory      3.2, 5.1, 8.2, 8.6
//	nic.go       one NIC, as its process has it              3.4, 8.4, 8.5
//	manager.go   the manager's part: who owns which Window   3.4, 8.5
//	pages.go     pin-down and the page table                 8.2, 8.3
//	segments.go  segment identifiers                         5.3, 8.6
//	translate.go what RVATLB and PATLB answer                5.1, 5.2, 5.5
//	mover.go     the DMA controller, with package dma        7.3
//	aotf.go      one write, one packet                       6.2
//	common.go    memory for libraries over the NIC           5.3, 9
//	window.go    requests, kick, contflag, Initiator         3, 4, 7.1
//	straight.go  requests for memory that is lent for them   4.1, 4.2
//	transmit.go  the way out alone, for measurements         13
//	packet.go    BOTF images and what RFend does with them   4.3, 6.1, 7.2
//	route.go     BOTF with translations made ahead           5, 6.1
//	channel.go   packet rings, exported counters             6.1, 9.1
//	vpush.go     the ring that the receiver fills            11
//	unusual.go   what stops a request; the stepped model     8.2, 10
//	board.go     flag lines; control words                   6.1
//	lock.go      locks in NIC memory, what firmware does     9.2
//	lockcall.go  LOCK and UNLOCK from a Window               9.2, 10.7
//
// The stepped model (package stepped) shows the state machines of section 10
// one state at a time, and works on the same tables, which hardware.go shows
// to it. A test holds the two to be one NIC. Where a machine of it is attached,
// what is unusual is run there ([NIC.FallBack]).
//
// Three handles lead to a NIC. A [NIC] is what a process has: its own Windows,
// its own memory, requests to others. A [Manager] is privileged: it starts NICs
// and says whose a Window is; whoever makes the memory of a job gets it, and nobody
// gets it from a NIC. [Hardware] is the inside of a NIC, for the stepped model, and
// only a Manager gives it out. Between processes the tables that a Manager
// and their owner write can be read by the other ranks, but not written
// (package fabric).
//
// Choices where the specification is silent are marked "Our choice".
package martini
