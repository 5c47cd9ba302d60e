package dimmnet2

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Processes is the number of processes that share a board: rank r is process r%2 of board r/2 (our
// choice), and has half of each part (section 1).
const Processes = 2

// The parts of a board for its host (section 2).
const (
	WindowBytes     = 512
	WriteWindows    = 4
	PrefetchWindows = 8
	LLCMBytes       = 64 << 10
	ModuleBytes     = 256 << 20 // size of each of the two SO-DIMMs; less may be fitted
)

// The half of one process.
const (
	ownWrite    = WriteWindows / Processes
	ownPrefetch = PrefetchWindows / Processes
	prefetched  = ownPrefetch * WindowBytes
	ownLLCM     = LLCMBytes / Processes
)

// An Address is a physical address of the host. The places of the ranges are our choice.
type Address uint32

// The ranges.
const (
	baseWW        Address = 0
	basePW        Address = 1 << 16
	baseLLCM      Address = 2 << 16
	baseRegisters Address = 3 << 16
	baseDIMM      Address = 1 << 31

	registerBlock = 4096 // size for one process
	registerBytes = 16
)

// WriteWindow returns the address of a Write Window of the board, 0 to 3.
func WriteWindow(i int) Address { return baseWW + Address(i)*WindowBytes }

// PrefetchWindow returns the address of a Prefetch Window of the board, 0 to 7.
func PrefetchWindow(i int) Address { return basePW + Address(i)*WindowBytes }

// LLCM returns the address of an offset in the part of the LLCM of a process of the board.
func LLCM(process int, offset uint32) Address {
	return baseLLCM + Address(process)*ownLLCM + Address(offset)
}

// SODIMM returns the host address of an SO-DIMM address, if the host could access SO-DIMM.
func SODIMM(at uint32) Address { return baseDIMM + Address(at) }

// A Register is the offset of a control register in the block of a process. Registers are read and
// written in 64 or 128 bits (section 2); the set of registers is our choice.
type Register uint32

// The registers.
const (
	RegIssue   Register = 0x00 // request-issue: a command of 64 or 128 bits; write only
	RegStride  Register = 0x10 // mode: bytes from element to element
	RegElement Register = 0x20 // mode: bytes of an element, 4 or 8
	RegList    Register = 0x30 // mode: place of the list of addresses; bit 63: in this process's LLCM
	RegSent    Register = 0x40 // status: number of commands that the controller has finished
	RegErrors  Register = 0x50 // status: a bit for each Reason that has occurred
	RegGroup   Register = 0x60 // privileged: the PGID
	RegBase    Register = 0x70 // privileged: the first SO-DIMM address of the process
	RegLimit   Register = 0x80 // privileged: bytes of SO-DIMM from there on
)

// ListInLLCM in RegList says that the list is in the LLCM.
const ListInLLCM = 1 << 63

// At returns the address of a register of a process of the board.
func (r Register) At(process int) Address {
	return baseRegisters + Address(process)*registerBlock + Address(r)
}

// Places in the tables of a rank (fabric.Device), in words: only the rank and the manager write
// them. Others read the group.
const (
	regPower   = 0 // the group and stateOn: see groupWord
	regManaged = 8 // of rank 0: whether the job has a manager
	regLimit   = 9
	regSent    = 16
	regStride  = 17
	regElement = 18
	regList    = 19
	regRefused = 24 // refused commands of this process, by reason
	regWindows = 64 // the Write Windows
	regEnd     = regWindows + ownWrite*WindowBytes/8

	tableBytes = regEnd * 8
)

// Places in the memory of a rank that the NICs of all ranks write (fabric.Public), in words. On the
// fast path the thread that issues a command acts for the controller of the receiver.
const (
	pubRefused = 0  // packets that arrived and were refused, by reason
	pubRights  = 64 // one line each: the write rights of the Prefetch Windows, and of the status ring
	rightWords = 8
	numRights  = ownPrefetch + 1

	llcmAt     = fabric.PageBytes
	windowsAt  = llcmAt + ownLLCM
	moduleAt   = (windowsAt + prefetched + fabric.PageBytes - 1) / fabric.PageBytes * fabric.PageBytes
	publicSize = moduleAt
)

// The half of the LLCM of a process (our choice): the status ring, the receive ring of IPUSH, and
// small buffers. Packets can name only the small buffers.
const (
	statusHead     = 0   // number of entries written; the holder of the write right writes it
	statusReleased = 128 // number of entries that the host has processed
	statusAt       = 256
	statusEntries  = 64
	statusBytes    = 16
	ipushAt        = statusAt + statusEntries*statusBytes
	RecordLines    = 128 // lines of the receive ring
	BuffersAt      = ipushAt + RecordLines*ring.LineBytes + 4*ring.LineBytes
	BuffersEnd     = ownLLCM
)

// ipush returns the shape of the receive ring.
func ipush() ring.SharedLayout { return ring.SharedLayout{Lines: RecordLines} }

// Geometry returns the memory that the ranks of a job need: at least g, with the given number of
// bytes of SO-DIMM fitted for each rank.
func Geometry(g fabric.Geometry, module int) fabric.Geometry {
	g.Device = max(g.Device, tableBytes)
	g.Public = publicSize + module
	return g
}

// groupWord returns the value of regPower for a process that is entered with a PGID.
func groupWord(pgid uint16) uint64 { return uint64(pgid)<<32 | fabric.On }
