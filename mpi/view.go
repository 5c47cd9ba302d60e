package mpi

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"rhinet/internal/layout"
	"rhinet/internal/strided"
	"rhinet/llc"
)

// An Item is a layout over a slice: the element of buffers that [View] and [Views]
// make. Calls that take a slice of elements also take such a buffer, and count in
// items. A message of items consists of the elements that the layout selects, and is
// received into a slice or into other items of the same elements (MPI 4.1, section
// 3.3.1). An item is a handle: it may be copied, and stays valid as long as the slice
// is used.
type Item struct {
	v *viewed
	i int
}

// A viewed is a slice with a layout over it.
type viewed struct {
	mem  []byte
	l    *layout.Type // of one item
	n    int          // items
	err  error        // why the items cannot travel
	f    *form        // of l; nil: it has none
	elem *elem        // elements of its messages
	all  atomic.Pointer[body]
}

// View lays l over buf and returns a buffer of one item, to be used in place of a
// slice. An invalid l, or elements outside of buf, are ErrLayout of the call that uses
// the buffer. A view that is used often should be made once.
//
// MPI 4.1, section 5.1.
func View[T any](buf []T, l Layout) []Item { return Views(buf, 1, l) }

// maxItems is how many items a buffer can have; only items of nothing, or of the same
// elements, can be as many.
const maxItems = 1 << 28

// Views is [View] with n items, each one extent of l behind the last.
//
// MPI 4.1, section 5.1.11.
func Views[T any](buf []T, n int, l Layout) []Item {
	v := &viewed{n: n}
	t := reflect.TypeFor[T]()
	if why := unusable(t); why != "" {
		v.err = fmt.Errorf("an element of type %v %s; use numbers, bool, or arrays and flat structs of them", t, why)
	} else {
		v.mem = view(buf)
		var f *form
		if f, v.err = l.over(t); v.err == nil {
			v.l, v.f = f.l, f
		}
	}
	if v.err == nil {
		v.err = v.check(l, t)
	}
	if v.err != nil {
		n = 1 // the call that uses it returns the error
	} else {
		v.elem = v.f.elemOf(l)
	}
	items := make([]Item, max(n, 1))
	for i := range items {
		items[i] = Item{v, i}
	}
	return items[:n] // an empty buffer keeps its elements in items[:1]
}

// check returns what is wrong with the items, or nil.
func (v *viewed) check(l Layout, t reflect.Type) error {
	if v.n < 0 {
		return fmt.Errorf("%d items; give 0 or more", v.n)
	}
	all, err := layout.Contiguous(v.n, v.l)
	if err != nil {
		return fmt.Errorf("%d items of %v: %w", v.n, l, err)
	}
	if v.n > maxItems {
		return fmt.Errorf("%d items are too many; use %d or fewer", v.n, maxItems)
	}
	if lo, hi := all.TrueLB(), all.TrueLB()+all.TrueExtent(); lo < 0 || hi > len(v.mem) {
		size := int(t.Size())
		do := "use a longer slice or a smaller layout"
		if lo < 0 {
			do = "begin the slice earlier, and put the layout at its place in it: Struct(Member{At: bytes, Layout: l})"
		}
		return fmt.Errorf("%v reaches from byte %d to byte %d of a slice of %d (%d elements of %d); %s", l, lo, hi-1, len(v.mem), len(v.mem)/size, size, do)
	}
	return nil
}

// elemOfItems describes the elements of messages of l over elements of type t. Items of
// nothing have those of t, as an empty slice has: other ranks may send some.
func elemOfItems(l *layout.Type, t reflect.Type, name string) elem {
	sig := l.Signature()
	if len(sig.Runs) == 0 {
		sig = signatureOf(t)
	}
	code := codeOfSignature(sig)
	return elem{
		size: max(sig.Unit(), 1), log: -1, name: name, code: code,
		key: llc.MakeKey(0, code.class()), item: max(l.Size(), 1),
	}
}

// A body is the data of the items of one buffer.
type body struct {
	v      *viewed
	l      *layout.Type
	origin int
	apart  atomic.Bool // no byte belongs to two elements
}

