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
//	handler_*.go what firmware does about each exception     9.2, 10.7 to 10.9
//	vpush.go     VPUSH, by firmware and by hardware          11
//	vpush_software.go discard.go  for comparison             13
//	fallback.go  what the fast path leaves to the machine
//	show.go      traces and diagrams
//	chip.go agenda.go ready.go bus.go  virtual time, instead of steps  12
//
// The fast path falls back to the machine here for what is unusual, where one is
// attached ([Machine.Attach]); the observer then sees only that. With it or
// without, a request leaves the same behind: if a later page of a long one is
// not pinned, the bytes before it have arrived, and nothing after it does.
//
// Where the two differ: the ring of VPUSH here is memory that its process
// chooses, holds bare bytes, takes records of a whole MTU and has RFend wait while it
// is full; that of the fast path is the NIC's own, frames each record, takes 8
// bytes less, and refuses. And a request that fails at both ends, at a later packet at
// its source than at its target, counts here as what its issuer heard of first,
// on the fast path as what came first.
//
// Choices where the specification is silent are marked "Our choice".
package stepped
