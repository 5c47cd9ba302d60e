package ib

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// Access is a set of rights to a memory region, or of those that a queue pair grants to its other
// side (infiniband, sections 10.6 and 11.2).
type Access uint8

// The rights. Reading is always allowed to the owner.
const (
	LocalWrite Access = 1 << iota
	RemoteWrite
	RemoteRead
	RemoteAtomic
	ZeroBased // not a right: remote addresses count from the region's start
)

// String lists the rights.
func (a Access) String() string {
	var all []string
	for i, name := range [...]string{"local write", "remote write", "remote read", "remote atomic", "zero-based"} {
		if a>>i&1 != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// ErrAccess reports inconsistent rights: if others may write, the owner must be able to write
// (infiniband, section 10.6).
var ErrAccess = errors.New("ib: remote write and remote atomic need local write")

// ErrKey reports a key that the owner does not have.
var ErrKey = errors.New("ib: the key names no region of this adapter")

// ErrInUse reports a region held by a transfer that does not end.
var ErrInUse = errors.New("ib: a transfer under way in the region does not end")

// An extent is the content of a region's line.
type extent struct {
	domain  Domain
	access  Access
	address uint64 // remote address of the first byte
	length  uint64
	place   uint64 // offset in the job's memory, or processMemory
	start   uint64 // processMemory: virtual address of the first byte
}

func (x *extent) words() [5]uint64 {
	return [5]uint64{uint64(x.domain) | uint64(x.access)<<32, x.address, x.length, x.place, x.start}
}

// enter stores x as region i, and returns its key.
func (a adapter) enter(i int, x *extent) Key {
	e, w := a.region(i), x.words()
	for n, v := range w {
		e.store(mrDomain+n, v)
	}
	e.store(mrSeal, fabric.Seal(w[:]...))
	gen := (e.load(mrState)>>32 + 1) & (1<<(32-indexBits) - 1)
	if gen == 0 {
		gen = 1
	}
	e.store(mrState, gen<<32|mrValid)
	return Key(gen<<indexBits | uint64(i))
}

// known returns 0 if a region's line holds what a key names, or else why not.
func (e *entry) known(k Key) Reason {
	state := e.load(mrState)
	switch gen := uint64(k >> indexBits); {
	case gen == 0 || state>>32 == 0:
		return NoRegion
	case state == gen<<32|mrValid:
		return 0
	}
	return Stale
}

// find reads the line that a key names.
func (a adapter) find(k Key) (x extent, why Reason) {
	e := a.region(int(k & indexMask))
	if why = e.known(k); why != 0 {
		return x, why
	}
	var w [5]uint64
	for n := range w {
		w[n] = e.load(mrDomain + n)
	}
	seal := e.load(mrSeal)
	if why = e.known(k); why != 0 {
		return x, why // withdrawn while it was read
	}
	if seal != fabric.Seal(w[:]...) {
		return x, Overwritten
	}
	return extent{Domain(w[0]), Access(w[0] >> 32), w[1], w[2], w[3], w[4]}, 0
}

// check returns why the region must not be used in this way, or 0: by a queue pair of a domain,
// with some rights, for n bytes at an address. off is the offset of the first byte.
func (x *extent) check(d Domain, need Access, address, n uint64) (off uint64, why Reason) {
	if off = address - x.address; x.domain != d {
		return 0, WrongDomain
	} else if x.access&need != need {
		return 0, NoRight
	} else if off > x.length || n > x.length-off {
		return 0, BeyondRegion
	}
	return off, 0
}

// A memory is the owner's side of the table of regions.
type memory [Regions]struct {
	buf    []byte
	pinner runtime.Pinner
	pinned bool
}

// newMemory returns an empty table. If the table is garbage-collected together with its adapter, a
// finalizer unpins the memory: the runtime ends a program that loses a pin.
func newMemory() *memory {
	m := new(memory)
	runtime.SetFinalizer(m, (*memory).unpin)
	return m
}

func (m *memory) unpin() {
	for i := range m {
		m[i].pinner.Unpin()
	}
}

// Register pins b and makes it a region of a domain with the given rights
// (infiniband, section 11.2). Its remote addresses are those of b, or count from 0.
func (h *HCA) Register(d Domain, b []byte, a Access) (Key, error) { return h.register(d, b, a, true) }

// Hold is Register for memory that the caller keeps alive and in place until Deregister, such as an
// argument during a call: it is cheaper.
func (h *HCA) Hold(d Domain, b []byte, a Access) (Key, error) { return h.register(d, b, a, false) }

func (h *HCA) register(d Domain, b []byte, a Access, pin bool) (Key, error) {
	if a&(RemoteWrite|RemoteAtomic) != 0 && a&LocalWrite == 0 {
		return 0, ErrAccess
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return 0, ErrClosed
	}
	if len(h.free) == 0 {
		return 0, ErrFull
	}
	i := int(h.free[len(h.free)-1])
	h.free = h.free[:len(h.free)-1]
	m := &h.memory[i]
	m.buf = b
	if m.pinned = pin && len(b) > 0; m.pinned {
		m.pinner.Pin(&b[0])
	}
	h.f.Lend(h.rank, i, b)
	x := extent{d, a, fabric.Address(b), uint64(len(b)), processMemory, fabric.Address(b)}
	if off, ok := h.f.Offset(b); ok {
		x.place, x.start = off, 0
	}
	if a&ZeroBased != 0 {
		x.address = 0
	}
	return h.own.enter(i, &x), nil
}

// Deregister withdraws a region. Once it has returned, no adapter accesses the memory.
func (h *HCA) Deregister(k Key) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := int(k & indexMask)
	if i < firstRegion || h.own.region(i).known(k) != 0 {
		return ErrKey
	}
	err := h.withdraw(i)
	if err == nil {
		h.free = append(h.free, int32(i))
	}
	return err
}

// withdraw invalidates region i, and releases its memory once no transfer holds it.
func (h *HCA) withdraw(i int) error {
	e := h.own.region(i)
	e.store(mrState, e.load(mrState)&^mrValid)
	if !h.drains.Done(h.own.holds(i)) {
		return ErrInUse
	}
	h.release(i)
	return nil
}

func (h *HCA) release(i int) {
	m := &h.memory[i]
	h.f.Lend(h.rank, i, nil)
	if m.pinned {
		m.pinner.Unpin()
	}
	m.buf, m.pinned = nil, false
}

// withdrawAll withdraws every region of this process.
func (h *HCA) withdrawAll() (err error) {
	for i := firstRegion; i < Regions; i++ {
		if h.own.region(i).load(mrState)&mrValid != 0 {
			err = errors.Join(err, h.withdraw(i))
			h.release(i)
		}
	}
	return err
}

// local returns why a queue pair of a domain may not use b with these rights under a key of this
// adapter, or 0.
func (h *HCA) local(d Domain, b []byte, k Key, need Access) Reason {
	x, why := h.own.find(k)
	if why != 0 {
		return why
	}
	if x.place != processMemory {
		off, _ := h.f.Offset(b)
		x.address = 0
		_, why = x.check(d, need, off-x.place, uint64(len(b)))
		return why
	}
	x.address = x.start
	_, why = x.check(d, need, fabric.Address(b), uint64(len(b)))
	return why
}

// A target is memory of a responder: bytes of a region.
type target struct {
	at   adapter
	rank int
	key  Key
	x    extent
	off  uint64
}

// carry copies between b and a target.
func (h *HCA) carry(t *target, b []byte, write bool) (moved int, why Reason, cause error) {
	for moved < len(b) {
		n, why, cause := h.piece(t, t.off+uint64(moved), b[moved:min(moved+pieceBytes, len(b))], write)
		if moved += n; why != 0 {
			return moved, why, cause
		}
	}
	return moved, 0, nil
}

// piece copies between b and the target from an offset of the region on. It counts the transfer
// before it checks the region; a withdrawal invalidates the region before it reads the count. So
// one of the two sees the other.
func (h *HCA) piece(t *target, off uint64, b []byte, write bool) (int, Reason, error) {
	i := int(t.key & indexMask)
	holds := t.at.holds(i)
	atomic.AddUint64(holds, 1)
	defer atomic.AddUint64(holds, ^uint64(0))
	if why := t.at.region(i).known(t.key); why != 0 {
		return 0, why, nil
	}
	if mem := h.near(t, off, uint64(len(b))); mem != nil {
		if write {
			dma.Write(mem, b)
		} else {
			dma.Read(b, mem)
		}
		return len(b), 0, nil
	}
	if t.x.place != processMemory || !h.f.Shared() {
		return 0, Fault, nil
	}
	moved, why, cause := h.engine.Process(t.rank, t.x.start+off, b, write)
	return moved, dmaReasons[why], cause
}

// dmaReasons translates the reasons of the DMA engine.
var dmaReasons = [...]Reason{dma.NoAccess: NoAttach, dma.Gone: Gone, dma.Fault: Fault}

// near returns n bytes of a target if this process has them in its own address space.
func (h *HCA) near(t *target, off, n uint64) []byte {
	if t.x.place != processMemory {
		return h.f.Memory(t.x.place+off, n)
	}
	return dma.Within(h.f.Borrow(t.rank, int(t.key&indexMask)), t.x.start+off, n)
}
