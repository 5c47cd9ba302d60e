package collectives

// A schedule is what one rank does in a collective operation: a sequence of steps on
// symbolic buffers. A transfer is posted at its step; a wait step completes all
// transfers in progress, and the steps between two waits are a round. A schedule is
// immutable and may be run by several executions at once.
type schedule struct {
	steps   []step
	width   int // most transfers in progress at once
	scratch int // bytes of temporary memory
}

type stepOp uint8

const (
	opSend     stepOp = iota // a to peer
	opRecv                   // a from peer
	opRecvFold               // the same, of data that is combined next
	opWait                   // end of a round
	opCopy                   // a to b
	opReduce                 // b = a op b
	opExchange               // a to other ranks, theirs into b
	opSwitch                 // the same by the network's switches
	opDescribe               // offset and length of a, in a descriptor at b
	opEnter                  // come to a barrier of the controllers
	opLeave                  // leave it, when all have come
	opDisclose               // the part that a descriptor at a names, or a message from peer, to b
)

type step struct {
	op   stepOp
	flow Flow  // of an exchange
	peer int32 // of a transfer; the root of an exchange
	a, b region
}

// A buffer is one of the memories that a schedule uses.
type buffer uint8

const (
	bufIn  buffer = iota // the caller's input; read only
	bufOut               // the caller's output
	bufTmp               // scratch
	numBufs
)

// A region is a part of a buffer, in bytes.
type region struct {
	buf    buffer
	off, n int
}

// meets reports whether two regions have a byte in common.
func (r region) meets(q region) bool { return r.buf == q.buf && r.off < q.off+q.n && q.off < r.off+r.n }

func (r region) sub(off, n int) region { return region{r.buf, r.off + off, n} }
