package mpi

import (
	"errors"
	"sync"
	"sync/atomic"

	"rhinet/internal/layout"
	"rhinet/internal/vec"
	"rhinet/llc/ir"
)

// A reach accesses the memory of the ranks of a window. An access is complete, at both
// sides, when its method returns. Places are bytes from the beginning of a rank's part;
// those of dynamic windows also name an attached region (see splitPlace). Places have
// been checked, except in dynamic windows.
type reach interface {
	put(target int, at uint64, data []byte) error
	get(target int, at uint64, buf []byte) error
	// moveLayout puts mem, or gets into it, by a layout that is laid over memory from at on;
	// its first bytes may precede at.
	moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error
	// update is atomic with respect to other updates of the same kind of number.
	update(target int, at uint64, u *update) error
	// updateLayout is update for the elements of a layout, each of which is updated
	// atomically.
	updateLayout(target int, at uint64, l *layout.Type, u *update) error
	// lock and unlock are those of passive target synchronization. call is the call
	// that waits.
	lock(call string, target int, exclusive bool) error
	unlock(target int, exclusive bool) error
	// expose makes memory a region of a dynamic window, and hide ends that.
	expose(id uint64, mem []byte) error
	hide(id uint64) error
	// close ends the use. All ranks are about to close it, and no access is in
	// progress.
	close() error
}

// control is the memory that the ranks of a window share besides its contents: for each
// rank two locks, and the regions of a dynamic window.
//
//	0    lock of passive target synchronization
//	704  lock of updates without an operation of the processor
//	1408 number of updates by the processor that this rank is in
//	1416 not 0: this rank serves regions of a dynamic window, see spilled
//	1472 regions with slots: id, segment, bytes of each
type control struct {
	c    *Comm
	mem  []byte
	size int // of one rank's control memory

	mu sync.Mutex // one goroutine of this rank at a time waits for the lock of updates
}

const (
	updateLockAt = winLockBytes
	busyAt       = 2 * winLockBytes
	servesAt     = busyAt + 8
	regionsAt    = busyAt + lineBytes
	regionBytes  = 24
	maxSlots     = 128
	lineBytes    = 64
)

// controlBytes is the size of a rank's control memory: whole lines.
func controlBytes(dynamic bool) int {
	if dynamic {
		return (regionsAt + maxSlots*regionBytes + lineBytes - 1) &^ (lineBytes - 1)
	}
	return regionsAt
}

func (k *control) of(rank int) []byte { return k.mem[rank*k.size : (rank+1)*k.size] }

func (k *control) lock(call string, target int, exclusive bool) error {
	l := winLockAt(k.of(target))
	return l.acquire(k.c, call, exclusive)
}

func (k *control) unlock(target int, exclusive bool) error {
	l := winLockAt(k.of(target))
	l.surrender(k.c, exclusive)
	return nil
}

// alone calls f for u, which uses no operation of the processor, while no other such
// update changes memory of target. Under an exclusive lock only other goroutines of
// this rank must be excluded.
func (k *control) alone(target int, u *update, f func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if u.alone {
		return f()
	}
	l := k.updates(target)
	if err := l.acquire(k.c, "Accumulate", true); err != nil {
		return err
	}
	defer l.surrender(k.c, true)
	return f()
}

// updates returns the lock of updates of target's part.
func (k *control) updates(target int) winLock { return winLockAt(k.of(target)[updateLockAt:]) }

var errNoRegions = errors.New("only dynamic windows have regions")

// An exposed is a reach to memory that belongs to the ranks, which the network
// interface reads and writes.
type exposed struct {
	control
	remote  ir.Remote
	parts   []ir.Segment // of the ranks, in windows that are not dynamic
	dynamic bool

	mine   []byte // part of this rank
	own    sync.RWMutex
	region map[uint64][]byte // the regions of a dynamic window at this rank
	shown  map[uint64]ir.Segment
}

// errNotAttached reports a place that no rank has attached.
var errNotAttached = errors.New("nothing is attached there")

