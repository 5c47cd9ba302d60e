package llc

import "rhinet/llc/ir"

// A nic is one of the NICs by which this peer reaches others (Config): what the engine must know of it, and
// the resources of it that transfers share.
type nic struct {
	caps     ir.Caps
	eager    uint64 // message bytes up to which a message may travel in packets
	offered  uint64 // message bytes above which it is offered nevertheless, unless it seems just written: see written.go
	written  uint64 // message bytes up to which it goes in packets if so
	fragment int    // payload bytes of one packet in a packet ring
	piece    int    // payload bytes of a packet of a stream, in a packet ring
	shared   int    // payload bytes of one packet in a shared ring
	bytes    uint64 // data area of a packet ring
	slots    uint64
	rows     []row  // protocols by size, see protocols.go
	pulled   uint64 // message bytes up to which the receiver of an offer moves it alone

	copies *copier
	words  words
	rings  []int32 // own packet rings: the peer that writes each
	grants int     // how many own packet rings may be handed out
}

// init prepares for a NIC whose rings may take ringMemory bytes. It panics if c contradicts itself.
func (n *nic) init(c *ir.Caps, peers, ringMemory int) {
	if c.Slots < 1 || c.Bytes < 2*ir.LineBytes || c.Bytes&(c.Bytes-1) != 0 || c.Rings < 0 || c.Words < 0 || c.Eager < 0 {
		panic(badConfig)
	}
	*n = nic{
		caps: *c, eager: uint64(min(c.Eager, mostEager)), shared: ir.MaxShared, bytes: uint64(c.Bytes), slots: uint64(c.Slots), rows: rowsFor(c),
		// A payload must fit an empty ring wherever the next position is: up to half the area always does.
		fragment: max(min(c.Fragment, c.Bytes/2-c.Trailer), ir.Inline-c.Trailer),
		grants:   grants(c, ringMemory),
	}
	// A stream leaves a part of the ring free. Several pieces of the length of this part fit the remainder,
	// so its reader copies one while the next one is written.
	n.piece = max(min(n.fragment, c.Bytes/bulkReserve-c.Trailer), ir.Inline-c.Trailer)
	if c.Rings == 0 {
		n.shared = max(c.Fragment, ir.Inline)
		n.piece = n.shared
	}
	n.pulled, n.offered, n.written = pulledAlone(n.rows, c), n.eager, n.eager
	if c.Offered > 0 && c.Remote {
		n.offered = min(n.eager, uint64(c.Offered))
	}
	n.rings = make([]int32, 0, min(n.grants, peers))
	n.words.init(c.Words)
}
