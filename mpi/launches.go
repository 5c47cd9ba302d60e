package mpi

import (
	"sync"
	"sync/atomic"
)

// A launches knows of a checked job how many operations of a communicator are under way, and holds launches that may be used again: so a call
// like one before allocates next to nothing, not even the memory that its algorithm needs, which may be as long as the message.
type launches struct {
	out  atomic.Int32           // operations under way
	near atomic.Pointer[launch] // of a short call, which needs no lock; nil: none

	mu   sync.Mutex
	free []*launch
}

// take hands out a launch of a call.
func (k *launches) take(call string) *launch {
	if l := k.near.Swap(nil); l != nil {
		l.call = call
		return l
	}
	k.mu.Lock()
	n := len(k.free)
	if n == 0 {
		k.mu.Unlock()
		return &launch{call: call, once: true}
	}
	l := k.free[n-1]
	k.free = k.free[:n-1]
	k.mu.Unlock()
	l.call = call
	return l
}

// used reports whether an operation is under way.
func (k *launches) used() bool { return k.out.Load() > 0 }

// ended notes the end of an operation.
func (k *collState) ended() {
	if k.history != nil {
		k.launches.out.Add(-1)
	}
}

// spent keeps l for another call, if nothing was out of the ordinary. Its operation is complete, and so is its request.
func (l *launch) spent() {
	if l.script != nil || l.as != nil || l.unpack != nil || len(l.regions) > 0 {
		return
	}
	k := &l.view.coll.launches
	if l.short && k.near.CompareAndSwap(nil, l) {
		return
	}
	k.mu.Lock()
	if !l.short {
		l.op.Release(len(k.free))
	}
	k.free = append(k.free, l)
	k.mu.Unlock()
}

// handleCount is how many requests are allocated at once: their memory is free again when the program has dropped all of them.
const handleCount = 16

// A handleStock is requests that nobody has yet.
type handleStock []Request

// next is a request for the program, which may keep it for ever.
func (k *handleStock) next() *Request {
	if len(*k) == 0 {
		*k = make([]Request, handleCount)
	}
	r := &(*k)[0]
	*k = (*k)[1:]
	return r
}

// newLaunchTransport returns the transport of a launch.
func newLaunchTransport(c *core) *collTransport {
	t := newCollTransport(c)
	if b := c.coll.barriers; b != nil {
		t.cross(b)
	}
	return t
}
