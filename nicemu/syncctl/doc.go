// Package syncctl models the communication/synchronization controller of a cluster of workstations
// ("sync-controller"): in addition to the data network, each node has a processor for small
// packets, on a separate torus whose hops take at most 3 us, and a node of a hardware barrier.
//
//	packet.go   event packets of 16 bytes (sync-controller, section 1.3)
//	torus.go    nodes, neighbours, dimension-order routes (1.2)
//	link.go     event links and data links in virtual time
//	machine.go  the Responsive Processors: commands, arrivals, interrupts (1.4)
//	barrier.go  Master/Slave barriers, with and without aligned start (3.2, 3.3)
//	shuffle.go  Shuffle Exchange, plain and modified (3.4 to 3.6)
//	object.go   objects at a home node: Non-Collision Lock (4), condition
//	            synchronization, mutex, counting semaphore (5)
//	rbcq.go     RBCQ-1: the logic of the barrier controllers (7)
//	bc.go       the controllers in virtual time (6)
//	message.go  message passing over the data link (8)
//	parameters.go every number, with its source
//
// The specification only mentions the overlappable barrier (section 2), which is not modelled.
//
//	PE --write--> RP --event packets--> RP ...        RP --interrupt--> PE
//	 \--write--> distributed BC --> central BC --> distributed BC --interrupt--> RP
//
// A Machine runs on a kernel of discrete events (rhinet/nicemu/vtime): its events and their times
// depend only on the commands. It belongs to one goroutine.
package syncctl
