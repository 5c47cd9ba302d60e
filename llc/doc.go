// Package llc is the protocol engine of the low-level communication library: network-independent state
// machines that take user commands and IR events and give IR commands and completions.
//
// The engine is pure. It reads no clock, starts no goroutine, calls no system and has no package state. A
// driver (rhinet/llc/port at full speed, rhinet/llc/sim in simulation) feeds it with Step and carries out
// what Take returns.
//
//	Send, Recv, Cancel, Probe              Step(event)
//	        |                                   |
//	        v                                   v
//	 protocols.go: a row for each size    step.go, machine.go: which transfer takes it
//	        |                                   |
//	        v                                   v
//	 eager.go   rendezvous.go  split.go  early.go     stream.go       connect.go  gone.go
//	 (packets)  (offer, pull)  (both)    (invitation) (Data packets)  (rings)     (dead peers)
//	        |         matching: rhinet/llc/match, unexpected.go
//	        v
//	 schedule.go: the way to each peer     copier.go: the copy engine
//	 credit.go: room in a packet ring      inflight.go: the shared ring
//	        |
//	        v
//	      Take
//
// The user commands are those of "llc", section 3: Send-Receive, and the event queue (Completed).
// Unsolicited-Send (3.2) is a message in a context whose receives rhinet/llc/user posts, with its own
// buffers; tags match by wildcards, not by masks. The machines are those of section 4: buffer allocation
// (4.3) is in connect.go and credit.go, send (4.4) in the files above; bootstrap remote memory access (4.1)
// is the shared rings and the claim words. Connection (4.2) is a machine in a package of its own,
// rhinet/llc/connect, for NICs that have connections. Where packets can be lost, rhinet/llc/arq numbers,
// acknowledges and retransmits them below the engine. The schedule queue is section 5. The initiator of a
// connection is called writer here, the responder reader.
//
// Each of these files draws its state machines at the top. A small message to a peer that has granted a ring
// meets none of them: Send fills one command, Step copies the payload to the matching receive.
// command, Step copies the payload to the matching receive.
package llc
