package martini

import "rhinet/nicemu/fabric"

// CommonSegment names the communication memory of any process: pinned and
// registered before it starts, at the same segment everywhere, so that
// programs can name places in it at coding time (martini, section 5.3).
//
// It is the memory of the packet rings. A library that lays it out in its own
// way (a message layer, say) takes all of it, and leaves Channel alone.
const CommonSegment = Segment(ioGen<<32 | sidRings)

// Common returns this process's communication memory. It starts on a page and
// lies where a process on this machine can poll it, whoever writes it. After
// Close it is nil.
func (n *NIC) Common() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Rings)
}

// Boards returns how many flag boards the job has.
func (n *NIC) Boards() int { return n.boards }

// Ranks returns how many processes the job has.
func (n *NIC) Ranks() int { return n.ranks }
