package ib

import "rhinet/nicemu/fabric"

// Sizes of the tables of one host channel adapter (our choice).
const (
	QPs     = 2048 // queue pairs
	Regions = 2048 // memory regions
	Queues  = 64   // receive queues, of one queue pair or shared
	Depth   = 64   // work queue entries of a send or receive queue
	CQs     = 16   // completion queues
	CQDepth = 128  // completions that a completion queue holds
)

// Every table entry takes one line of eight words.
const entryWords = 8

// Places in the memory of an adapter that its own process writes, and before it
// runs the subnet manager (fabric.Device), in words. Processes of other ranks have
// it mapped for reading only.
const (
	regPort     = 0   // state of the port
	regAddress  = 1   // bits 0-15 LID; the low half of the GID is word 2
	regGUID     = 2   // port GUID
	regManaged  = 24  // of rank 0: whether the job has a subnet manager
	regFailures = 32  // failed requests of this adapter, by reason
	regQPs      = 128 // a line each, below
	regRegions  = regQPs + QPs*entryWords
	regQueues   = regRegions + Regions*entryWords // per queue a line and Depth work queue entries
	regCQs      = regQueues + Queues*queueWords   // a line each
	regEnd      = regCQs + CQs*entryWords

	queueWords = entryWords + Depth*wqeWords
)

// DeviceBytes is how much of such memory the tables take.
const DeviceBytes = regEnd * 8

// Places in the memory that the adapters of all ranks write (fabric.Public), in
// words. The thread that posts a request does at the responder's adapter what that
// would do, and notes here what that would note: nothing that says who may reach
// what. A rank that writes nonsense here can keep the owner of a region from
// releasing it in time, and lose completions and statistics, no more.
const (
	pubRefusals = 0                             // refused requests that arrived, by reason
	pubHolds    = 64                            // a line per region: transfers under way in it
	pubTaken    = pubHolds + Regions*entryWords // a line per receive queue: entries consumed
	pubCQs      = pubTaken + Queues*entryWords  // per completion queue a line and CQDepth completions
	pubEnd      = pubCQs + CQs*completionWords

	completionWords = entryWords + CQDepth*entryWords
)

// PublicBytes is how much of such memory an adapter takes.
const PublicBytes = pubEnd * 8

// States of regPort and of regManaged.
const (
	portDown   = fabric.Off
	portInit   = fabric.Rising
	portActive = fabric.On
)

// Words of a queue pair's line. The state word passes the line on: its owner writes
// the others while the state is RESET or INIT, and others believe them only while it
// is what it was, and the seal is right.
const (
	qpState   = 0 // bits 0-7 state, 8-15 type, 16 in use, 32-63 how often it has changed
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
	mrPlace   = 4 // where it lies: offset in the job's memory, or processMemory
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

// Words of a completion queue's line at its owner, and of the one that all write.
const (
	cqState    = 0 // bit 16 valid
	cqConsumed = 1 // completions polled, counted without wrap

	cqValid = 1 << 16

	cqProduced = 0 // places taken, counted without wrap
	cqArmed    = 1 // 1: the next completion is an event
	cqEvents   = 2
)

// Numbers by which the job's own regions are registered at every adapter, before
// its process runs: what peers reach without the process taking part.
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
