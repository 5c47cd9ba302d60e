package martini

import (
	"runtime"
	"sync/atomic"
	"time"

	"rhinet/nicemu/fabric"
)

// A node is the memory of one NIC as another one sees it.
type node []uint64

// An entry is one line of a table.
type entry [entryWords]uint64

func (t node) segment(sid int) *entry {
	return (*entry)(t[regSIDs+sid*entryWords : regSIDs+(sid+1)*entryWords])
}

func (t node) extent(i int) *entry {
	return (*entry)(t[regPages+i*entryWords : regPages+(i+1)*entryWords])
}

func (t node) window(i int) *entry {
	return (*entry)(t[regPGIDTBL+i*entryWords : regPGIDTBL+(i+1)*entryWords])
}

func (e *entry) load(i int) uint64     { return atomic.LoadUint64(&e[i]) }
func (e *entry) store(i int, v uint64) { atomic.StoreUint64(&e[i], v) }

// generation returns the state of e without the transfers under way.
func (e *entry) generation() uint64 { return e.load(entState) &^ entUsers }

// validate makes e valid under its next generation, which is never 0, and
// returns that generation.
func (e *entry) validate() uint32 {
	for {
		old := e.load(entState)
		gen := uint32(old>>entGenShift) + 1
		if gen == 0 {
			gen = 1
		}
		if atomic.CompareAndSwapUint64(&e[entState], old, uint64(gen)<<entGenShift|entValid|old&entUsers) {
			return gen
		}
	}
}

// invalidate makes e invalid and reports whether it was valid under gen.
func (e *entry) invalidate(gen uint32) bool {
	for {
		old := e.load(entState)
		if old&entValid == 0 || uint32(old>>entGenShift) != gen {
			return false
		}
		if atomic.CompareAndSwapUint64(&e[entState], old, old&^entValid) {
			return true
		}
	}
}

// hold keeps what e describes from being released, if e is valid.
func (e *entry) hold() bool {
	if atomic.AddUint64(&e[entState], 1)&entValid != 0 {
		return true
	}
	e.drop()
	return false
}

func (e *entry) drop() { atomic.AddUint64(&e[entState], ^uint64(0)) }

// drain waits until no transfer that held e is under way, and reports whether
// it came to that: whoever died in a transfer holds e for ever.
func (e *entry) drain() bool {
	return await(&e[entState], entUsers, 0)
}

// await waits until the bits of mask in w have value v, but not for ever: a
// rank that should change them may have died.
func await(w *uint64, mask, v uint64) bool {
	if atomic.LoadUint64(w)&mask == v {
		return true
	}
	end := time.Now().Add(drainLimit)
	for n := 0; atomic.LoadUint64(w)&mask != v; n++ {
		if n < drainYields {
			runtime.Gosched()
			continue
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(drainNap)
	}
	return true
}

// makeKey returns what tables are looked up by (martini, section 5.2).
func makeKey(pgid uint32, pid int) uint64 { return uint64(pgid) | uint64(uint16(pid))<<32 }

// start brings up the NIC of a rank, which need not run yet, unless somebody
// has: it enters the NIC's own segments and the extent that they lie in. It
// reports whether the NIC is up.
func start(f *fabric.Fabric, rank int) (node, bool) {
	t := node(f.Words(rank, fabric.Device))
	power := &t[regPower]
	if atomic.LoadUint64(power) == powerOn {
		return t, true
	}
	if !atomic.CompareAndSwapUint64(power, powerOff, powerRising) {
		return t, await(power, ^uint64(0), powerOn)
	}
	key := makeKey(f.Job(), rank)
	first, _ := f.Span(rank, fabric.Control)
	last, size := f.Span(rank, fabric.Rings)
	extend := func(i int, at, n uint64) {
		first, end := at/fabric.PageBytes, (at+n+fabric.PageBytes-1)/fabric.PageBytes
		x := t.extent(i)
		x.store(entKey, key)
		x.store(entStart, ioBase/fabric.PageBytes+first)
		x.store(entSize, end-first)
		x.store(entPhys, first)
		x.store(entRefs, 1)
		x.validate()
	}
	extend(ioExtent, first, last+size-first)
	at, n := f.FlagSpan()
	extend(boardExtent, at, n)
	atomic.StoreUint64(&t[regHigh], ownExtents)
	register := func(sid, extent int, at, n uint64) {
		s := t.segment(sid)
		s.store(entKey, key)
		s.store(entStart, ioBase+at)
		s.store(entSize, n)
		s.store(entHint, uint64(extent))
		s.validate()
	}
	register(sidBoards, boardExtent, at, n)
	for sid, area := range map[int]fabric.Area{sidControl: fabric.Control, sidShared: fabric.Shared, sidRings: fabric.Rings} {
		at, n := f.Span(rank, area)
		register(sid, ioExtent, at, n)
	}
	atomic.StoreUint64(power, powerOn)
	return t, true
}