var _ llc.Body = (*body)(nil)

// joint reports whether some byte belongs to two elements: then nothing can be received into b. It finds out
// once, for a single item once for its layout.
func (b *body) joint() bool {
	switch {
	case b.apart.Load():
		return false
	case b.v.f != nil && b.l == b.v.f.l:
		return b.v.f.overlaps()
	}
	joint := b.l.Overlaps()
	b.apart.Store(!joint)
	return joint
}

// Size returns the number of bytes of data.
func (b *body) Size() int { return b.l.Size() }

// Gather packs bytes of the data.
func (b *body) Gather(dst []byte, off int) { b.l.Gather(dst, b.v.mem, b.origin, off) }

// Scatter unpacks bytes of the data.
func (b *body) Scatter(src []byte, off int) { b.l.Scatter(b.v.mem, b.origin, src, off) }

// Blocks returns the layout of the data if it is blocks at equal distances, and the
// memory from the first block to the last.
func (b *body) Blocks() ([]byte, strided.Blocks) {
	_, in := b.l.Blocks()
	if in.One() {
		return nil, in
	}
	return b.span(), in
}

// List returns where the first n bytes of the data are in the memory from the first
// byte to the last.
func (b *body) List(l strided.List, n, most int) ([]byte, strided.List) { return b.list(l, 0, n, most) }

// list is List for n bytes from offset off on.
func (b *body) list(l strided.List, off, n, most int) ([]byte, strided.List) {
	if l = b.l.List(l, off, n, most); l == nil {
		return nil, nil
	}
	return b.span(), l
}

// bytes returns the memory of the body if it is one piece.
func (b *body) bytes() ([]byte, bool) {
	at, dense := b.l.Dense()
	if !dense {
		return nil, false
	}
	if b.l.Size() == 0 {
		return nil, true
	}
	at += b.origin
	return b.v.mem[at : at+b.l.Size()], true
}

// span returns the memory from the first byte of the data to the last.
func (b *body) span() []byte {
	if b.l.Size() == 0 {
		return nil
	}
	from := b.origin + b.l.TrueLB()
	return b.v.mem[from : from+b.l.TrueExtent()]
}

// noItems returns the body of an empty buffer of items, which matches any type.
func noItems() *body {
	e := elemOfItems(layout.Empty(), reflect.TypeFor[byte](), "no items")
	return &body{v: &viewed{elem: &e}, l: layout.Empty()}
}

// bodyOf joins the items of one buffer. They must not overlap if they are received
// into.
func (c *Comm) bodyOf(s site, items []Item, receive bool) (*body, error) {
	if cap(items) == 0 {
		return noItems(), nil
	}
	v := items[:1][0].v
	switch {
	case len(items) == 0 && v != nil && v.err == nil:
		return &body{v: v, l: layout.Empty()}, nil
	case v == nil:
		return nil, c.errorAt(s, ErrLayout, "an item is the zero Item; make items with View or Views")
	case v.err != nil:
		return nil, c.errorAt(s, ErrLayout, "%v", v.err)
	}
	b := v.all.Load()
	if b == nil || b.l.Size() != len(items)*v.l.Size() || b.origin != items[0].i*v.l.Extent() {
		for i, x := range items {
			if x.v != v || x.i != items[0].i+i {
				return nil, c.errorAt(s, ErrLayout, "item %d does not follow the one before it; use a part of what one call of Views has returned", i)
			}
		}
		l, err := layout.Contiguous(len(items), v.l)
		if err != nil {
			return nil, c.errorAt(s, ErrLayout, "%v", err)
		}
		b = &body{v: v, l: l, origin: items[0].i * v.l.Extent()}
		v.all.Store(b)
	}
	if receive && b.joint() {
		return nil, c.errorAt(s, ErrLayout, "some bytes of %s belong to two elements, so it can be sent and not received", v.elem.name)
	}
	return b, nil
}

