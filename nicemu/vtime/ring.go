package vtime

// A Ring is a first-in, first-out queue without bound that reuses its memory.
// The zero Ring is empty.
type Ring[T any] struct {
	items []T // its length is a power of two
	first int
	n     int
}

// Len returns the number of entries.
func (r *Ring[T]) Len() int { return r.n }

// At returns entry i, the oldest being 0.
func (r *Ring[T]) At(i int) *T { return &r.items[(r.first+i)&(len(r.items)-1)] }

// Push adds an entry.
func (r *Ring[T]) Push(v T) {
	if r.n == len(r.items) {
		more := make([]T, max(2*r.n, 8))
		for i := range r.n {
			more[i] = *r.At(i)
		}
		r.items, r.first = more, 0
	}
	r.n++
	*r.At(r.n - 1) = v
}

// Pop removes the oldest entry; there must be one.
func (r *Ring[T]) Pop() T { return r.Remove(0) }

// Remove removes entry i; the entries before it move up by one.
func (r *Ring[T]) Remove(i int) T {
	v := *r.At(i)
	for ; i > 0; i-- {
		*r.At(i) = *r.At(i - 1)
	}
	var none T
	*r.At(0) = none
	r.first = (r.first + 1) & (len(r.items) - 1)
	r.n--
	return v
}
