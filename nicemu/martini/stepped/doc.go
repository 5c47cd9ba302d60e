// Package stepped is the Martini controller as a machine that can be watched:
// modules with a state register each, one state per step (martini, sections 3
// to 7, 10, 11). It works on the tables and the memory of the same NICs as the
// fast path of package martini, and a test holds the two to be one NIC.
//
//	states.go    modules, states, conditions, kinds of work
//	tables.go    the transitions, as data: machine, trace and diagram use them
//	machine.go   nodes, one step, registers of all modules
//	packet.go    packets and what they carry
//	window.go    Windows, kick, and what a user calls       3
//	initiator.go replier.go sender.go                        7.1, 10.7
//	rfend.go rbend.go joint.go                               7.2, 10.8
//	dmac.go      the DMA controller                          7.3
//	tlb.go       PATLB and RVATLB                            5.1
//	aotf.go      AOTF                                        6.2
//	firmware.go  the on-chip processor and taking-over       10.1 to 10.6
//	handler_*.go what firmware does about each exception     10.7 to 10.9
//	vpush.go     VPUSH, by firmware and by hardware          11
//	show.go      traces and diagrams
//
// Where the two differ: the fast path looks at all of a request before it moves
// a byte; the machine here goes packet by packet, as the hardware does. If a
// later page of a long request is not pinned, the bytes before it have arrived
// (nothing after it does), and the fast path would have moved none. What is
// refused, and why, is the same. The fast path counts every refusal at the node
// that was meant, too; here, what never left the issuer is not counted there.
//
// Choices where the specification is silent are marked "Our choice".
package stepped
