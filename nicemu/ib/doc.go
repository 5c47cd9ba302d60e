// Package ib is a host channel adapter in the manner of InfiniBand, in software (infiniband,
// sections 3, 9 to 11 and 14): queue pairs with numbers and states, ports with LID and GID,
// protection domains, memory regions with keys and rights, reliable connections and unreliable
// datagrams, posted receives, completion queues with polling or events, and errors that put a queue
// pair into ERR and flush it.
//
// The thread that rings the doorbell carries out each request at once: it also does the work of the
// responder's adapter, on tables in the memory of the job (package fabric). Protection is real. A
// request to a queue pair that is connected to another one, with a key that names no region of that
// queue pair's domain, without the right, or beyond the region is refused with a [Status] and a
// [Reason], counted on both sides, and moves nothing.
//
//	regs.go     tables and their places in NIC memory; who writes them
//	table.go    their lines; counts of transfers that hold a region
//	manager.go  the subnet manager: ports, addresses, the job's own connections
//	hca.go      one adapter, as its process sees it
//	region.go   memory regions, and copying to and from them
//	qp.go       queue pairs and their states
//	work.go     requests: the work of requester and responder
//	receive.go  receive queues
//	cq.go       completion queues
//	status.go   how requests end
//	link.go     the job's own connections, further ones, and requests over them
//	stream.go   packet rings, messages and flags over them
//
// There are two handles to an adapter. An [HCA] is that of a process: its own queue pairs and
// memory, requests to others. A [Manager] is privileged: it brings ports up and makes the
// connections of the job. The process that makes the memory of a job gets it, and it cannot be had
// from an HCA. Between processes, other ranks can read but not write the tables that a Manager and
// their owner write (package fabric).
//
// reference_test.go is a reference implementation of the adapter, written to be read, and compares
// the two.
//
// Choices where the specification leaves something open, or that keep the emulation small, are
// marked "our choice". Not implemented are packets, their sequence numbers and retransmission
// (nothing is lost here), path migration, multicast, lists of pieces of memory, memory windows, and
// the other transport services.
package ib
