package martini

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A node is the memory of one NIC as another NIC sees it: tables that only its own process writes,
// and memory that all NICs write.
type node struct{ tables, public []uint64 }

// An entry is one line of a table.
type entry [entryWords]uint64

// nodeOf returns the memory of a rank's NIC.
func nodeOf(f *fabric.Fabric, rank int) node {
	return node{f.Words(rank, fabric.Device), f.Words(rank, fabric.Public)}
}

func (t node) line(at int) *entry { return (*entry)(t.tables[at : at+entryWords]) }

func (t node) segment(sid int) *entry { return t.line(regSIDs + sid*entryWords) }

func (t node) extent(i int) *entry { return t.line(regPages + i*entryWords) }

func (t node) window(i int) *entry { return t.line(regPGIDTBL + i*entryWords) }

// holds returns the number of transfers in progress in an extent.
func (t node) holds(i int) *uint64 { return &t.public[pubHolds+i*entryWords] }

func (e *entry) load(i int) uint64     { return atomic.LoadUint64(&e[i]) }
func (e *entry) store(i int, v uint64) { atomic.StoreUint64(&e[i], v) }

// validate makes e, which belongs to the caller, valid under its next generation, which is never 0,
// and returns that generation.
func (e *entry) validate() uint32 {
	gen := uint32(e.load(entState)>>entGenShift) + 1
	if gen == 0 {
		gen = 1
	}
	e.enter(uint64(gen)<<entGenShift | entValid)
	return gen
}

// invalidate makes e, which belongs to the caller, invalid and reports whether
// it was valid under gen.
func (e *entry) invalidate(gen uint32) bool {
	old := e.load(entState)
	if old&entValid == 0 || uint32(old>>entGenShift) != gen {
		return false
	}
	e.store(entState, old&^entValid)
	return true
}

// write writes all words of an entry except the state, with a seal, by which a later reader can
// tell that they are unchanged. last is entPhys of an extent, entHint of a segment.
func (e *entry) write(key, start, size, last uint64) {
	e.fill(key, start, size, last, fabric.Seal4(key, start, size, last))
}

// give changes the key of e.
func (e *entry) give(key uint64) { e.write(key, e.load(entStart), e.load(entSize), e.load(entPhys)) }

// sealed reports whether e holds what its owner sealed.
func (e *entry) sealed() bool {
	return e.load(entSeal) == fabric.Seal4(e.load(entKey), e.load(entStart), e.load(entSize), e.load(entPhys))
}

// hold keeps the memory of extent i from being released, if the extent is valid. It counts the
// transfer before it reads the state; a withdrawal invalidates the extent before it reads the
// count. So one of the two sees the other.
func (t node) hold(i int) bool {
	atomic.AddUint64(t.holds(i), 1)
	if t.extent(i).load(entState)&entValid != 0 {
		return true
	}
	t.drop(i)
	return false
}

func (t node) drop(i int) { atomic.AddUint64(t.holds(i), ^uint64(0)) }

// drain waits until no transfer that held extent i is in progress, and reports whether that is so.
func (n *NIC) drain(i int) bool { return n.drains.Done(n.own.holds(i)) }

// makeKey returns the key of look-ups in tables (martini, section 5.2).
func makeKey(pgid uint32, pid int) uint64 { return uint64(pgid) | uint64(uint16(pid))<<32 }

// up reports whether the manager has started the NIC.
func (t node) up() bool { return atomic.LoadUint64(&t.tables[regPower]) == stateOn }

// start brings up the NIC of a rank, whose process need not run yet: it enters the NIC's own
// segments and the extents that contain them.
func start(f *fabric.Fabric, rank int) node {
	t := nodeOf(f, rank)
	key := makeKey(f.Job(), rank)
	first, _ := f.Span(rank, fabric.Control)
	last, size := f.Span(rank, fabric.Rings)
	extend := func(i int, at, n uint64) {
		first, end := at/fabric.PageBytes, (at+n+fabric.PageBytes-1)/fabric.PageBytes
		x := t.extent(i)
		x.write(key, ioBase/fabric.PageBytes+first, end-first, first)
		x.validate()
	}
	extend(ioExtent, first, last+size-first)
	at, n := f.FlagSpan()
	extend(flagArrayExtent, at, n)
	atomic.StoreUint64(&t.tables[regHigh], ownExtents)
	register := func(sid, extent int, at, n uint64) {
		s := t.segment(sid)
		s.write(key, ioBase+at, n, uint64(extent))
		s.validate()
	}
	register(sidFlagArrays, flagArrayExtent, at, n)
	for sid, area := range map[int]fabric.Area{sidControl: fabric.Control, sidShared: fabric.Shared, sidRings: fabric.Rings} {
		at, n := f.Span(rank, area)
		register(sid, ioExtent, at, n)
	}
	atomic.StoreUint64(&t.tables[regPower], stateOn)
	return t
}
