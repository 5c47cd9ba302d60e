package mpi

import (
	"iter"
	"reflect"

	"rhinet/internal/epoch"
	"rhinet/internal/layout"
	"rhinet/internal/strided"
	"rhinet/llc/ir"
)

// PutLayout is [Win.Put] to elements that are not contiguous at the target: data goes,
// in order, to the elements that l selects, laid over the part of rank target from
// element disp on. l must not select an element twice.
//
// MPI 4.1, section 12.3.1 (MPI_Put with a derived datatype of the target).
func (w *Win[T]) PutLayout(data []T, target, disp int, l Layout) error {
	if moveDirect(w.direct(target), disp, l, data, true) {
		return nil
	}
	b, mem := w.base(), view(data)
	return b.raise(b.moveLayout(atPeer("PutLayout", target), &layoutAccess{w.elemOf(), reflect.TypeFor[T](), l, len(mem), epoch.Puts, nil}, disp, mem))
}

// GetLayout is [Win.Get] of elements that are not contiguous at the target: those that
// l selects, laid over the part of rank target from element disp on, are copied to buf
// in order.
//
// MPI 4.1, section 12.3.2 (MPI_Get with a derived datatype of the target).
func (w *Win[T]) GetLayout(buf []T, target, disp int, l Layout) error {
	if moveDirect(w.ownTurn(target), disp, l, buf, false) {
		return nil
	}
	b, mem := w.base(), view(buf)
	return b.raise(b.moveLayout(atFrom("GetLayout", target), &layoutAccess{w.elemOf(), reflect.TypeFor[T](), l, len(mem), epoch.Gets, nil}, disp, mem))
}

// moveDirect moves own to or from the elements that l selects, laid over part from element disp on. It is the fast
// path of windows in shared memory: if part is nil, or a call is invalid, it does nothing and returns false.
func moveDirect[T any](part []T, disp int, l Layout, own []T, put bool) bool {
	if part == nil || uint(disp) > uint(len(part)) {
		return false
	}
	f, err := l.over(reflect.TypeFor[T]())
	if err != nil || put && f.overlaps() {
		return false
	}
	in, b, mem := f.l, view(own), view(part)
	at := len(view(part[:disp]))
	if lo := at + in.TrueLB(); in.Size() != len(b) || lo < 0 || in.TrueExtent() > len(mem)-lo {
		return false
	}
	moveLaid(mem, at, in, b, put)
	return true
}

// moveLaid puts own into the data of l, laid over part from byte at on, or gets it from there.
func moveLaid(part []byte, at int, l *layout.Type, own []byte, put bool) {
	if put {
		l.Scatter(part, at, own, 0)
	} else {
		l.Gather(own, part, at, 0)
	}
}

// AccumulateLayout is [Win.Accumulate] into elements that are not contiguous at the
// target: those that l selects, laid over the part of rank target from element disp on,
// in order. l must consist of whole elements, and select none twice.
//
// MPI 4.1, section 12.3.4 (MPI_Accumulate with a derived datatype of the target).
func (w *Win[T]) AccumulateLayout(data []T, target, disp int, l Layout, op Op) error {
	s := atPeer("AccumulateLayout", target)
	b := w.base()
	u := update{e: w.elemOf(), data: view(data)}
	return b.raise(b.updateLayout(s, reflect.TypeFor[T](), l, &u, op, disp))
}

// GetAccumulateLayout is [Win.GetAccumulate] on elements that are not contiguous at the
// target: see [Win.AccumulateLayout].
//
// MPI 4.1, section 12.3.4 (MPI_Get_accumulate with a derived datatype of the target).
func (w *Win[T]) GetAccumulateLayout(data, old []T, target, disp int, l Layout, op Op) error {
	s := atPeer("GetAccumulateLayout", target)
	b := w.base()
	u, err := fetching(w, s, data, old, op)
	if err == nil {
		err = b.updateLayout(s, reflect.TypeFor[T](), l, u, op, disp)
	}
	return b.raise(err)
}

// A layoutAccess is an access to the elements that a layout selects.
type layoutAccess struct {
	e    *elem
	typ  reflect.Type
	l    Layout
	size int // of the memory of this rank
	kind epoch.Kind
	own  *body // of which that is a copy; nil: it is not
}

// overlay checks an access by a layout, and returns the layout with the offset over
// which it is laid. If null, there is nothing to do.
func (w *window) overlay(s site, x *layoutAccess, disp int) (l *layout.Type, at uint64, null bool, err error) {
	if err := w.check(s); err != nil {
		return nil, 0, true, err
	}
	f, err := x.l.over(x.typ)
	if err != nil {
		return nil, 0, true, w.c.errorAt(s, ErrLayout, "%v", err)
	}
	switch l = f.l; {
	case l.Size() != x.size:
		err = w.c.errorAt(s, ErrCount, "%v has %d bytes and the buffer %d; they must be equal", x.l, l.Size(), x.size)
	case x.kind != epoch.Gets && f.overlaps():
		err = w.c.errorAt(s, ErrLayout, "some bytes of %v belong to two elements, so it can be got and not %s", x.l, [...]string{epoch.Puts: "put", epoch.Updates: "updated"}[x.kind])
	case x.kind == epoch.Updates && !ofElements(l, x.e.size):
		err = w.c.errorAt(s, ErrLayout, "%v has parts of elements of type %s; updates are of whole elements", x.l, x.e.name)
	}
	if err != nil {
		return nil, 0, true, err
	}
	// All elements from the first to the last one with a byte of the layout must exist.
	size := x.e.size
	first, end := floor(l.TrueLB(), size), -floor(-(l.TrueLB()+l.TrueExtent()), size)
	at, null, err = w.locate(s, x.e, disp+first, end-first)
	return l, at - uint64(first*size), null, err
}

