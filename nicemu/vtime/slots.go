package vtime

// Slots keep what events are about: the argument of an event is the number that Put gave. Memory is reused.
// The zero Slots is empty.
type Slots[T any] struct {
	items  []T
	unused []uint64 // numbers
}

// Put keeps v until Take, and returns its number.
func (s *Slots[T]) Put(v T) uint64 {
	if n := len(s.unused); n > 0 {
		i := s.unused[n-1]
		s.unused = s.unused[:n-1]
		s.items[i] = v
		return i
	}
	s.items = append(s.items, v)
	return uint64(len(s.items) - 1)
}

// At returns what is kept under a number. It stays where it is until the next Put.
func (s *Slots[T]) At(i uint64) *T { return &s.items[i] }

// Take returns what is kept under a number, which is unused from then on.
func (s *Slots[T]) Take(i uint64) T {
	v := s.items[i]
	var none T
	s.items[i] = none
	s.unused = append(s.unused, i)
	return v
}