// A place is the target of an access: memory of this rank, or a segment.
type place struct {
	own    []byte
	peer   int
	seg    ir.Segment
	offset uint64
}

// find returns the place of n bytes.
func (x *exposed) find(target int, at uint64, n int) (p place, err error) {
	if !x.dynamic {
		if target == x.c.rank {
			return place{own: x.mine[at:][:n]}, nil
		}
		return place{peer: x.c.global(target), seg: x.parts[target], offset: at}, nil
	}
	id, offset := splitPlace(at)
	if target == x.c.rank {
		x.own.RLock()
		mem := x.region[id]
		x.own.RUnlock()
		if offset > uint64(len(mem)) || uint64(n) > uint64(len(mem))-offset || mem == nil {
			return p, errNotAttached
		}
		return place{own: mem[offset:][:n]}, nil
	}
	words := x.slot(target, id)
	seg, size := atomic.LoadUint64(&words[1]), atomic.LoadUint64(&words[2])
	if atomic.LoadUint64(&words[0]) != id || offset > size || uint64(n) > size-offset {
		return p, errNotAttached
	}
	return place{peer: x.c.global(target), seg: ir.Segment(seg), offset: offset}, nil
}

// slot returns the control words of a rank's region.
func (x *exposed) slot(rank int, id uint64) []uint64 {
	at := regionsAt + int(id%maxSlots)*regionBytes
	return elements[uint64](x.of(rank)[at : at+regionBytes])
}

func (x *exposed) put(target int, at uint64, data []byte) error {
	p, err := x.find(target, at, len(data))
	if err != nil {
		return err
	}
	return x.write(&p, data)
}

func (x *exposed) write(p *place, data []byte) error {
	if p.own != nil || len(data) == 0 {
		vec.Copy(p.own, data)
		return nil
	}
	return x.remote.WriteMemory(p.peer, p.seg, p.offset, data)
}

func (x *exposed) get(target int, at uint64, buf []byte) error {
	p, err := x.find(target, at, len(buf))
	if err != nil {
		return err
	}
	return x.read(&p, buf)
}

func (x *exposed) read(p *place, buf []byte) error {
	if p.own != nil || len(buf) == 0 {
		vec.Copy(buf, p.own)
		return nil
	}
	return x.remote.ReadMemory(p.peer, p.seg, p.offset, buf)
}

// update reads, changes and writes under the lock of updates: the target's processor
// takes no part, so its atomic operations do not help.
func (x *exposed) update(target int, at uint64, u *update) error {
	p, err := x.find(target, at, u.bytes())
	if err != nil {
		return err
	}
	return x.alone(target, u, func() error { return x.modify(&p, u) })
}

func (x *exposed) modify(p *place, u *update) error {
	if p.own != nil {
		u.apply(p.own)
		return nil
	}
	return u.readModifyWrite(func(mem []byte) error { return x.read(p, mem) }, func(mem []byte) error { return x.write(p, mem) })
}

// alignedBytes returns memory that is aligned for any element.
func alignedBytes(n int) []byte { return view(make([]uint64, (n+7)/8))[:n] }

func (x *exposed) expose(id uint64, mem []byte) error {
	seg, err := x.remote.ExposeMemory(mem)
	if err != nil {
		return err
	}
	x.own.Lock()
	x.region[id], x.shown[id] = mem, seg
	x.own.Unlock()
	words := x.slot(x.c.rank, id)
	atomic.StoreUint64(&words[1], uint64(seg))
	atomic.StoreUint64(&words[2], uint64(len(mem)))
	atomic.StoreUint64(&words[0], id)
	return nil
}

func (x *exposed) hide(id uint64) error {
	atomic.StoreUint64(&x.slot(x.c.rank, id)[0], 0)
	x.own.Lock()
	seg := x.shown[id]
	delete(x.region, id)
	delete(x.shown, id)
	x.own.Unlock()
	return x.remote.ConcealMemory(seg)
}

func (x *exposed) close() (err error) {
	for _, seg := range x.shown {
		err = errors.Join(err, x.remote.ConcealMemory(seg))
	}
	return err
}
