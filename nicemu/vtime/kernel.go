package vtime

import (
	"fmt"
	"math"
)

// An Actor is a process without a goroutine. Act is called at the time for which an event was
// scheduled, with the event's operation and argument; the actor defines what they mean.
type Actor interface {
	Act(op int, arg uint64)
}

// A Kernel holds the pending events and virtual time. The zero value is ready;
// it must not be copied.
type Kernel struct {
	now     Time
	number  uint64 // of the next event
	pending queue
	slots   []slot
	free    uint32 // head of the list of free slots, plus one
	dead    int    // cancelled events that are still queued
	sources []string
	done    uint64
	rank    uint32 // the highest rank of a source that has had an event at the present time
	bound   Time   // see Leap
	most    uint64 // leaps end when done reaches it
	trace   Tracer
}

// A slot is the action of an entry.
type slot struct {
	actor Actor // nil: cancelled
	arg   uint64
	op    int32
	age   uint32 // number of times that the slot was used
	next  uint32 // free slots: the next one, plus one
}

// The key of an entry: 20 bits of rank, 44 of number.
const (
	numberBits  = 44
	mostSources = 1 << (64 - numberBits)
)

// An Event identifies a pending event, so that it can be cancelled. The zero Event is none.
type Event struct {
	slot uint32 // plus one
	age  uint32
}

// A Source schedules events: it is a module or a resource. Its rank decides the order of events at
// the same time.
type Source struct {
	k    *Kernel
	rank uint32
}

// Source makes a source with the next rank. There may be 1,048,575 of them.
func (k *Kernel) Source(name string) Source {
	if len(k.sources) == mostSources-1 {
		panic(tooManySources)
	}
	k.sources = append(k.sources, name)
	return Source{k, uint32(len(k.sources))}
}

// Mistakes of models.
const (
	tooManySources = "vtime: too many sources of events"
	intoThePast    = "vtime: an event cannot be scheduled before the present"
	nobody         = "vtime: an event needs an actor"
)

// Name returns the name that the source was made with.
func (s Source) Name() string { return s.k.sources[s.rank-1] }

// Kernel returns the kernel of the source.
func (s Source) Kernel() *Kernel { return s.k }

// Now returns the present.
func (s Source) Now() Time { return s.k.now }

// At has actor.Act(op, arg) called at t. It panics if t is before the present, which is a mistake
// of the model. op must fit 32 bits.
func (s Source) At(t Time, actor Actor, op int, arg uint64) Event {
	k := s.k
	if t < k.now {
		panic(intoThePast)
	}
	if actor == nil {
		panic(nobody)
	}
	i := k.take()
	p := &k.slots[i]
	p.actor, p.op, p.arg = actor, int32(op), arg
	k.pending.push(entry{t, uint64(s.rank)<<numberBits | k.number&(1<<numberBits-1), i})
	k.number++
	return Event{i + 1, p.age}
}

// After is At, d from now.
func (s Source) After(d Time, actor Actor, op int, arg uint64) Event {
	return s.At(s.k.now+d, actor, op, arg)
}

func (k *Kernel) take() uint32 {
	if k.free != 0 {
		i := k.free - 1
		k.free = k.slots[i].next
		return i
	}
	k.slots = append(k.slots, slot{})
	return uint32(len(k.slots) - 1)
}

// Cancel cancels an event, and reports whether it was pending.
func (k *Kernel) Cancel(e Event) bool {
	if e.slot == 0 {
		return false
	}
	p := &k.slots[e.slot-1]
	if p.age != e.age || p.actor == nil {
		return false
	}
	p.actor = nil
	k.dead++
	return true
}

// Now returns the present.
func (k *Kernel) Now() Time { return k.now }

// Pending returns the number of pending events.
func (k *Kernel) Pending() int { return k.pending.len() - k.dead }

// Done returns the number of events that have happened.
func (k *Kernel) Done() uint64 { return k.done }

// Next returns the time of the next event, or Never.
func (k *Kernel) Next() Time {
	k.dropCancelled()
	if k.pending.len() == 0 {
		return Never
	}
	return k.pending.first().at
}

// dropCancelled removes cancelled events from the front of the queue.
func (k *Kernel) dropCancelled() {
	for k.dead > 0 && k.pending.len() > 0 && k.slots[k.pending.first().slot].actor == nil {
		k.release(k.pending.pop().slot)
		k.dead--
	}
}

func (k *Kernel) release(i uint32) {
	p := &k.slots[i]
	p.actor = nil
	p.age++
	p.next, k.free = k.free, i+1
}

// Step runs the next event, and reports whether there was one.
func (k *Kernel) Step() bool {
	k.most = 0
	return k.step()
}

func (k *Kernel) step() bool {
	k.dropCancelled()
	if k.pending.len() == 0 {
		return false
	}
	e := k.pending.pop()
	p := &k.slots[e.slot]
	actor, op, arg := p.actor, int(p.op), p.arg
	k.release(e.slot)
	k.happens(e.at, uint32(e.key>>numberBits))
	actor.Act(op, arg)
	return true
}

// happens advances the present to the time of an event.
func (k *Kernel) happens(at Time, rank uint32) {
	if at > k.now {
		k.now, k.rank = at, rank
	}
	k.rank = max(k.rank, rank)
	k.done++
}

// Leap makes t the present, as if an event of the source at t had happened, if no other event comes
// until then. The caller does the work of the event itself, which saves the queue operations. Leap
// reports whether it has done so; otherwise use [Source.At].
func (s Source) Leap(t Time) bool {
	k := s.k
	if t > k.bound || k.done >= k.most || t < k.now || k.Next() <= t {
		return false
	}
	k.happens(t, s.rank)
	return true
}

// RunUntil runs all events up to and at t, and makes t the present.
func (k *Kernel) RunUntil(t Time) {
	k.Advance(t)
	if t >= k.now {
		k.now, k.rank = t, mostSources
	}
}

// Advance runs events up to and at t, or up to the time set by [Kernel.Halt]. The time of the last
// event remains the present.
func (k *Kernel) Advance(t Time) {
	k.bound, k.most = t, math.MaxUint64
	for k.Next() <= k.bound && k.step() {
	}
}

// Halt makes a running Advance end after the events at or before t.
func (k *Kernel) Halt(t Time) { k.bound = min(k.bound, t) }

// Past reports whether the source's events at the present time are over: one that it had scheduled
// earlier for this time has happened.
func (s Source) Past() bool { return s.k.rank >= s.rank }

// Run runs events until none is pending. After limit events it gives up with an error: a model that
// never comes to rest is wrong.
func (k *Kernel) Run(limit uint64) error {
	end := k.done + limit
	k.bound, k.most = Never-1, end
	for k.done < end {
		if !k.step() {
			return nil
		}
	}
	if k.Pending() == 0 {
		return nil
	}
	return fmt.Errorf("vtime: %d events after %d more, at %v, and still %d to come", k.done, limit, k.now, k.Pending())
}
