package vtime

import "slices"

// An entry is one pending event as the queue orders it: by time, then by key. Its slot holds the
// action.
type entry struct {
	at   Time
	key  uint64 // rank of the source, then number of the event: no two are equal
	slot uint32
}

func (a *entry) before(b *entry) bool {
	return a.at < b.at || a.at == b.at && a.key < b.key
}

// A queue holds entries in two parts: the nearest few in order, which is cheap for modules that
// work clock by clock, and all others in a heap.
type queue struct {
	near []entry // the first entry is the last element; all are before those in far
	far  heap
}

// Above mostNear entries, moving them costs more than a heap. When near is empty, refill entries
// are taken from the heap, so that events that are scheduled soon can be inserted among them.
const (
	mostNear = 32
	refill   = 16
)

func (q *queue) len() int { return len(q.near) + len(q.far) }

// first returns the first entry of a queue that is not empty.
func (q *queue) first() *entry {
	if n := len(q.near); n > 0 {
		return &q.near[n-1]
	}
	return &q.far[0]
}

func (q *queue) push(e entry) {
	if len(q.far) > 0 && !e.before(&q.far[0]) {
		q.far.push(e)
		return
	}
	if len(q.near) == mostNear {
		if !e.before(&q.near[0]) {
			q.far.push(e)
			return
		}
		q.far.push(q.near[0])
		q.near = q.near[:copy(q.near, q.near[1:])]
	}
	q.near = append(q.near, e)
	i := len(q.near) - 1
	for ; i > 0 && q.near[i-1].before(&e); i-- {
		q.near[i] = q.near[i-1]
	}
	q.near[i] = e
}

// pop removes the first entry of a queue that is not empty.
func (q *queue) pop() entry {
	if len(q.near) == 0 {
		q.fill()
	}
	n := len(q.near) - 1
	e := q.near[n]
	q.near = q.near[:n]
	return e
}

// fill moves the first entries of far to near, in reverse order.
func (q *queue) fill() {
	n := min(refill, len(q.far))
	q.near = slices.Grow(q.near, mostNear)[:n]
	for i := n - 1; i >= 0; i-- {
		q.near[i] = q.far.pop()
	}
}

// A heap in which every node has four children: half as deep as a binary one, and the children of a
// node share two cache lines.
type heap []entry

const children = 4

func (q *heap) push(e entry) {
	h := append(*q, e)
	*q = h
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / children
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// pop removes the first entry of a heap that is not empty.
func (q *heap) pop() entry {
	h := *q
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := i*children + 1
		if child >= len(h) {
			break
		}
		least := child
		for j := child + 1; j < min(child+children, len(h)); j++ {
			if h[j].before(&h[least]) {
				least = j
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return first
}
