package match

// A Row is the list in which the receives from one source for one tag wait, looked up once: they are posted
// and taken there without a search. It is valid until something else may decide which receive gets a message:
// a receive from any source or for any tag, another use of a context, or queues that have been spread. The
// zero Row is invalid.
type Row[P, U any] struct {
	line   *line[P]
	source *source[P, U]
	age    uint64 // of the table when it was found
	tag    int32
}

// Row returns the row for messages of src with tag and mark. It is invalid if finding their receive takes
// more than one list, or if the context does not take them.
func (t *Table[P, U]) Row(ctx uint16, src, tag int32, mark uint32) (w Row[P, U]) {
	c := t.find(ctx)
	s := c.find(src)
	if tag == Any || c.anyone.n != 0 || s.posted.anyTag.head != nil || mark&c.mask != c.want {
		return w
	}
	return Row[P, U]{s.posted.line(tag), s, t.age, tag}
}

// End invalidates w.
func (w *Row[P, U]) End() { w.age = 0 }

// Append is Post of e for source and tag of w, if w is valid and no message waits that e may take. If it
// reports false, nothing has changed.
func (t *Table[P, U]) Append(w *Row[P, U], e *Receive[P]) bool {
	if w.age != t.age || w.source.messages.n != 0 {
		return false
	}
	q := &w.source.posted
	if q.n >= shallow+q.more {
		return false // Post spreads it
	}
	q.n++
	e.tag, e.stamp, e.queue = w.tag, t.clock.Next(), q
	w.line.push(e)
	t.posted++
	return true
}

// Head returns the receive that a message for w takes, or nil if the row does not tell.
func (t *Table[P, U]) Head(w *Row[P, U]) *Receive[P] {
	if w.age != t.age {
		return nil
	}
	if e := w.line.head; e != nil && e.tag == w.tag {
		return e
	}
	return nil
}

// Pop takes the receive that Head has returned.
func (t *Table[P, U]) Pop(w *Row[P, U], e *Receive[P]) {
	l := w.line
	if l.head, e.queue = e.next, nil; e.next == nil {
		l.tail = nil
	}
	w.source.posted.n--
	t.posted--
}
