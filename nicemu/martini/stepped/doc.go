// Package stepped is the Martini controller as a machine that can be watched: modules with a state
// register each, one state per step (martini, sections 3 to 7, 10, 11). It works on the tables and
// the memory of the same NICs as the fast path of package martini, and a test checks that both
// behave as the same NIC.
//
//	states.go    modules, states, conditions, kinds of work
//	tables.go    the transitions, as data: machine, trace and diagram use them
//	machine.go   nodes, one step, registers of all modules
//	packet.go    packets and what they carry
//	window.go    Windows, kick, and calls of the user        3
//	initiator.go replier.go sender.go                        7.1, 10.7
//	rfend.go rbend.go joint.go                               7.2, 10.8
//	dmac.go      the DMA controller                          7.3
//	tlb.go       PATLB and RVATLB                            5.1
//	aotf.go      AOTF                                        6.2
//	firmware.go  the on-chip processor and taking-over       10.1 to 10.6
//	handler_*.go firmware's handlers of exceptions           9.2, 10.7 to 10.9
//	vpush.go     VPUSH, by firmware and by hardware          11
//	vpush_software.go discard.go  for comparison             13
//	fallback.go  requests that the fast path leaves to the machine
//	show.go      traces and diagrams
//	chip.go agenda.go ready.go bus.go  virtual time, instead of steps  12
//
// The fast path leaves unusual cases to a machine of this package if one is attached
// ([Machine.Attach]); the observer then sees only these. A request has the same result with and
// without the machine: if a later page of a long request is not pinned, the bytes before it have
// arrived, and nothing after it does.
//
// The two differ as follows. The VPUSH ring here is in memory that its process chooses, holds bare
// bytes, takes records of a whole MTU and makes RFend wait while it is full; that of the fast path
// is the NIC's own, frames each record, takes 8 bytes less, and refuses records while it is full.
// If a request fails at both ends, at a later packet at its source than at its target, it counts
// here under the reason that its issuer learned first, and on the fast path under that of the
// earlier packet.
//
// Choices where the specification is silent are marked "Our choice".
package stepped
