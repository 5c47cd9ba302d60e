package mpi

import (
	"bytes"

	"rhinet/internal/epoch"
	"rhinet/internal/fetchop"
	"rhinet/internal/vec"
)

// Put copies data into the part of rank target, from element disp on.
//
// MPI 4.1, section 12.3.1.
func (w *Win[T]) Put(data []T, target, disp int) error {
	// The fast path of windows in shared memory; invalid and uncommon calls take the
	// other path.
	if p := w.direct(target); p != nil && uint(disp) <= uint(len(p)) && len(data) <= len(p)-disp {
		move(p[disp:], data)
		return nil
	}
	b := w.base()
	return b.raise(b.put(atPeer("Put", target), w.elemOf(), view(data), disp, len(data)))
}

// Get copies len(buf) elements of the part of rank target, from element disp on, into buf.
//
// MPI 4.1, section 12.3.2.
func (w *Win[T]) Get(buf []T, target, disp int) error {
	if p := w.ownTurn(target); p != nil && uint(disp) <= uint(len(p)) && len(buf) <= len(p)-disp {
		move(buf, p[disp:])
		return nil
	}
	if w.sharing() && w.getSharing(buf, target, disp) {
		return nil
	}
	b := w.base()
	return b.raise(b.get(atFrom("Get", target), w.elemOf(), view(buf), disp, len(buf)))
}

// move is copy, for slices of any length.
func move[T any](dst, src []T) {
	if len(src) < bulkElems {
		copy(dst, src)
	} else {
		vec.Copy(view(dst), view(src))
	}
}

// bulkElems is the number of elements from which on they are moved as bytes.
const bulkElems = 64

// Accumulate combines data into the part of rank target, from element disp on, with a
// predefined operation or [Replace]. Each element is changed atomically.
//
// MPI 4.1, section 12.3.4.
func (w *Win[T]) Accumulate(data []T, target, disp int, op Op) error {
	if p := w.direct(target); uint(disp) < uint(len(p)) && len(data) <= len(p)-disp && w.fastUpdate(target, p[disp:], data, nil, op) {
		return nil
	}
	u := update{e: w.elemOf(), data: view(data)}
	b := w.base()
	return b.raise(b.update(atPeer("Accumulate", target), &u, op, disp, len(data)))
}

// fastUpdate updates p, memory of target, from its beginning on: the fast path of windows in
// shared memory. It reports whether it has done so; invalid and uncommon calls, and
// those that must wait, take the other path. old is as long as data if it is not nil.
func (w *Win[T]) fastUpdate(target int, p, data, old []T, op Op) bool {
	k, ok := op.(Predefined)
	if !ok || k >= numUpdates || k == NoOp && old == nil || w.elem.fetch[k] == nil {
		return false
	}
	if len(data)*w.elem.size >= bulkBytes {
		if !w.shared.seize(target) {
			return false
		}
		copy(old, p)
		switch k {
		case NoOp:
		case Replace:
			copy(p, data)
		default:
			w.elem.ops[k].fold(view(data), view(p[:len(data)]))
		}
		w.shared.yield(target)
		return true
	}
	if !w.shared.enter(target) {
		return false
	}
	f := w.elem.fetch[k]
	p = p[:len(data)]
	if old == nil {
		for i, v := range data {
			f(firstByte(&p[i]), fetchop.Bits(v))
		}
	} else {
		old = old[:len(data)]
		for i, v := range data {
			old[i] = fetchop.FromBits[T](f(firstByte(&p[i]), fetchop.Bits(v)))
		}
	}
	w.shared.leave()
	return true
}

