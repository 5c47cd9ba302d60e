// Package martini is the Martini network interface controller of RHiNET in
// software, after the engineering specification "martini".
//
// This package is the fast path: the thread that kicks an operation carries it out at once, on
// tables in the memory of the job's NICs (package fabric). Protection is real. A request of another
// job, outside pinned pages or beyond a segment is refused with a [Refusal], counted on both sides,
// and moves nothing; a long request moves nothing from the refused packet on.
//
// How the parts of the specification map to files:
//
//	regs.go      tables and their places in NIC memory      3.2, 5.1, 8.2, 8.6
//	nic.go       one NIC, as its process sees it             3.4, 8.4, 8.5
//	manager.go   the manager's part: the owners of Windows   3.4, 8.5
//	pages.go     pin-down and the page table                 8.2, 8.3
//	segments.go  segment identifiers                         5.3, 8.6
//	translate.go look-ups in RVATLB and PATLB                5.1, 5.2, 5.5
//	mover.go     the DMA controller, with package dma        7.3
//	aotf.go      one write, one packet                       6.2
//	common.go    memory for libraries over the NIC           5.3, 9
//	window.go    requests, kick, contflag, Initiator         3, 4, 7.1
//	straight.go  requests for memory that is lent            4.1, 4.2
//	transmit.go  the sending side alone, for measurements    13
//	packet.go    BOTF images and what RFend does with them   4.3, 6.1, 7.2
//	route.go     BOTF with translations made in advance      5, 6.1
//	channel.go   packet rings, exported counters             6.1, 9.1
//	vpush.go     the ring that the receiver fills            11
//	unusual.go   requests that stop; the stepped model       8.2, 10
//	flagarray.go     flag lines; control words                   6.1
//	lock.go      locks in NIC memory, firmware's part        9.2
//	lockcall.go  LOCK and UNLOCK from a Window               9.2, 10.7
//
// The stepped model (package stepped) shows the state machines of section 10 one state at a time,
// and works on the same tables, which it reaches through hardware.go. A test checks that both
// behave as the same NIC. If a machine of the stepped model is attached, it runs the unusual cases
// ([NIC.FallBack]).
//
// There are three handles to a NIC. A [NIC] is that of a process: its own Windows, its own memory,
// requests to other nodes. A [Manager] is privileged: it starts NICs and assigns Windows to
// processes. The process that makes the memory of a job gets it, and it cannot be had from a NIC.
// [Hardware] is the inside of a NIC, for the stepped model, and only a Manager returns it. Between
// processes, other ranks can read but not write the tables that a Manager and their owner write
// (package fabric).
//
// Choices where the specification is silent are marked "Our choice".
package martini
