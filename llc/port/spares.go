package port

import (
	"sync/atomic"

	"rhinet/llc"
)

// Spares are requests that a user of ports has made and that are not in use, linked by Link. A port takes
// them while it is locked; any goroutine gives them back. The zero Spares is empty.
type Spares struct {
	free *llc.Request                // guarded by the lock of the one port that takes them
	back atomic.Pointer[llc.Request] // given back since
}

// take returns a spare, or nil. The port is locked.
func (s *Spares) take() *llc.Request {
	r := s.free
	if r == nil { // small enough to be inlined
		return s.refill()
	}
	s.free = r.Link
	return r
}

// refill is take after free has run out: it fetches what has been given back.
func (s *Spares) refill() *llc.Request {
	r := s.back.Swap(nil)
	if r != nil {
		s.free = r.Link
	}
	return r
}

// Put gives back the requests from first to last.
func (s *Spares) Put(first, last *llc.Request) {
	for {
		old := s.back.Load()
		if last.Link = old; s.back.CompareAndSwap(old, first) {
			return
		}
	}
}

// Get returns a spare that has been given back and not been taken by a port yet, or nil.
func (s *Spares) Get() *llc.Request {
	r := s.back.Swap(nil)
	if r == nil {
		return nil
	}
	if rest := r.Link; rest != nil && !s.back.CompareAndSwap(nil, rest) {
		last := rest
		for last.Link != nil {
			last = last.Link
		}
		s.Put(rest, last)
	}
	return r
}
