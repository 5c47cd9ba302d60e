package mpi

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A launches counts the operations in progress on a communicator, except, in a job that is
// not checked, those by flags alone, and holds launches that can be used again: so a call like an earlier one allocates next
// to nothing, not even the memory of its algorithm, which may be as long as the
// message.
type launches struct {
	out  atomic.Int32           // operations in progress
	near atomic.Pointer[launch] // of a short call, which needs no lock; nil: none

	mu   sync.Mutex
	free []*launch
}

// take returns a launch for a call.
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

// used reports whether an operation that is counted is in progress.
func (k *launches) used() bool { return k.out.Load() > 0 }

// began counts an operation by messages. In a checked job all have been counted.
func (k *collState) began() {
	if k.history == nil {
		k.launches.out.Add(1)
	}
}

// ended counts the end of an operation.
func (k *collState) ended(byMessages bool) {
	if byMessages || k.history != nil {
		k.launches.out.Add(-1)
	}
}

// rests reports whether no operation is in progress.
func (k *collState) rests() bool {
	if k.launches.used() || k.async == nil {
		return !k.launches.used()
	}
	flags := true
	k.t.c.t.Perform(func() { flags = k.async.rest() })
	return flags
}

// rest reports whether no exchange is in progress.
func (k *exchanges) rest() bool {
	return len(k.waiting) == 0 && !slices.ContainsFunc(k.open[:], func(e *exchange) bool { return e != nil })
}

// spent keeps l for another call, if it has nothing uncommon. Its operation and its
// request are complete.
func (l *launch) spent() {
	if l.script != nil || l.as != nil || l.unpack != nil || len(l.regions) > 0 || l.view.state.Load() != commOpen {
		l.discard()
		return
	}
	k := &l.view.coll.launches
	if l.way > byBoth && k.near.CompareAndSwap(nil, l) {
		return
	}
	k.mu.Lock()
	if l.way <= byBoth {
		l.op.Release(len(k.free))
	}
	k.free = append(k.free, l)
	k.mu.Unlock()
}

// discard gives back what l keeps for another call that will not come: the last one is complete.
func (l *launch) discard() {
	if l.latest != nil {
		l.latest.discard()
	}
	if f := l.exchange.set; f != nil {
		f.of.give(f)
	}
}

// discard discards the launches of a communicator on which no call begins any more.
func (k *launches) discard() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.near.Swap(nil); l != nil {
		l.discard()
	}
	for _, l := range k.free {
		l.discard()
	}
	k.free = nil
}

// newLaunchTransport returns the transport of a launch.
func newLaunchTransport(c *core) *collTransport {
	t := newCollTransport(c)
	if b := c.coll.barriers; b != nil {
		t.cross(b)
	}
	return t
}
