package martini

import "rhinet/nicemu/fabric"

// CommonSegment is the communication memory of any process. It is pinned and registered before the
// process starts, as the same segment everywhere, so that programs can name places in it at coding
// time (martini, section 5.3).
//
// It is the memory of the packet rings. A library with a layout of its own (such as a message
// layer) uses all of it, and must not use Channel.
const CommonSegment = Segment(ioGen<<32 | sidRings)

// Common returns this process's communication memory. It starts on a page, and a process on this
// machine can poll it whichever node writes it. After Close it is nil.
func (n *NIC) Common() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Rings)
}

// FlagArrays returns the number of flag arrays of the job.
func (n *NIC) FlagArrays() int { return n.flagArrays }

// Ranks returns the number of processes of the job.
func (n *NIC) Ranks() int { return n.ranks }