// ofElements reports whether a layout over elements of a size consists of whole
// elements.
func ofElements(l *layout.Type, size int) bool {
	for from, n := range l.Segments(0, l.Size()) {
		if from%size != 0 || n%size != 0 {
			return false
		}
	}
	return true
}

// moveLayout puts mem, or gets into it.
func (w *window) moveLayout(s site, x *layoutAccess, disp int, mem []byte) error {
	l, at, null, err := w.overlay(s, x, disp)
	if err != nil || null {
		return err
	}
	do := func() error { return w.reach.moveLayout(s.peer, at, l, mem, x.kind == epoch.Puts) }
	if w.log != nil {
		own := accessor{reads: mem, from: x.own}
		if x.kind == epoch.Gets {
			own = accessor{fills: mem, into: x.own}
		}
		return w.logged(s, laid(at, l), epoch.Access{Kind: x.kind}, own, do)
	}
	return w.explain(s, do())
}

// updateLayout checks u, which lacks only its operation, and carries it out on the
// elements of a layout.
func (w *window) updateLayout(s site, typ reflect.Type, in Layout, u *update, op Op, disp int) error {
	if err := w.operate(s, u, op); err != nil {
		return err
	}
	l, at, null, err := w.overlay(s, &layoutAccess{u.e, typ, in, u.bytes(), epoch.Updates, nil}, disp)
	if err != nil || null {
		return err
	}
	u.alone = w.alone(s.peer)
	do := func() error { return w.reach.updateLayout(s.peer, at, l, u) }
	if w.log != nil {
		return w.logged(s, laid(at, l), u.access(), u.own(), do)
	}
	return w.explain(s, do())
}

// floor is n / by, rounded down.
func floor(n, by int) int {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// laid iterates over offsets and lengths of the pieces of a layout that is laid over
// memory from at on, in the order of its data.
func laid(at uint64, l *layout.Type) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		for from, n := range l.Segments(0, l.Size()) {
			if !yield(at+uint64(from), n) {
				return
			}
		}
	}
}

// pieces makes an access by a layout piece by piece.
func pieces(r reach, target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	access := r.get
	if put {
		access = r.put
	}
	for place, n := range laid(at, l) {
		if err := access(target, place, mem[:n]); err != nil {
			return err
		}
		mem = mem[n:]
	}
	return nil
}

// parts iterates over the pieces of an update by a layout, each with its offset.
func (u *update) parts(at uint64, l *layout.Type) iter.Seq2[uint64, *update] {
	return func(yield func(uint64, *update) bool) {
		from, p := 0, *u
		for place, n := range laid(at, l) {
			if u.data != nil {
				p.data = u.data[from:][:n]
			}
			if u.old != nil {
				p.old = u.old[from:][:n]
			}
			if from += n; !yield(place, &p) {
				return
			}
		}
	}
}

// updatePieces makes an update by a layout piece by piece.
func updatePieces(r reach, target int, at uint64, l *layout.Type, u *update) error {
	for place, p := range u.parts(at, l) {
		if err := r.update(target, place, p); err != nil {
			return err
		}
	}
	return nil
}

// rewrite reads the elements of a layout, changes and writes them. The caller must
// exclude other updates.
func rewrite(r reach, target int, at uint64, l *layout.Type, u *update) error {
	return u.readModifyWrite(
		func(mem []byte) error { return r.moveLayout(target, at, l, mem, false) },
		func(mem []byte) error { return r.moveLayout(target, at, l, mem, true) })
}

func (m *mapped) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	moveLaid(m.parts[target], int(at), l, mem, put)
	return nil
}

// updateLayout uses the same means as update.
func (m *mapped) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	return m.change(target, u,
		func() error { return rewrite(m, target, at, l, u) },
		func() error {
			for place, p := range u.parts(at, l) {
				p.applyAtomically(m.parts[target][place:][:p.bytes()])
			}
			return nil
		})
}

// moveLayout moves each part of the layout that is blocks at equal distances by one request,
// if the network interface can do that.
func (x *exposed) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	nic, can := x.remote.(ir.BlockMover)
	if !can || target == x.c.rank {
		return pieces(x, target, at, l, mem, put)
	}
	for s := range l.Stretches() {
		_, size := s.In.Span(0, s.Bytes)
		p, err := x.find(target, at+uint64(s.At), size)
		part := mem[:s.Bytes]
		switch mem = mem[s.Bytes:]; {
		case err != nil:
		case !s.In.One():
			err = nic.MoveBlocks(p.peer, p.seg, p.offset, part, strided.Move{Bytes: s.Bytes, Their: s.In}, put)
		case put:
			err = x.write(&p, part)
		default:
			err = x.read(&p, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exposed) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	return x.alone(target, u, func() error { return rewrite(x, target, at, l, u) })
}

func (v *served) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	return pieces(v, target, at, l, mem, put)
}

func (v *served) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	return updatePieces(v, target, at, l, u)
}
