package mpi

import (
	"reflect"

	"rhinet/internal/layout"
)

// PutLayout is [Win.Put] of data that does not lie in one piece at the target: its elements go, in their order, where l
// says, laid over the part of rank target from element disp on. No element of l may be there twice.
//
// MPI 4.1, section 12.3.1 (MPI_Put with a derived datatype of the target).
func (w *Win[T]) PutLayout(data []T, target, disp int, l Layout) error {
	b := w.base()
	return b.raise(b.strew(atPeer("PutLayout", target), &strewn{w.elemOf(), reflect.TypeFor[T](), l, view(data), true}, disp))
}

// GetLayout is [Win.Get] of elements that do not lie in one piece at the target: those that l says, laid over the part of
// rank target from element disp on, come into buf in their order.
//
// MPI 4.1, section 12.3.2 (MPI_Get with a derived datatype of the target).
func (w *Win[T]) GetLayout(buf []T, target, disp int, l Layout) error {
	b := w.base()
	return b.raise(b.strew(atFrom("GetLayout", target), &strewn{w.elemOf(), reflect.TypeFor[T](), l, view(buf), false}, disp))
}

// A strewn is an access to elements that a layout names.
type strewn struct {
	e   *elem
	typ reflect.Type
	l   Layout
	mem []byte // of this rank
	put bool
}

// strew checks an access by a layout and carries it out.
func (w *window) strew(s site, x *strewn, disp int) error {
	if err := w.check(s); err != nil {
		return err
	}
	l, err := x.l.build(leafOf(x.typ))
	switch {
	case err != nil:
		return w.c.errorAt(s, ErrLayout, "%v", err)
	case l.Size() != len(x.mem):
		return w.c.errorAt(s, ErrCount, "%v has %d bytes and the buffer %d; they must be equal", x.l, l.Size(), len(x.mem))
	case x.put && l.Overlaps():
		return w.c.errorAt(s, ErrLayout, "some bytes of %v belong to two elements, so it can be got and not put", x.l)
	}
	// Elements from the first to the last one that has a byte of the layout must be there.
	size := x.e.size
	first, end := floor(l.TrueLB(), size), -floor(-(l.TrueLB()+l.TrueExtent()), size)
	at, null, err := w.locate(s, x.e, disp+first, end-first)
	if err != nil || null {
		return err
	}
	return w.explain(s, w.reach.strew(s.peer, at-uint64(first*size), l, x.mem, x.put))
}

// floor is n / by, rounded down.
func floor(n, by int) int {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// pieces is an access by a layout, one piece after the other.
func pieces(r reach, target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	access := r.get
	if put {
		access = r.put
	}
	for from, n := range l.Segments(0, l.Size()) {
		if err := access(target, at+uint64(from), mem[:n]); err != nil {
			return err
		}
		mem = mem[n:]
	}
	return nil
}

func (m *mapped) strew(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	if put {
		l.Scatter(m.parts[target], int(at), mem, 0)
	} else {
		l.Gather(mem, m.parts[target], int(at), 0)
	}
	return nil
}

func (x *exposed) strew(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	return pieces(x, target, at, l, mem, put)
}

func (v *served) strew(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	return pieces(v, target, at, l, mem, put)
}
