package sync

import (
	"rhinet/nicemu/fabric"
)

// DataBytes is the payload of a data packet, which is also the size of a line (sync-controller,
// section 8, and our choice there).
const DataBytes = 64

// Sequences is the number of independent barrier queues of the barrier controllers: our choice, one
// for each group of processes that uses one.
const Sequences = 16

// A Buffer is a part of an RP's local memory that the manager assigns (sync-controller, section 8).
type Buffer int

// The buffers.
const (
	ReceiveBuffers Buffer = iota // packet rings, with the counters that their readers export
	Mailbox                      // for packets before there is a ring
	numBuffers
)

// Places in the tables of a node (fabric.Device), in words: only the node and the manager write
// them. Other ranks map them for reading only.
const (
	regManaged = 0  // of node 0: whether the job has a manager
	regJob     = 8  // see jobWord
	regBuffers = 16 // a line for each buffer
	regEvents  = regBuffers + int(numBuffers)*entryWords
	regData    = regEvents + 1
	regRefused = regEvents + 8   // refused requests of this node, by reason
	regCodes   = regRefused + 32 // the distributed BC: a line for each sequence
	regEnd     = regCodes + Sequences*codeWords
	tableBytes = regEnd * 8
)

// Words of a line in the table of buffers.
const (
	entStart   = 0 // offset in the memory of the job
	entSize    = 1
	entSeal    = 2 // checksum of these, the node and the buffer
	entryWords = 8
)

// Words of a sequence at a distributed BC.
const (
	codePlace = 0 // place of the next code
	codeMarks = 1 // marks of the latest codes, by place
	codeKept  = 4
	codeWords = 8
)

// Places in the memory of a node that the NICs of all ranks write (fabric.Public), in words. On the
// fast path the thread that sends a packet acts for the RP of the receiver.
const (
	pubRefused = 0 // packets that arrived and were refused, by reason
	pubLocks   = fabric.PageBytes / 8
	publicSize = fabric.PageBytes + (Locks*lockWords*8+fabric.PageBytes-1)/fabric.PageBytes*fabric.PageBytes
)

// Words of a lock.
const (
	lockHead  = 0
	lockTail  = 1
	lockCount = 2
	lockFIFO  = 8
	lockWords = lockFIFO + LockPlaces
)

// Geometry returns the memory that the nodes of a job need: at least g, with the given number of
// bytes of mailbox at each node.
func Geometry(g fabric.Geometry, mailbox int) fabric.Geometry {
	g.Device = max(g.Device, tableBytes)
	g.Public = publicSize + mailbox
	return g
}

// jobWord returns the value of regJob for a node whose RP runs, in a job.
func jobWord(job uint32) uint64 { return uint64(job)<<32 | fabric.On }
