package ib

import "rhinet/nicemu/fabric"

// Sizes of the tables of one host channel adapter (our choice).
const (
	QPs     = 2048 // queue pairs
	Regions = 2048 // memory regions
	Queues  = 64   // receive queues, of one queue pair or shared
	Depth   = 64   // work queue entries of a send or receive queue
	CQs     = 16   // completion queues
	CQDepth = 128  // completions in a completion queue
)

// Every table entry is one line of eight words.
const entryWords = 8

// Places in the part of an adapter's memory that only its own process writes, and the subnet
// manager before that process runs (fabric.Device), in words. Processes of other ranks map it for
// reading only.
const (
	regPort     = 0   // state of the port
	regAddress  = 1   // bits 0-15 LID; the low half of the GID is word 2
	regGUID     = 2   // port GUID
	regManaged  = 24  // of rank 0: whether the job has a subnet manager
	regFailures = 32  // failed requests of this adapter, by reason
	regQPs      = 128 // one line each, see below
	regRegions  = regQPs + QPs*entryWords
	regQueues   = regRegions + Regions*entryWords // for each queue a line and Depth work queue entries
	regCQs      = regQueues + Queues*queueWords   // a line each
	regEnd      = regCQs + CQs*entryWords

	queueWords = entryWords + Depth*wqeWords
)

// DeviceBytes is the size of the tables in such memory.
const DeviceBytes = regEnd * 8

// Places in the memory that the adapters of all ranks write (fabric.Public), in words. The thread
// that posts a request acts for the responder's adapter, and writes here what that adapter would
// record. Nothing here decides who may access what. A rank that writes garbage here can delay the
// release of another rank's region, and cost that rank completions and statistics, but no more.
const (
	pubRefusals = 0                             // refused requests that arrived, by reason
	pubHolds    = 64                            // a line per region: transfers in progress in it
	pubTaken    = pubHolds + Regions*entryWords // a line per receive queue: entries consumed
	pubCQs      = pubTaken + Queues*entryWords  // per completion queue a line and CQDepth completions
	pubEnd      = pubCQs + CQs*completionWords

	completionWords = entryWords + CQDepth*entryWords
)

// PublicBytes is the size of an adapter's part of such memory.
const PublicBytes = pubEnd * 8

// States of regPort and of regManaged.
const (
	portDown   = fabric.Off
	portInit   = fabric.Rising
	portActive = fabric.On
)

// Words of a queue pair's line. The state word hands the line over: its owner writes the others
// while the state is RESET or INIT, and others use them only while the state word is unchanged and
// the seal is right.
const (
	qpState   = 0 // bits 0-7 state, 8-15 type, 16 in use, 32-63 number of changes
	qpNumber  = 1 // bits 0-23 QPN, 32-63 protection domain
	qpPeer    = 2 // RC: bits 0-15 LID, 32-55 QPN of the other side; UD: 0-31 Q_Key
	qpReceive = 3 // bits 0-15 receive queue, 16-31 its completion queue, 32-39 access rights
	qpSeal    = 4

	qpInUse = 1 << 16
)

// Words of a region's line.
const (
	mrState   = 0 // bit 16 valid, 32-63 generation
	mrDomain  = 1 // bits 0-31 protection domain, 32-39 access rights
	mrAddress = 2 // virtual address of the first byte, 0 if the region is zero-based
	mrLength  = 3 // bytes
	mrPlace   = 4 // place of the bytes: offset in the job's memory, or processMemory
	mrStart   = 5 // processMemory: virtual address of the first byte
	mrSeal    = 6

	mrValid       = 1 << 16
	processMemory = 1 << 63
)

// Words of a receive queue: its line, and of each work queue entry.
const (
	rqState  = 0 // bit 16 valid, bits 32-63 protection domain
	rqPosted = 1 // entries posted, counted without wrap

	rqValid = 1 << 16

	wqeID      = 0
	wqeAddress = 1
	wqeLength  = 2
	wqeKey     = 3
	wqeWords   = 4
)

// Words of a completion queue's line at its owner, and of the line that all adapters write.
const (
	cqState    = 0 // bit 16 valid
	cqConsumed = 1 // completions polled, counted without wrap

	cqValid = 1 << 16

	cqProduced = 0 // entries reserved, counted without wrap
	cqArmed    = 1 // 1: the next completion is an event
	cqEvents   = 2
)

// Indexes of the job's own regions, which are registered at every adapter before its process runs:
// peers access them without help of the process.
const (
	regionRings   = 0 // packet rings
	regionControl = 1 // words for atomic operations
	regionReceive = 2 // the buffer of the striding receive queue
	regionFlags   = 3 // the job's shared flag arrays
	firstRegion   = 16

	firstGeneration = 1
)

// stridingQueue is the receive queue of the job's own connections: see Striding.
const stridingQueue = 0xffff

// jobDomain is the protection domain of the job's own connections and regions.
const jobDomain = Domain(1)