// GetAccumulate is [Win.Accumulate] that also stores in old, which must be as long as
// data, the elements before. With [NoOp] data may be nil: then it is an atomic Get.
//
// MPI 4.1, section 12.3.4.
func (w *Win[T]) GetAccumulate(data, old []T, target, disp int, op Op) error {
	if p := w.ownTurn(target); uint(disp) < uint(len(p)) && len(data) == len(old) && len(data) <= len(p)-disp && !overlap(view(data), view(old)) &&
		w.fastUpdate(target, p[disp:], data, old, op) {
		return nil
	}
	if w.sharing() && w.getAccumulateSharing(data, old, target, disp, op) {
		return nil
	}
	return w.base().raise(w.getAccumulate(atPeer("GetAccumulate", target), data, old, disp, op))
}

func (w *Win[T]) getAccumulate(s site, data, old []T, disp int, op Op) error {
	u, err := fetching(w, s, data, old, op)
	if err != nil {
		return err
	}
	return w.base().update(s, u, op, disp, len(old))
}

// fetching returns an update that fetches, still without its operation.
func fetching[T any](w *Win[T], s site, data, old []T, op Op) (*update, error) {
	b := w.base()
	if err := b.check(s); err != nil {
		return nil, err
	}
	d, o := view(data), view(old)
	if op == NoOp {
		d = nil
	} else if len(data) != len(old) {
		return nil, b.c.errorAt(s, ErrCount, "data has %d elements and old %d; they must be equally long", len(data), len(old))
	}
	if overlap(d, o) {
		return nil, b.c.errorAt(s, ErrBuffer, "data and old overlap; they must be apart")
	}
	return &update{e: w.elem, data: d, old: o}, nil
}

// FetchAndOp combines v into element disp of rank target, with a predefined operation,
// [Replace] or [NoOp], and returns the element before.
//
// MPI 4.1, section 12.3.4.
func (w *Win[T]) FetchAndOp(v T, target, disp int, op Op) (T, error) {
	if p := w.ownTurn(target); uint(disp) < uint(len(p)) {
		if k, ok := op.(Predefined); ok && k < numUpdates && w.elem.fetch[k] != nil && w.shared.enter(target) {
			old := w.elem.fetch[k](firstByte(&p[disp]), fetchop.Bits(v))
			w.shared.leave()
			return fetchop.FromBits[T](old), nil
		}
	}
	if w.sharing() {
		if old, ok := w.fetchSharing(v, target, disp, op); ok {
			return old, nil
		}
	}
	return w.fetchAndOp(v, target, disp, op)
}

func (w *Win[T]) fetchAndOp(v T, target, disp int, op Op) (T, error) {
	data, old := []T{v}, make([]T, 1)
	err := w.getAccumulate(atPeer("FetchAndOp", target), data, old, disp, op)
	return old[0], w.base().raise(err)
}

// CompareAndSwap stores v in element disp of rank target if it equals compare, and
// returns the element before, which is compare if v was stored. Elements must be
// integers or bool.
//
// MPI 4.1, section 12.3.4.
func (w *Win[T]) CompareAndSwap(compare, v T, target, disp int) (T, error) {
	if p := w.ownTurn(target); uint(disp) < uint(len(p)) && w.elem.swap != nil && w.shared.enter(target) {
		old := w.elem.swap(firstByte(&p[disp]), fetchop.Bits(compare), fetchop.Bits(v))
		w.shared.leave()
		return fetchop.FromBits[T](old), nil
	}
	if w.sharing() {
		if old, ok := w.swapSharing(compare, v, target, disp); ok {
			return old, nil
		}
	}
	return w.compareAndSwap(compare, v, target, disp)
}

func (w *Win[T]) compareAndSwap(compare, v T, target, disp int) (T, error) {
	s := atPeer("CompareAndSwap", target)
	e := w.elemOf()
	data, expected, old := []T{v}, []T{compare}, make([]T, 1)
	if e != nil && !e.swaps() {
		return v, w.raise(w.c.errorAt(s, ErrType, "an element of type %s cannot be compared; use an integer, or bool", e.name))
	}
	u := update{e: e, data: view(data), compare: view(expected), old: view(old)}
	err := w.base().update(s, &u, Replace, disp, 1)
	return old[0], w.base().raise(err)
}

