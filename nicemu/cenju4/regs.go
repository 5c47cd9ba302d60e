package cenju4

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Sizes that the specification gives (cenju4, sections 4, 5.1, 7.1 and 8), or suggests.
const (
	MaxParcel     = 512 << 10 // bytes of data of a parcel
	MaxPacket     = 256       // bytes of data of a packet: two lines
	MaxInline     = 8         // bytes of data in the header
	PageBytes     = fabric.PageBytes
	QueueParcels  = 128  // parcels of a task's header queue of 4 KByte
	ReplyParcels  = 2048 // of the remote-read header queue of 64 KByte
	HeaderBytes   = 32
	Rrids         = 64  // slots of the remote-read notification buffer
	Sids          = 128 // concurrent synchronizations
	GroupNodes    = 64  // nodes of a multicast group, and maximum for a system with synchronization packets
	MaxNodes      = 1024
	Cids          = 256
	Registers     = 4 // header registers of a Sender
	TLBEntries    = 4
	lineBytes     = 128 // of the secondary cache
	wordBytes     = 8
	oddWord       = 4
	headerWords   = HeaderBytes / 8
	multicastSets = 256 // entries of the multicast header table: our choice
	syncHeaders   = 128 // of the synchronization header table: our choice
	maxMappings   = 1024
	LogRecords    = 1024 // of the log buffer, a power of two: our choice
	message1Lines = 64   // of message buffer 1: our choice
)

// taskCid is the cid of a job's tasks; 0 is the OS's. Our choice: a node has one task.
const taskCid = 1

// Places in the tables of a node (fabric.Device), in words. Its own process and the OS write them;
// other ranks map them for reading only.
const (
	regPower     = 0   // 1: the NIC is up
	regManaged   = 8   // of node 0: whether the job has a manager
	regSent      = 16  // counts of the Sender, by Count
	regMaps      = 40  // number of times that pages were mapped or unmapped: a TLB entry is valid for one such number
	regQueue     = 48  // the task's header queue: read pointer, write pointer
	regRefused   = 64  // own parcels that were refused, by reason
	regNodeLimit = 128 // maximum offsets of the header tables
	regSetLimit  = 129
	regSyncLimit = 130
	regLines     = 131 // parcels of a line that were sent over a Way
	regMask      = 132 // 1: no interrupts for parcels that have arrived
	regSegments  = 136 // 4 entries: place of the page table, minimum and maximum page number, log2 of the page size
	regStatic    = 152 // page table of the static segment
	regBuffers   = regStatic + 2*endAreas
	regNotices   = regBuffers + Cids*bufferWords // notification buffer
	regNodes     = regNotices + Rrids*2          // node table
	regSets      = regNodes + MaxNodes           // multicast header table
	regSyncs     = regSets + multicastSets*2     // synchronization header table
	regSyncSent  = regSyncs + syncHeaders*2      // synchronization packets sent, by sid
	regHeaders   = regSyncSent + Sids            // the task's header queue
	regPages     = regHeaders + QueueParcels*headerWords
	minPages     = 1024
	minMemory    = (regPages + 2*minPages) * 8
)

const bufferWords = 8 // of a buffer-table entry

// Places in the part of a node's memory that all NICs write (fabric.Public), in words: on the fast
// path the thread that posts acts for the target's Receiver. A rank that writes garbage here can
// damage what arrives at this node, and delay the release of memory; it cannot change who may
// access what.
const (
	pubRefused    = 0   // parcels that arrived and were refused, by reason
	pubInterrupts = 64  // by Cause
	pubLog        = 72  // Log Buffer Pointer
	pubReply      = 80  // remote-read header queue: write pointer, read pointer
	pubSent       = 84  // counts of the Sender for replies, by Count
	pubArrived    = 96  // Synchronization Notification Table: by sid
	pubSwitch     = 224 // of node 0: the synchronization tables of the switches, by sid: set, arrived members
	pubHolds      = pubSwitch + Sids*2
	pubReplies    = pubHolds + maxMappings*ring.LineBytes/8
	pubRecords    = pubReplies + ReplyParcels*headerWords
	pubMessage1   = pubRecords + LogRecords*recordWords
	publicWords   = pubMessage1 + message1Words
	publicSize    = (publicWords*8 + PageBytes - 1) / PageBytes * PageBytes // the bootstrap area begins here
)

const (
	recordWords   = 2
	message1Words = (2*guardBytes + message1Lines*ring.LineBytes) / 8
	guardBytes    = 2 * ring.LineBytes // bytes before the lines of a shared ring, in each of two guards
)

// Geometry returns the memory that the nodes of a job need: at least g, with a bootstrap area of
// the given number of bytes at each node.
func Geometry(g fabric.Geometry, bootstrap int) fabric.Geometry {
	g.Device = max(g.Device, minMemory)
	if g.Common > 0 {
		g.Device = max(g.Device, deviceBytes) // in a job of processes, where untouched memory costs nothing
	}
	g.Public = publicSize + bootstrap
	return g
}

// deviceBytes holds page tables for 2 GiB.
const deviceBytes = 8<<20 + 64<<10

// A Count is a counter of a Sender.
type Count int

// The counters of Senders.
const (
	Parcels       Count = iota // sent
	Packets                    // sent
	Coherent                   // read requests, one for each line
	NonCoherent                // read requests without an inquiry of the processor's cache
	RemoteReads                // reply-generating parcels: the Remote Read Counter
	Notifications              // written by SPM
	numCounts
)

// A Cause is why the Receiver interrupts the OS (cenju4, section 9), besides refusals.
type Cause int

// The causes.
const (
	Arrived    Cause = iota // a parcel that requests it
	LogFilling              // another quarter of the log buffer
	Message0Up              // another quarter of message buffer 0
	Message1Up              // of message buffer 1
	numCauses
)
