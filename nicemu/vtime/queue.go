package vtime

// An entry is one pending event as the queue orders it: by time, then by key.
// What happens at that time lies in the slot.
type entry struct {
	at   Time
	key  uint64 // rank of the source, then number of the event: no two are equal
	slot uint32
}

func (a *entry) before(b *entry) bool {
	return a.at < b.at || a.at == b.at && a.key < b.key
}

// A queue holds entries as a heap in which every node has four children: half
// as deep as a binary one, and the children of a node share two cache lines.
type queue []entry

const children = 4

func (q *queue) push(e entry) {
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

// pop removes the first entry of a queue that is not empty.
func (q *queue) pop() entry {
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