// elemOf returns the type of the elements of w, which may be nil.
func (w *Win[T]) elemOf() *elem {
	if w == nil {
		return nil
	}
	return w.elem
}

// atFrom is the site of a call that reads from a rank.
func atFrom(call string, rank int) site { return site{call, fromPeer, rank, Undefined} }

func (w *window) put(s site, e *elem, data []byte, disp, n int) error {
	at, null, err := w.locate(s, e, disp, n)
	if err != nil || null {
		return err
	}
	if w.log != nil {
		return w.logged(s, piece(at, len(data)), epoch.Access{Kind: epoch.Puts}, accessor{reads: data}, func() error { return w.reach.put(s.peer, at, data) })
	}
	return w.explain(s, w.reach.put(s.peer, at, data))
}

func (w *window) get(s site, e *elem, buf []byte, disp, n int) error {
	at, null, err := w.locate(s, e, disp, n)
	if err != nil || null {
		return err
	}
	if w.log != nil {
		err = w.logged(s, piece(at, len(buf)), epoch.Access{Kind: epoch.Gets}, accessor{fills: buf}, func() error { return w.reach.get(s.peer, at, buf) })
	} else {
		err = w.explain(s, w.reach.get(s.peer, at, buf))
	}
	if w.polling != nil {
		w.polling.read(slowPolls, s.peer, at, buf)
	}
	return err
}

// update checks u, which lacks only its operation, and carries it out.
func (w *window) update(s site, u *update, op Op, disp, n int) error {
	if err := w.operate(s, u, op); err != nil {
		return err
	}
	at, null, err := w.locate(s, u.e, disp, n)
	if err != nil || null {
		return err
	}
	u.alone = w.alone(s.peer)
	if w.log != nil {
		err = w.logged(s, piece(at, u.bytes()), u.access(), u.own(), func() error { return w.reach.update(s.peer, at, u) })
	} else {
		err = w.explain(s, w.reach.update(s.peer, at, u))
	}
	if w.polling != nil && u.old != nil && !u.changes() {
		w.polling.read(slowPolls, s.peer, at, u.old)
	}
	return err
}

// changes reports whether u, which has fetched what was there, is known to have changed
// it.
func (u *update) changes() bool {
	if u.compare != nil {
		return bytes.Equal(u.old, u.compare)
	}
	return u.op == Replace && !bytes.Equal(u.old, u.data)
}

// operate checks the operation of u and sets it.
func (w *window) operate(s site, u *update, op Op) error {
	if err := w.check(s); err != nil {
		return err
	}
	k, ok := op.(Predefined)
	if !ok || k >= numUpdates || k < numPredefined && u.e.ops[k] == nil {
		return w.noOp(s, u.e, op)
	}
	if k == NoOp && u.old == nil && len(u.data) > 0 {
		return w.c.errorAt(s, ErrOp, "NoOp is for calls that fetch what is there; use Replace, or GetAccumulate")
	}
	u.op = k
	return nil
}

// alone reports whether no other rank may access the part of target in this epoch.
func (w *window) alone(target int) bool {
	return w.mode.Load() == winLocked && w.open[target].Load() == openExclusive
}

// noOp returns why elements of type e cannot be updated by op.
func (w *window) noOp(s site, e *elem, op Op) error {
	switch op := op.(type) {
	case nil:
		return w.c.errorAt(s, ErrOp, "the operation is nil; pass Sum, another of the predefined ones, or an OpFunc")
	case Predefined:
		return w.c.errorAt(s, ErrOp, "%s is not defined for elements of type %s; see mpi.Op", op, e.name)
	}
	return w.c.errorAt(s, ErrOp, "%s is a function of the program; windows know the predefined operations, Replace and NoOp only", op)
}

// swaps reports whether CompareAndSwap is defined for elements of type e.
func (e *elem) swaps() bool {
	return e.ops[LAnd] != nil && e.size <= 8
}
