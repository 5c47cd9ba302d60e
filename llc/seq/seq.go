// Package seq holds sequence numbers: stamps that arbitrate between queues,
// and windows that bound how far a writer may run ahead of a reader.
package seq

import "fmt"

// A Stamp orders events of one engine. Stamps count from 1 and do not wrap: 64 bits outlast any job.
type Stamp uint64

// A Clock issues stamps. The zero value is ready for use.
type Clock struct{ last Stamp }

// Next returns a stamp greater than all before.
func (c *Clock) Next() Stamp {
	c.last++
	return c.last
}

// A Window is the view that the writer of a ring has of it (the producer pointer
// and the last known consumer pointer of llc, section 4.3): positions count
// from 0 without wrap, those in [tail, next) are in use, and limit = tail+size
// is the first that must not be used yet.
//
//	tail            next          limit
//	 |---- in use ----|--- credit ---|
//
// Credit = limit-next is never negative.
type Window struct {
	next, limit, size uint64
}

// NewWindow returns an empty window of size positions.
func NewWindow(size uint64) Window { return Window{limit: size, size: size} }

// Next returns the first free position.
func (w *Window) Next() uint64 { return w.next }

// Open reports whether at least one position is free.
func (w *Window) Open() bool { return w.next != w.limit }

// Credit returns how many positions are free.
func (w *Window) Credit() uint64 { return w.limit - w.next }

// Empty reports whether, as far as the writer knows, no position is in use.
func (w *Window) Empty() bool { return w.limit-w.next == w.size }

// Fits reports whether the positions before to may be used.
func (w *Window) Fits(to uint64) bool { return to <= w.limit }

// Advance takes the positions before to. The caller has checked Fits.
func (w *Window) Advance(to uint64) { w.next = to }

// Step takes one position and returns it. The caller has checked Open.
func (w *Window) Step() uint64 {
	at := w.next
	w.next = at + 1
	return at
}

// Check returns an error if tail cannot be what the reader has consumed: it may neither move backwards nor
// pass what has been written.
func (w *Window) Check(tail uint64) error {
	if old := w.limit - w.size; tail < old || tail > w.next {
		return fmt.Errorf("tail %d is outside %d..%d", tail, old, w.next)
	}
	return nil
}

// Release frees the positions before tail, which Check has accepted, and
// reports whether there were any.
func (w *Window) Release(tail uint64) bool {
	old := w.limit
	w.limit = tail + w.size
	return w.limit != old
}
