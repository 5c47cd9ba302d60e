package dimmnet2

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Processes is how many processes use a board at the same time: rank r is process r%2 of
// board r/2 (our choice), and has half of everything (section 1).
const Processes = 2

// What a board has for its host (section 2).
const (
	WindowBytes     = 512
	WriteWindows    = 4
	PrefetchWindows = 8
	LLCMBytes       = 64 << 10
	ModuleBytes     = 256 << 20 // of each of two SO-DIMMs; less may be fitted
)

// The half of a process.
const (
	ownWrite    = WriteWindows / Processes
	ownPrefetch = PrefetchWindows / Processes
	prefetched  = ownPrefetch * WindowBytes
	ownLLCM     = LLCMBytes / Processes
)

// An Address is a physical address of the host. Where the ranges lie is our choice.
type Address uint32

// The ranges.
const (
	baseWW        Address = 0
	basePW        Address = 1 << 16
	baseLLCM      Address = 2 << 16
	baseRegisters Address = 3 << 16
	baseDIMM      Address = 1 << 31

	registerBlock = 4096 // of a process
	registerBytes = 16
)

// WriteWindow returns the address of a Write Window of the board, 0 to 3.
func WriteWindow(i int) Address { return baseWW + Address(i)*WindowBytes }

// PrefetchWindow returns the address of a Prefetch Window of the board, 0 to 7.
func PrefetchWindow(i int) Address { return basePW + Address(i)*WindowBytes }

// LLCM returns the address of an offset in the part of the LLCM that a process of the board has.
func LLCM(process int, offset uint32) Address {
	return baseLLCM + Address(process)*ownLLCM + Address(offset)
}

// SODIMM returns where an address of the SO-DIMMs would be, if the host could reach them.
func SODIMM(at uint32) Address { return baseDIMM + Address(at) }

// A Register is the offset of a control register in the block of a process. Registers are
// read and written in 64 or 128 bits (section 2); which there are is our choice.
type Register uint32

// The registers.
const (
	RegIssue   Register = 0x00 // request-issue: a command of 64 or 128 bits; write only
	RegStride  Register = 0x10 // mode: bytes from element to element
	RegElement Register = 0x20 // mode: bytes of an element, 4 or 8
	RegList    Register = 0x30 // mode: where the list of addresses lies; bit 63: in the own LLCM
	RegSent    Register = 0x40 // status: commands that the controller is done with
	RegErrors  Register = 0x50 // status: a bit for each Reason that has come up
	RegGroup   Register = 0x60 // privileged: the PGID
	RegBase    Register = 0x70 // privileged: the first SO-DIMM address of the process
	RegLimit   Register = 0x80 // privileged: bytes of SO-DIMM from there on
)

// ListInLLCM in RegList says that the list lies in the LLCM.
const ListInLLCM = 1 << 63

// At returns the address of a register of a process of the board.
func (r Register) At(process int) Address {
	return baseRegisters + Address(process)*registerBlock + Address(r)
}

// Places in the tables of a rank (fabric.Device), in words: what it alone writes, and
// the manager. Others read the group.
const (
	regPower   = 0 // the group and stateOn: see groupWord
	regManaged = 8 // of rank 0: whether the job has a manager
	regLimit   = 9
	regSent    = 16
	regStride  = 17
	regElement = 18
	regList    = 19
	regRefused = 24 // own commands that were refused, by reason
	regWindows = 64 // the Write Windows
	regEnd     = regWindows + ownWrite*WindowBytes/8

	tableBytes = regEnd * 8
)

// Places in what the NICs of all ranks write of a rank (fabric.Public), in words. On the
// fast path the thread that issues a command does what the controller of the receiver would do.
const (
	pubRefused = 0  // packets that arrived and were refused, by reason
	pubRights  = 64 // a line each: the write rights of the Prefetch Windows, and of the status ring
	rightWords = 8
	numRights  = ownPrefetch + 1

	llcmAt     = fabric.PageBytes
	windowsAt  = llcmAt + ownLLCM
	moduleAt   = (windowsAt + prefetched + fabric.PageBytes - 1) / fabric.PageBytes * fabric.PageBytes
	publicSize = moduleAt
)

// The half LLCM of a process (our choice): the status ring, the receive ring of IPUSH, and
// small buffers, which alone packets can name.
const (
	statusHead     = 0   // entries written; of whoever has the write right
	statusReleased = 128 // entries that the host is done with
	statusAt       = 256
	statusEntries  = 64
	statusBytes    = 16
	ipushAt        = statusAt + statusEntries*statusBytes
	RecordLines    = 128 // of the receive ring
	BuffersAt      = ipushAt + RecordLines*ring.LineBytes + 4*ring.LineBytes
	BuffersEnd     = ownLLCM
)

// ipush is the shape of the receive ring.
func ipush() ring.SharedLayout { return ring.SharedLayout{Lines: RecordLines} }

// Geometry returns the memory that the ranks of a job need: g, or more of it, with so
// many bytes of SO-DIMM fitted for each.
func Geometry(g fabric.Geometry, module int) fabric.Geometry {
	g.Device = max(g.Device, tableBytes)
	g.Public = publicSize + module
	return g
}

// groupWord is what regPower holds of a process that is entered with a PGID.
func groupWord(pgid uint16) uint64 { return uint64(pgid)<<32 | fabric.On }
