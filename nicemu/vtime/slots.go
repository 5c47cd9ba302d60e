package vtime

// Slots keeps the data of pending events: the argument of such an event is the number that Put
// returned. Memory is reused. The zero Slots is empty.
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

// At returns a pointer to the value with a number. It is valid until the next Put.
func (s *Slots[T]) At(i uint64) *T { return &s.items[i] }

// Take returns the value with a number, and frees the number.
func (s *Slots[T]) Take(i uint64) T {
	v := s.items[i]
	var none T
	s.items[i] = none
	s.unused = append(s.unused, i)
	return v
}
