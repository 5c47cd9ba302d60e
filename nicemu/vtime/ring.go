package vtime

// A ring is a queue that reuses its memory and grows by doubling.
type ring[T any] struct {
	items []T // a power of two
	first int
	n     int
}

func (r *ring[T]) at(i int) *T { return &r.items[(r.first+i)&(len(r.items)-1)] }

func (r *ring[T]) push(v T) {
	if r.n == len(r.items) {
		more := make([]T, max(2*r.n, 8))
		for i := range r.n {
			more[i] = *r.at(i)
		}
		r.items, r.first = more, 0
	}
	*r.at(r.n) = v
	r.n++
}

// remove takes out the entry i; those before it move up by one.
func (r *ring[T]) remove(i int) T {
	v := *r.at(i)
	for ; i > 0; i-- {
		*r.at(i) = *r.at(i - 1)
	}
	var none T
	*r.at(0) = none
	r.first = (r.first + 1) & (len(r.items) - 1)
	r.n--
	return v
}
