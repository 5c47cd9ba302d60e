package match

import "rhinet/llc/seq"

// A Receive is the place of one receive in a posted queue, part of its Owner.
// The zero value is a receive that does not wait.
type Receive[P any] struct {
	Owner *P

	next, prev *Receive[P]
	queue      *posted[P] // where it waits, nil if it does not
	stamp      seq.Stamp
	tag        int32
}

// A line is a first-in-first-out list of receives.
type line[P any] struct{ head, tail *Receive[P] }

func (l *line[P]) push(e *Receive[P]) {
	e.next, e.prev = nil, l.tail
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail = e
}

func (l *line[P]) remove(e *Receive[P]) {
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.next, e.prev = nil, nil
}

// A posted queue holds the receives of one source, or of any source, in order.
// Those for any tag have a line of their own; the others share one line until
// there are more than shallow, then they are spread over lines by tag.
type posted[P any] struct {
	n       int
	anyTag  line[P]
	few     line[P]
	buckets []line[P] // nil while few serves
	shift   uint8
}

// find returns the earliest receive that accepts tag, or nil.
func (q *posted[P]) find(tag int32) *Receive[P] {
	if q.n == 0 {
		return nil
	}
	e := q.line(tag).head
	for e != nil && e.tag != tag {
		e = e.next
	}
	if a := q.anyTag.head; a != nil && (e == nil || a.stamp < e.stamp) {
		return a
	}
	return e
}

// line returns where receives for one tag wait.
func (q *posted[P]) line(tag int32) *line[P] {
	if q.buckets == nil {
		return &q.few
	}
	return &q.buckets[hash(tag)>>q.shift]
}

func (q *posted[P]) push(e *Receive[P]) {
	e.queue = q
	q.n++
	if e.tag == Any {
		q.anyTag.push(e)
		return
	}
	if deep(q.n, len(q.buckets)) {
		q.spread()
	}
	q.line(e.tag).push(e)
}

func (q *posted[P]) remove(e *Receive[P]) {
	if e.tag == Any {
		q.anyTag.remove(e)
	} else {
		q.line(e.tag).remove(e)
	}
	e.queue = nil
	q.n--
}

// spread doubles the number of lines. Receives for equal tags come from one
// line and go to one line, so they keep their order.
func (q *posted[P]) spread() {
	old := q.buckets
	if old == nil {
		old = []line[P]{q.few}
		q.few = line[P]{}
	}
	q.buckets, q.shift = make([]line[P], buckets(q.n)), shift(buckets(q.n))
	for _, l := range old {
		for e := l.head; e != nil; {
			next := e.next
			q.line(e.tag).push(e)
			e = next
		}
	}
}

// each calls visit for all receives.
func (q *posted[P]) each(visit func(*P)) {
	lines := append([]line[P]{q.anyTag, q.few}, q.buckets...)
	for _, l := range lines {
		for e := l.head; e != nil; {
			next := e.next
			visit(e.Owner)
			e = next
		}
	}
}
