package match

import "rhinet/llc/seq"

// A Receive is the entry of one receive in a posted queue, part of its Owner. The zero value is a receive
// that does not wait.
type Receive[P any] struct {
	Owner *P

	next, prev *Receive[P]
	queue      *posted[P] // where it waits; nil if it does not
	stamp      seq.Stamp
	tag        int32
}

// Waits reports whether the receive is posted and no message has come for it.
func (e *Receive[P]) Waits() bool { return e.queue != nil }

// A line is a first-in-first-out list of receives. The prev of its head is undefined.
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
	if l.head == e {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else if l.head != nil {
		l.tail = e.prev
	} else {
		l.tail = nil
	}
	e.next, e.prev = nil, nil
}

// A posted queue holds the receives of one source, or of any source, in order. Those for any tag have a list
// of their own; the others share one list until there are more than shallow, then they are spread over lists
// by tag.
type posted[P any] struct {
	n       int
	more    int // entries beyond shallow before the number of lists grows
	anyTag  line[P]
	few     line[P]
	buckets []line[P] // nil while few is short
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

// line returns the list in which receives for one tag wait.
func (q *posted[P]) line(tag int32) *line[P] {
	if q.buckets == nil {
		return &q.few
	}
	return &q.buckets[hash(tag)>>(q.shift&31)]
}

// push adds a receive, and reports whether the others were moved to other lists.
func (q *posted[P]) push(e *Receive[P]) (spread bool) {
	e.queue = q
	q.n++
	l := &q.anyTag
	if e.tag != Any {
		if spread = q.n > shallow+q.more; spread {
			q.spread()
		}
		l = q.line(e.tag)
	}
	l.push(e)
	return spread
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

// spread doubles the number of lists. Receives for equal tags come from one list and go to one list, so they
// keep their order.
func (q *posted[P]) spread() {
	old := q.buckets
	if old == nil {
		old = []line[P]{q.few}
		q.few = line[P]{}
	}
	lines := buckets(q.n)
	q.buckets, q.shift, q.more = make([]line[P], lines), shift(lines), room(lines)-shallow
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
