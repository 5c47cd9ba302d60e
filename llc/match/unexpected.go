package match

// A Message is the entry of one message in the unexpected queues, part of its Owner. It waits in two queues,
// that of its source and that of its context.
type Message[U any] struct {
	Owner *U

	links   [linkSets]struct{ next, prev *Message[U] }
	context uint16
	source  int32
	tag     int32
}

// Context returns the context in which the message waits.
func (m *Message[U]) Context() uint16 { return m.context }

// The link sets of a message: order of arrival and chain of its tag, each for the source's queue and for the
// context's.
const (
	sourceLinks  = 0
	contextLinks = 2
	linkSets     = 4
)

// A chain is a first-in-first-out list of messages through one link set.
type chain[U any] struct{ head, tail *Message[U] }

func (l *chain[U]) push(m *Message[U], set int) {
	m.links[set].next, m.links[set].prev = nil, l.tail
	if l.tail == nil {
		l.head = m
	} else {
		l.tail.links[set].next = m
	}
	l.tail = m
}

func (l *chain[U]) remove(m *Message[U], set int) {
	k := &m.links[set]
	if k.prev == nil {
		l.head = k.next
	} else {
		k.prev.links[set].next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		k.next.links[set].prev = k.prev
	}
	k.next, k.prev = nil, nil
}

// An unexpected queue holds messages in order of arrival, and by tag as well
// once there are more than shallow.
type unexpected[U any] struct {
	n       int
	set     int // link set of order; the next one links the tag's chain
	order   chain[U]
	buckets []chain[U] // nil while order is short
	shift   uint8
}

// find returns the earliest message with tag, which may be Any, or nil.
func (q *unexpected[U]) find(tag int32) *Message[U] {
	if tag == Any {
		return q.order.head
	}
	m, set := q.order.head, q.set
	if q.buckets != nil {
		m, set = q.buckets[hash(tag)>>q.shift].head, q.set+1
	}
	for m != nil && m.tag != tag {
		m = m.links[set].next
	}
	return m
}

func (q *unexpected[U]) push(m *Message[U]) {
	q.n++
	q.order.push(m, q.set)
	if deep(q.n, len(q.buckets)) {
		q.spread() // m as well
	} else if q.buckets != nil {
		q.buckets[hash(m.tag)>>q.shift].push(m, q.set+1)
	}
}

func (q *unexpected[U]) remove(m *Message[U]) {
	q.order.remove(m, q.set)
	if q.buckets != nil {
		q.buckets[hash(m.tag)>>q.shift].remove(m, q.set+1)
	}
	q.n--
}

func (q *unexpected[U]) spread() {
	q.buckets, q.shift = make([]chain[U], buckets(q.n)), shift(buckets(q.n))
	for m := q.order.head; m != nil; m = m.links[q.set].next {
		q.buckets[hash(m.tag)>>q.shift].push(m, q.set+1)
	}
}
