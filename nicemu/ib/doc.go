// Package ib is a host channel adapter in the manner of InfiniBand, in software
// (infiniband, sections 3, 9 to 11 and 14): queue pairs with numbers and states, ports
// with LID and GID, protection domains, memory regions with keys and rights, reliable
// connections and unreliable datagrams, receives that are posted, completion queues
// that are polled or notify, and errors that put a queue pair into ERR and flush it.
//
// Each request runs to completion by the thread that rings the doorbell: it does at
// the responder's adapter what that would do, on tables that lie in the memory of
// the job (package fabric). Protection is real. A request to a queue pair that is
// connected with another one, under a key that names nothing of that queue pair's
// domain, without the right, or beyond the region is refused with a [Status] and a [Reason], counted
// on both sides, and moves nothing.
//
//	regs.go     tables and their places in NIC memory; who writes them
//	table.go    their lines; what keeps a region while a transfer is under way
//	manager.go  the subnet manager: ports, addresses, the job's own connections
//	hca.go      one adapter, as its process has it
//	region.go   memory regions, and how bytes get there
//	qp.go       queue pairs and their states
//	work.go     requests: what the requester does, and the responder
//	receive.go  receive queues
//	cq.go       completion queues
//	status.go   how requests end
//	link.go     the job's own connections, others beside them, and requests by them
//	stream.go   packet rings, messages and flags by them
//
// Two handles lead to an adapter. An [HCA] is what a process has: its own queue
// pairs and memory, requests to others. A [Manager] is privileged: it brings ports up
// and makes the connections of the job; whoever makes the memory of a job gets it, and nobody
// gets it from an HCA. Between processes the tables that a Manager and their owner
// write can be read by the other ranks, but not written (package fabric).
//
// reference_test.go writes the adapter a second time, to be read, and holds the two
// against each other.
//
// Choices where the specification leaves something open, or that keep the
// emulation small, are marked "our choice". What is left out: packets, their sequence
// numbers and retransmission (nothing is lost here), path migration, multicast, lists of
// pieces of memory, memory windows, and the other transport services.
package ib
