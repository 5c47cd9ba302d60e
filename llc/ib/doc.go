// Package ib translates the engine's commands into operations of an adapter in the manner of InfiniBand, and
// what the adapter receives into events.
//
//	ir.Packet    RDMA WRITE of the payload into the data area of a packet ring if
//	             it is long, then RDMA WRITE of the line, with inline data
//	ir.Shared    SEND into the striding receive queue of the peer; RNR is Busy
//	ir.ReadTail  RDMA READ of the counters that the ring's reader exports
//	ir.Expose    a zero-based memory region, whose rkey names the segment
//	ir.Pull      RDMA READ, ir.Push RDMA WRITE, the local side registered for the call
//	ir.Swap      CMP_SWAP
//	ir.FlagArray RDMA WRITE of one line
//
// datagrams.go is another translator of the same adapter, which uses its unreliable datagrams only (package
// rhinet/llc/datagram).
//
// demand.go is a third one, which makes connections as they are needed (rhinet/llc/connect). In the other
// translators the connections are those that the subnet manager makes before the ranks run (llc,
// section 4.1). What does not depend on the NIC is in package endpoint (rhinet/llc/endpoint).
package ib
