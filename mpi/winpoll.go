package mpi

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/fetchop"
)

// A polling finds out whether this rank polls a window, where ranks share processors:
// then the rank that changes what it polls may need its processor. A program polls if
// it reads the same again and again at a place, or calls [Win.Sync] again and again. It
// looks at one access of many, and gives way after it if nothing has changed since the
// look before at that place.
//
// Any number of goroutines may access the window. They may spoil looks of each other,
// which only makes the rank give way sooner or later.
type polling struct {
	giveWay func()
	count   atomic.Uint32 // accesses
	ask     atomic.Bool   // look at the next Get by loads, which are not counted
	seen    [8]struct {   // the places of the latest looks, and what was read there
		place, data atomic.Uint64 // 0: none
	}
	next  atomic.Uint32 // of seen that the next place replaces
	place atomic.Uint64 // of the latest look
	same  atomic.Uint32 // looks at several places since something had changed
}

const (
	// quickPolls is how many accesses by loads and stores are between two looks: some
	// microseconds, many times as long as giving way. slowPolls is the same of accesses
	// by other means, each of which takes a good part of a microsecond.
	quickPolls = 512
	slowPolls  = 16

	// A rank that reads several places may compute with them. If otherPolls looks in a
	// row find no change, it gives way.
	otherPolls = 4

	// pollBytes is the length up to which programs poll.
	pollBytes = 64
)

// sharing returns the polling of a window of c; nil: each rank has a processor.
func (c *Comm) sharing() *polling {
	giveWay := c.t.GiveWay()
	if giveWay == nil {
		return nil
	}
	return &polling{giveWay: giveWay}
}

// due reports whether to look at access number n. The distances between looks are odd,
// so that they see both places of a loop over two.
func due(n, every uint32) bool {
	n &= 2*every - 1
	return n == 0 || n == every-1
}

// read counts an access that has read data, and looks at some.
func (p *polling) read(every uint32, target int, at uint64, data []byte) {
	if due(p.count.Add(1), every) {
		p.look(target, at, data)
	}
}

// look gives way if data is what was read at this place before. The rest of long data
// is ignored.
func (p *polling) look(target int, at uint64, data []byte) {
	if len(data) > pollBytes {
		return
	}
	place := uint64(target)<<40 ^ at + 1
	saw := place
	for len(data) > 0 {
		var word [8]byte
		data = data[copy(word[:], data):]
		saw = (saw ^ binary.NativeEndian.Uint64(word[:])) * 0x9e3779b97f4a7c15
		saw ^= saw >> 32
	}
	if !p.known(place, saw) {
		p.same.Store(0)
		return
	}
	if p.place.Swap(place) == place || p.same.Add(1)%otherPolls == 0 {
		p.giveWay()
	}
}

// known reports whether data was read at the place before, and remembers that it is now.
func (p *polling) known(place, data uint64) bool {
	for i := range p.seen {
		if s := &p.seen[i]; s.place.Load() == place {
			return s.data.Swap(data) == data
		}
	}
	s := &p.seen[p.next.Add(1)%uint32(len(p.seen))]
	s.place.Store(place)
	s.data.Store(data)
	return false
}

// synced takes in that the window is synchronized the n-th time.
func (p *polling) synced(n uint32) {
	if due(n, quickPolls) {
		p.ask.Store(true)
	}
}

// got looks at what Get has read by loads, if that is due.
func (p *polling) got(target int, at uint64, data []byte) {
	if p.ask.Load() {
		p.ask.Store(false)
		p.look(target, at, data)
	}
}

// Reads of windows in shared memory, where ranks share processors, in place of the fast
// paths of [Win.Get], [Win.FetchAndOp], [Win.CompareAndSwap] and [Win.GetAccumulate].
// The window has a polling. They report whether they have made the access; invalid and uncommon calls, and those
// that must wait, take the other path.

func (w *Win[T]) sharing() bool { return w.base() != nil && w.polling != nil }

func (w *Win[T]) getSharing(buf []T, target, disp int) bool {
	p := w.direct(target)
	if p == nil || uint(disp) > uint(len(p)) || len(buf) > len(p)-disp {
		return false
	}
	move(buf, p[disp:])
	w.polling.got(target, uint64(disp), view(buf))
	return true
}

func (w *Win[T]) fetchSharing(v T, target, disp int, op Op) (old T, ok bool) {
	p := w.direct(target)
	k, known := op.(Predefined)
	if uint(disp) >= uint(len(p)) || !known || k >= numUpdates || w.elem.fetch[k] == nil || !w.shared.enter(target) {
		return old, false
	}
	in := fetchop.Bits(v)
	bits := w.elem.fetch[k](firstByte(&p[disp]), in)
	if due(w.shared.leave(), quickPolls) && (k != Replace || bits == in) {
		w.polling.lookAt(target, disp, bits)
	}
	return fetchop.FromBits[T](bits), true
}

func (w *Win[T]) swapSharing(compare, v T, target, disp int) (old T, ok bool) {
	p := w.direct(target)
	if uint(disp) >= uint(len(p)) || w.elem.swap == nil || !w.shared.enter(target) {
		return old, false
	}
	expected := fetchop.Bits(compare)
	bits := w.elem.swap(firstByte(&p[disp]), expected, fetchop.Bits(v))
	if due(w.shared.leave(), quickPolls) && bits != expected {
		w.polling.lookAt(target, disp, bits)
	}
	return fetchop.FromBits[T](bits), true
}

func (w *Win[T]) getAccumulateSharing(data, old []T, target, disp int, op Op) bool {
	p := w.direct(target)
	if uint(disp) >= uint(len(p)) || len(data) != len(old) || len(data) > len(p)-disp || overlap(view(data), view(old)) ||
		!w.fastUpdate(target, p[disp:], data, old, op) {
		return false
	}
	w.polling.read(quickPolls, target, uint64(disp), view(old))
	return true
}

// lookAt is look for a number.
func (p *polling) lookAt(target, disp int, bits uint64) {
	p.look(target, uint64(disp), view([]uint64{bits}))
}
