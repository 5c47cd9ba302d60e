package dimmnet2

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
)

// A space is a kind of resource.
type space uint8

// A resource is a range of host addresses of which each process has a share, in units that no
// access may cross.
type resource struct {
	space       space
	start       Address
	share, unit uint32
}

// The resources.
const (
	nowhere space = iota
	writeWindows
	prefetchWindows
	llcm
	registers
	sodimm
)

var resources = [...]resource{
	{writeWindows, baseWW, ownWrite * WindowBytes, WindowBytes},
	{prefetchWindows, basePW, prefetched, WindowBytes},
	{llcm, baseLLCM, ownLLCM, ownLLCM},
	{registers, baseRegisters, registerBlock, registerBytes},
	{sodimm, baseDIMM, ModuleBytes, ModuleBytes},
}

// find returns the resource of size bytes at an address, if they belong to this process, and their
// offset in its share.
func (n *NIC) find(at Address, size int) (r resource, offset uint32, why Reason) {
	if n.closed {
		return r, 0, Closed
	}
	for _, r = range resources {
		offset = uint32(at - r.start)
		if at < r.start || offset/r.share >= Processes {
			continue
		}
		switch {
		case r.space == sodimm:
			return r, 0, NoHostAccess
		case uint64(offset%r.unit)+uint64(size) > uint64(r.unit):
			return r, 0, NotMapped
		case int(offset/r.share) != n.Process():
			return r, 0, NotYours
		}
		return r, offset % r.share, 0
	}
	return r, 0, NotMapped
}

// Load is a load of the host: from a Prefetch Window, through the processor's cache, from
// the LLCM or from a register.
func (n *NIC) Load(at Address, b []byte) error {
	r, offset, why := n.find(at, len(b))
	if why == 0 {
		switch r.space {
		case writeWindows:
			why = WriteOnly
		case prefetchWindows:
			n.loadWindow(offset, b)
		case llcm:
			dma.Read(b, n.own.llcm[offset:][:len(b)])
		case registers:
			why = n.readRegister(Register(offset), b)
		}
	}
	if why != 0 {
		return n.refuse(Refusal{What: "load", At: at, Rank: n.rank, Reason: why})
	}
	return nil
}

// Store is a store of the host: into a Write Window, the LLCM or a register. The error of a store
// that issues a command is also that of the command.
func (n *NIC) Store(at Address, b []byte) error {
	r, offset, why := n.find(at, len(b))
	if why == 0 {
		switch r.space {
		case writeWindows:
			copy(n.own.written[offset:], b)
		case prefetchWindows:
			why = ReadOnly
		case llcm:
			dma.Write(n.own.llcm[offset:][:len(b)], b)
		case registers:
			if Register(offset) == RegIssue {
				return n.issue(at, b)
			}
			why = n.writeRegister(Register(offset), b)
		}
	}
	if why != 0 {
		return n.refuse(Refusal{What: "store", At: at, Rank: n.rank, Reason: why})
	}
	return nil
}

// loadWindow reads through the cache: a cached line does not change, even if the controller has
// written the window since (section 2.1).
func (n *NIC) loadWindow(offset uint32, b []byte) {
	for len(b) > 0 {
		line := offset / ring.LineBytes
		from := line * ring.LineBytes
		if n.cached&(1<<line) == 0 {
			copy(n.cache[from:from+ring.LineBytes], n.own.window[from:])
			n.cached |= 1 << line
		}
		moved := copy(b, n.cache[offset:from+ring.LineBytes])
		b, offset = b[moved:], offset+uint32(moved)
	}
}

// Flush is CLFLUSH of the lines of size bytes of a Prefetch Window: the next load sees what the
// controller has written (section 2.1).
func (n *NIC) Flush(at Address, size int) error {
	r, offset, why := n.find(at, size)
	if why == 0 && r.space != prefetchWindows {
		why = NotMapped
	}
	if why != 0 {
		return n.refuse(Refusal{What: "flush", At: at, Rank: n.rank, Reason: why})
	}
	if size > 0 {
		first, last := offset/ring.LineBytes, (offset+uint32(size)-1)/ring.LineBytes
		n.cached &^= (2<<(last-first) - 1) << first
	}
	return nil
}

// Cached returns the number of lines of the process's Prefetch Windows in the processor's cache.
func (n *NIC) Cached() int { return bits.OnesCount32(n.cached) }

// modeRegisters lists the registers that the process sets, with their maximum values.
var modeRegisters = map[Register]struct {
	word int
	most uint64
}{
	RegStride:  {regStride, 1<<32 - 1},
	RegElement: {regElement, 8},
	RegList:    {regList, 1<<64 - 1},
}

// readRegister reads 64 bits, or 128 of which the upper ones are 0.
func (n *NIC) readRegister(r Register, b []byte) Reason {
	if len(b) != 8 && len(b) != 16 {
		return WrongWidth
	}
	var v uint64
	switch mode, ok := modeRegisters[r]; {
	case ok:
		v = n.own.tables[mode.word]
	case r == RegIssue:
		return WriteOnly
	case r == RegSent:
		v = atomic.LoadUint64(&n.own.tables[regSent])
	case r == RegErrors:
		v = n.errors()
	case r == RegGroup:
		v = uint64(n.own.pgid())
	case r == RegBase:
		v = uint64(base(n.rank))
	case r == RegLimit:
		v = n.own.tables[regLimit]
	default:
		return NotMapped
	}
	clear(b)
	binary.LittleEndian.PutUint64(b, v)
	return 0
}

// writeRegister sets a mode register.
func (n *NIC) writeRegister(r Register, b []byte) Reason {
	if len(b) != 8 && len(b) != 16 {
		return WrongWidth
	}
	v := binary.LittleEndian.Uint64(b)
	mode, ok := modeRegisters[r]
	switch {
	case r == RegSent || r == RegErrors:
		return ReadOnly
	case r == RegGroup || r == RegBase || r == RegLimit:
		return Privileged
	case !ok:
		return NotMapped
	case v > mode.most || r == RegElement && v != 4 && v != 8:
		return WrongLength
	}
	n.own.tables[mode.word] = v
	return 0
}
