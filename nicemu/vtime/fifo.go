package vtime

// A FIFO is a queue of at most a given number of entries between modules. An actor that finds it
// empty or full asks to be woken. The wake-up is an event at the same time, of the rank of the
// FIFO; the woken actor must check again, because another one may have been quicker.
type FIFO[T any] struct {
	src     Source
	items   Ring[T]
	bound   int
	getters Ring[waiter]
	putters Ring[waiter]
	depth   Meter
	put     uint64
}

// A waiter is an actor that is to be woken.
type waiter struct {
	actor Actor
	op    int
	arg   uint64
}

// NewFIFO returns an empty queue of at most bound entries.
func NewFIFO[T any](k *Kernel, name string, bound int) *FIFO[T] {
	if bound < 1 {
		panic(noRoom)
	}
	return &FIFO[T]{src: k.Source(name), bound: bound}
}

const noRoom = "vtime: a FIFO has room for at least one entry"

// Put adds v, and reports whether there was room.
func (f *FIFO[T]) Put(v T) bool {
	if f.items.Len() == f.bound {
		return false
	}
	f.items.Push(v)
	f.put++
	f.changed()
	f.wake(&f.getters)
	return true
}

// Get removes the oldest entry, and reports whether there was one.
func (f *FIFO[T]) Get() (v T, ok bool) {
	if f.items.Len() == 0 {
		return v, false
	}
	v = f.items.Pop()
	f.changed()
	f.wake(&f.putters)
	return v, true
}

// Peek returns the oldest entry without removing it.
func (f *FIFO[T]) Peek() (v T, ok bool) {
	if f.items.Len() == 0 {
		return v, false
	}
	return *f.items.At(0), true
}

// WhenEntry wakes actor at the next Put after those for which earlier actors wait, or now if there
// is an entry.
func (f *FIFO[T]) WhenEntry(actor Actor, op int, arg uint64) {
	f.wait(&f.getters, f.items.Len() > 0, waiter{actor, op, arg})
}

// WhenRoom wakes actor at the next Get after those for which earlier actors wait, or now if there
// is room.
func (f *FIFO[T]) WhenRoom(actor Actor, op int, arg uint64) {
	f.wait(&f.putters, f.items.Len() < f.bound, waiter{actor, op, arg})
}

func (f *FIFO[T]) wait(list *Ring[waiter], ready bool, w waiter) {
	list.Push(w)
	if ready {
		f.wake(list)
	}
}

func (f *FIFO[T]) wake(list *Ring[waiter]) {
	if list.Len() > 0 {
		w := list.Pop()
		f.src.At(f.src.k.now, w.actor, w.op, w.arg)
	}
}

func (f *FIFO[T]) changed() {
	f.depth.Set(f.src.k.now, f.items.Len())
	f.src.level(f.items.Len())
}

// Len returns the number of entries, and Bound the maximum.
func (f *FIFO[T]) Len() int { return f.items.Len() }

// Bound returns the maximum number of entries.
func (f *FIFO[T]) Bound() int { return f.bound }

// Puts returns the number of entries added so far.
func (f *FIFO[T]) Puts() uint64 { return f.put }

// Depth returns the integral of the number of entries.
func (f *FIFO[T]) Depth() *Meter { return &f.depth }
