package martini

import "rhinet/nicemu/fabric"

// Windows is the number of request pages of a NIC. (martini, section 3.1; the
// number is unstated.) A process uses its Windows in turn.
const Windows = 16

// The parameters of a request, by double word of a Window (martini, section
// 3.1: six writes in all, the last is the kick; the layout is our choice).
const (
	DWCommand = 0 // bits 0-7 command, 8-23 completion flag (a word of the Window's contflag page; 0: none), 24-63 bytes
	DWTarget  = 1 // bits 0-15 node, 16-31 PID
	DWLocal   = 2 // virtual address at the issuer
	DWSegment = 3 // segment at the target
	DWOffset  = 4 // byte offset from the segment's start
	DWKick    = 5 // written last: starts the request
)

// Commands of DWCommand. Any command but PUSH and PULL is a special request, by which a process
// calls firmware (martini, sections 7.1, 10.7). This firmware knows the lock commands, which have
// the lock's identifier in place of the number of bytes, and cancels all others.
const (
	CommandPush     = 1
	CommandPull     = 2
	CommandLockInit = 32 // target: the representative; segment and offset: the acquisition flag
	CommandLock     = 33
	CommandUnlock   = 34
)

// A BOTF packet image lies in the same page (martini, section 6.1): five
// header flits, then the payload on a line of its own.
const (
	DWImage   = 8
	DWPayload = 16
	DWBotf    = 511 // written last: the kick, with the payload's length

	// MaxImage is the largest payload of a BOTF image in bytes, bounded by the
	// MTU (martini, sections 1.2 and 6.1).
	MaxImage = 2048
)

// Flits of a packet's header (martini, section 4.3; widths unstated).
const (
	flitType    = 0 // bits 0-7 packet type, 8-23 completion flag at the issuer, 24-63 length
	flitTarget  = 1 // bits 0-31 PGID, 32-47 PID, 48-63 node
	flitSegment = 2 // SID and generation, as in Segment
	flitOffset  = 3 // byte offset from the segment's start
	flitLocal   = 4 // virtual address, where the type has one
	headerFlits = 5
)

// Packet types (martini, section 4.3; values unstated). Types from
// firstSpecial on are handled by firmware (section 10.8).
const (
	PacketPush         = 1
	PacketAck          = 2
	PacketPullRequest  = 3
	PacketPullResponse = 4
	PacketSwap         = 16 // compare-and-swap of a control word
	PacketLockRequest  = 17 // requester to representative (9.2)
	PacketLockReserve  = 18 // representative to last requester
)

// Every table entry is one line of eight words.
const entryWords = 8

// Sizes of the tables. The specification's PATLB holds 2048 entries (section
// 5.1); the tables here hold extents and segments, not pages.
const (
	Extents  = 2048
	Segments = 2048
)

// Places in NIC memory, in words. Once the manager has started the NIC, only its own process and
// the manager write there: processes of other ranks have mapped it for reading only
// (fabric.Device).
const (
	regPower    = 0   // 1: the NIC is up
	regHigh     = 16  // highest number of page table entries so far
	regManaged  = 24  // of node 0: whether the job has a manager (8.5)
	regRequests = 32  // refusals of own requests, by reason (8.7)
	regPGIDTBL  = 128 // one line a Window, below (3.2)
	regSIDs     = 512 // one line a segment (8.6)
	regPages    = regSIDs + Segments*entryWords
	regWindows  = regPages + Extents*entryWords // one page a Window (3.1)
	regFlags    = regWindows + Windows*pageWords
	// The header buffer of AOTF, one line a header, and its TLB (6.2).
	regHeaders   = regFlags + Windows*pageWords
	regHeaderTLB = regHeaders + AOTFHeaders*entryWords
	regLocks     = regHeaderTLB + AOTFHeaders // one line a lock: the part that its owner writes (9.2)
	regEnd       = regLocks + Locks*entryWords

	pageWords = 512
)

// MemoryBytes is the size of the tables in NIC memory.
const MemoryBytes = regEnd * 8

// Places in the part of NIC memory that the NICs of all ranks write (fabric.Public), in words. On
// the fast path the thread that sends a packet acts for the target's NIC, and writes here what that
// NIC would record. Nothing here decides who may access what. A rank that writes garbage here can
// delay the release of another rank's memory, corrupt that rank's statistics and make it lose a
// lock, but no more.
const (
	pubArrivals = 0                           // refusals of requests that arrived, by reason (8.7)
	pubTurns    = 64                          // one line a lock: who requests it and for whom it is reserved
	pubHolds    = pubTurns + Locks*entryWords // one line an extent: transfers in progress in it
	pubEnd      = pubHolds + Extents*entryWords
)

// PublicBytes is the size of a NIC's part of such memory.
const PublicBytes = pubEnd * 8

// States of regPower and of regManaged. The tables of a NIC must be right before
// its process runs (martini, section 3.4).
const (
	stateOff    = fabric.Off
	stateRising = fabric.Rising
	stateOn     = fabric.On
)

// A line of PGIDTBL and, attached to it, of CONTTBL (martini, section 3.2). The key of a Window is
// the pair that its requests carry; users cannot forge it.
const (
	winKey   = 0 // bits 0-31 PGID, 32-47 PID, 48-62 number of assignments, 63 valid
	winCont  = 1 // place of the contflag in the region
	winValid = 1 << 63
	winOwner = 1<<48 - 1 // of winKey: PGID and PID
	winOnce  = 1 << 48   // of winKey: counts one assignment, so that no translation made before it stays valid
)

// Words of a segment or of an extent of the page table. The state word hands an entry over: its
// owner writes the other words while the entry is invalid, and others read them only while it is
// valid and of the generation they know. Transfers in progress are counted elsewhere, at pubHolds.
const (
	entState = 0 // bit 16 valid, 32-63 generation
	entKey   = 1 // PGID, PID of the owner
	entStart = 2 // segment: virtual address; extent: first virtual page
	entSize  = 3 // segment: bytes; extent: pages
	entPhys  = 4 // extent: first page of the region, or process memory
	entHint  = 4 // segment: the extent that contains it
	entSeal  = 5 // checksum of the other words except the state: see write

	entValid    = 1 << 16
	entGenShift = 32

	physProcess = 1 << 63 // of entPhys: memory of the owner's process
)

// Words of a lock's line (martini, section 9.2: last requester and reservations are in the NIC's
// SDRAM). The key hands the line over: its owner writes place and representative while the key is
// 0.
const (
	lockKey     = 0 // bits 0-31 PGID, 32-47 PID, 63 valid
	lockHome    = 1 // the representative's node
	lockSegment = 2 // segment of the acquisition flag, the same at every process
	lockOffset  = 3

	// Words of its line at pubTurns, which the firmware of others writes too.
	lockLast   = 0 // at the representative: the tenure requested last, or 0
	lockTenure = 1 // the owner's: bits 0-31 number, 32 over, 48-63 reserved for process + 1
)

// Segments and the extents that every NIC has: its own I/O space, which starts at ioBase in every
// process's address space.
const (
	ioBase          = 1 << 62
	ioExtent        = 0 // the own slice
	flagArrayExtent = 1 // the job's flag arrays
	ownExtents      = 2
	ioGen           = 1

	sidControl    = 1 // control words
	sidShared     = 2 // the memory of the VPUSH ring
	sidFlagArrays = 3 // flag lines
	sidRings      = 4 // packet rings with their exported counters
	sidVPush      = 5 // not registered: packets for it go to the VPUSH ring
	firstSID      = 16
)