// spread returns the elements of a buffer of items, and its memory if that is one
// piece, else its body.
func (c *Comm) spread(s site, b []byte, receive bool) (*elem, []byte, *body, error) {
	in, err := c.bodyOf(s, elements[Item](b), receive)
	if err != nil {
		return nil, nil, nil, err
	}
	if mem, dense := in.bytes(); dense {
		return in.v.elem, mem, nil, nil
	}
	return in.v.elem, nil, in, nil
}

// A piecewise is a transport with short ways for blocking calls whose messages do not
// lie in one piece.
type piecewise interface {
	SendPieces(key llc.Key, dst, tag int, b llc.Body) error
	RecvPieces(key llc.Key, src, tag int, b llc.Body) (llc.Status, error)
}

// piecewise returns the short ways of the transport, or nil if they are not to be used:
// a job that checks calls must see requests.
func (c *Comm) piecewise() piecewise {
	if c.w.Check || c.w.Forgotten != nil {
		return nil
	}
	t, _ := c.t.(piecewise)
	return t
}

// sendItems is a Send of items by the short way, if there is one and nothing is wrong;
// otherwise done is false, and nothing has happened.
func (c *Comm) sendItems(s site, items []byte) (err error, done bool) {
	t := c.piecewise()
	if t == nil || c.ctx != nil || !c.reaches(s.peer, s.tag) {
		return nil, false
	}
	e, b, in, err := c.spread(s, items, false)
	if err != nil {
		return nil, false
	}
	key, dst, n := c.keyTo(s.peer)|e.key, c.global(s.peer), len(b)
	if in == nil {
		err = c.t.Send(key, dst, s.tag, llc.Standard, b)
	} else {
		err, n = t.SendPieces(key, dst, s.tag, in), in.Size()
	}
	if err != nil {
		err = c.raise(c.sendFailed(s, e, n, err))
	}
	return err, true
}

// recvItems is sendItems for a Recv.
func (c *Comm) recvItems(s site, items []byte) (_ Status, err error, done bool) {
	t := c.piecewise()
	from, ok := c.awaits(s.peer, s.tag)
	if t == nil || c.ctx != nil || !ok {
		return Status{}, nil, false
	}
	e, b, in, err := c.spread(s, items, true)
	if err != nil {
		return Status{}, nil, false
	}
	key, n := c.key|e.key, len(b)
	var st llc.Status
	if in == nil {
		st, err = c.t.Recv(key, from, s.tag, b)
	} else {
		st, err = t.RecvPieces(key, from, s.tag, in)
		n = in.Size()
	}
	out, err := c.received(s, e, st, err, n)
	return out, c.raise(err), true
}

// lay gives a transfer its body.
func (p *transfer) lay(in *body) {
	p.Body, p.Attended = in, p.site.waits() != ""
	if p.Mode == llc.Standard {
		p.Mode = llc.Scattered
	}
}

// packed returns a copy of the data of a buffer of items, with its element type; any
// other buffer it returns unchanged.
func (c *Comm) packed(s site, e *elem, b []byte) (*elem, []byte, error) {
	if !e.items {
		return e, b, nil
	}
	in, err := c.bodyOf(s, elements[Item](b), false)
	if err == nil {
		err = c.copyable(s, in)
	}
	if err != nil {
		return e, nil, err
	}
	out := make([]byte, in.Size())
	in.Gather(out, 0)
	return in.v.elem, out, nil
}

// mostRepeated is how large a copy may be that is larger than the memory it is of, in bytes.
const mostRepeated = 1 << 30

// copyable returns the error of a buffer that selects the same bytes so often that a copy may not fit in memory.
func (c *Comm) copyable(s site, in *body) error {
	if n := in.Size(); n > mostRepeated && n > len(in.v.mem) {
		return c.errorAt(s, ErrLayout, "the layout selects %d bytes of a slice of %d, and this call copies at most %d if they are more than the slice has; use a smaller layout, or Send", n, len(in.v.mem), mostRepeated)
	}
	return nil
}

// bytesOf returns how many bytes of data a buffer of elements e has.
func (e *elem) bytesOf(b []byte) (n int) {
	if !e.items {
		return len(b)
	}
	for _, x := range elements[Item](b) {
		if x.v != nil && x.v.l != nil {
			n += x.v.l.Size()
		}
	}
	return n
}
