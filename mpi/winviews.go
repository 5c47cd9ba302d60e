package mpi

import (
	"reflect"

	"rhinet/internal/epoch"
)

// PutView is [Win.PutLayout] from a buffer that has a layout itself, which [View] or
// [Views] has returned: its elements go, in order, to those that l selects at the
// target. Both must select elements of the same types: those of w, or the same fields of
// them. They are copied once more than those of a slice.
//
// MPI 4.1, section 12.3.1 (MPI_Put with a derived datatype of the origin).
func (w *Win[T]) PutView(from []Item, target, disp int, l Layout) error {
	s, b := atPeer("PutView", target), w.base()
	x, err := w.viewed(s, from, l, false)
	if err == nil {
		mem := x.gathered()
		err = b.moveLayout(s, &layoutAccess{w.elem, reflect.TypeFor[T](), l, len(mem), epoch.Puts, x}, disp, mem)
	}
	return b.raise(err)
}

// GetView is [Win.GetLayout] into a buffer that has a layout itself: see [Win.PutView].
//
// MPI 4.1, section 12.3.2 (MPI_Get with a derived datatype of the origin).
func (w *Win[T]) GetView(into []Item, target, disp int, l Layout) error {
	s, b := atFrom("GetView", target), w.base()
	x, err := w.viewed(s, into, l, true)
	if err == nil {
		mem := x.gathered() // where nothing is got, as from ProcNull, the buffer keeps what it has
		if err = b.moveLayout(s, &layoutAccess{w.elem, reflect.TypeFor[T](), l, len(mem), epoch.Gets, x}, disp, mem); err == nil {
			x.Scatter(mem, 0)
		}
	}
	return b.raise(err)
}

// AccumulateView is [Win.AccumulateLayout] from a buffer that has a layout itself: see
// [Win.PutView].
//
// MPI 4.1, section 12.3.4 (MPI_Accumulate with a derived datatype of the origin).
func (w *Win[T]) AccumulateView(from []Item, target, disp int, l Layout, op Op) error {
	s, b := atPeer("AccumulateView", target), w.base()
	x, err := w.viewed(s, from, l, false)
	if err == nil {
		err = b.updateLayout(s, reflect.TypeFor[T](), l, &update{e: w.elem, data: x.gathered(), from: x}, op, disp)
	}
	return b.raise(err)
}

// GetAccumulateView is [Win.GetAccumulateLayout] of buffers that have layouts themselves:
// see [Win.PutView]. With [NoOp] from may be nil.
//
// MPI 4.1, section 12.3.4 (MPI_Get_accumulate with derived datatypes of the origin).
func (w *Win[T]) GetAccumulateView(from, old []Item, target, disp int, l Layout, op Op) error {
	s := atPeer("GetAccumulateView", target)
	return w.base().raise(w.getAccumulateView(s, from, old, disp, l, op))
}

func (w *Win[T]) getAccumulateView(s site, from, old []Item, disp int, l Layout, op Op) error {
	x, err := w.viewed(s, old, l, true)
	if err != nil {
		return err
	}
	u := update{e: w.elem, old: x.gathered(), into: x}
	if op != NoOp {
		data, err := w.viewed(s, from, l, false)
		if err != nil {
			return err
		}
		if u.data, u.from = data.gathered(), data; len(u.data) != len(u.old) {
			return w.c.errorAt(s, ErrCount, "from has %d bytes and old %d; they must be equally long", len(u.data), len(u.old))
		}
	}
	if err := w.updateLayout(s, reflect.TypeFor[T](), l, &u, op, disp); err != nil {
		return err
	}
	x.Scatter(u.old, 0)
	return nil
}

// viewed returns the body of a buffer of items of the types that l selects at the target.
func (w *Win[T]) viewed(s site, items []Item, l Layout, receive bool) (*body, error) {
	b := w.base()
	if err := b.check(s); err != nil {
		return nil, err
	}
	x, err := b.c.bodyOf(s, items, receive)
	if err != nil {
		return nil, err
	}
	if err := b.c.copyable(s, x); err != nil {
		return nil, err
	}
	if is := x.v.elem.code.class(); x.Size() > 0 && !sameClass(is, w.elem.code.class()) && !sameClass(is, w.selected(l)) {
		return nil, b.c.errorAt(s, ErrType, "the buffer is %s and the target %v of %s; use elements of the same types, or WinAs", x.v.elem.name, l, w.elem.name)
	}
	return x, nil
}

// sameClass reports whether two classes match.
func sameClass(a, b uint32) bool { return a == b || a == 0 || b == 0 }

// selected returns the class of what a layout selects of the window. One that cannot be
// laid is an error of the access.
func (w *Win[T]) selected(l Layout) uint32 {
	t := reflect.TypeFor[T]()
	f, err := l.over(t)
	if err != nil {
		return 0
	}
	e := elemOfItems(f.l, t, "")
	return e.code.class()
}

// gathered returns a copy of the data, aligned for any element.
func (b *body) gathered() []byte {
	mem := alignedBytes(b.Size())
	b.Gather(mem, 0)
	return mem
}
