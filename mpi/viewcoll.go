package mpi

import (
	"errors"

	"rhinet/internal/layout"
)

// Collective calls on layouts. The algorithms move bytes in one piece, so data in
// several pieces is packed before and unpacked after; data in one piece is used in
// place. The ranks compare element types as in any other call.

// isItems reports whether enter has refused buffers only because they are items.
func isItems(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.items
}

// itemsOf returns a buffer that is known to be of items.
func itemsOf[T any](buf []T) []Item {
	items, _ := any(buf).([]Item)
	return items
}

// A packedByte is a byte of a buffer of items.
type packedByte byte

// A flat is a buffer of items in one piece: in place, or a copy.
type flat struct {
	b    []packedByte
	in   *body // of a copy; else nil
	elem *elem
	sig  *layout.Signature
	item int // bytes of one item
}

// flatten makes room for the items of a buffer in one piece.
func (c *Comm) flatten(s site, items []Item, receive bool) (*flat, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	in, err := c.bodyOf(s, items, receive)
	if err != nil {
		return nil, err
	}
	if err := c.copyable(s, in); err != nil {
		return nil, err
	}
	f := &flat{elem: in.v.elem, sig: in.l.Signature()}
	if len(items) > 0 {
		f.item = in.v.l.Size()
	}
	mem, dense := in.bytes()
	if !dense {
		mem, f.in = make([]byte, in.Size()), in
	}
	f.b = elements[packedByte](mem)
	return f, nil
}

// pack fills the copy of count items, from item first on.
func (f *flat) pack(first, count int) {
	if f.in != nil {
		f.in.Gather(view(f.b[first*f.item:(first+count)*f.item]), first*f.item)
	}
}

// unpack is the inverse of pack.
func (f *flat) unpack(first, count int) {
	if f.in != nil {
		f.in.Scatter(view(f.b[first*f.item:(first+count)*f.item]), first*f.item)
	}
}

// packAll and unpackAll handle all items.
func (f *flat) packAll() { f.pack(0, f.items()) }

func (f *flat) unpackAll() { f.unpack(0, f.items()) }

// items returns the number of items.
func (f *flat) items() int {
	if f.item == 0 {
		return 0
	}
	return len(f.b) / f.item
}

// eachPart calls do for each part that counts and displs name.
func eachPart(counts, displs []int, do func(first, count int)) func() {
	return func() {
		for i, n := range counts {
			if n > 0 {
				do(offset(counts, displs, i), n)
			}
		}
	}
}

// scaled returns counts or displs in bytes; nil stays nil, and invalid values stay
// invalid.
func (f *flat) scaled(n []int) []int {
	if n == nil {
		return nil
	}
	out := make([]int, len(n))
	for i, v := range n {
		out[i] = v
		if most := len(f.b)/max(f.item, 1) + 1; v >= -most && v <= most {
			out[i] = v * f.item
		}
	}
	return out
}

// fits returns what is wrong with counts and displs, or nil.
func (f *flat) fits(c *Comm, s site, name string, counts, displs []int) error {
	fits := misfit
	switch {
	case name == "recv":
		fits = misplaced
	case s.role == rootPeer: // Scatterv
		fits = c.misread
	}
	if class, text := fits(c.size, f.items(), counts, displs); text != "" {
		return c.errorAt(s, class, "%s, in items: %s", name, text)
	}
	return nil
}

// pairOfFlats is flatten for the two buffers of a call. Buffers that begin with the
// same item are one: the call is in place.
func (c *Comm) pairOfFlats(s site, send, recv []Item) (out, in *flat, err error) {
	if in, err = c.flatten(s, recv, true); err != nil {
		return nil, nil, err
	}
	if len(send) > 0 && len(recv) > 0 && send[0] == recv[0] {
		return in, in, nil
	}
	if out, err = c.flatten(s, send, false); err != nil {
		return nil, nil, err
	}
	if cap(send) == 0 {
		out.elem = in.elem
	} else if cap(recv) == 0 {
		in.elem = out.elem
	}
	if a, b := out.elem, in.elem; len(out.b) > 0 && len(in.b) > 0 && a.code != b.code {
		return nil, nil, c.errorAt(s, ErrType, "send is %s and recv is %s; they must be of the same elements", a.name, b.name)
	}
	return out, in, nil
}

// nothing is for calls with nothing to pack or unpack.
func nothing() {}

// asItems makes call, a collective call on bytes, for elements e: pack is called before
// its data is read, unpack when it is complete. The bytes are those of flats.
func (c *Comm) asItems(e *elem, pack func(), call func(*Comm) error, unpack func(), of ...*flat) error {
	return c.asItemsOf(e, 0, pack, call, unpack, of...)
}

// asItemsOf is asItems for a call in which all ranks must have items of as many bytes;
// 0: that does not matter.
func (c *Comm) asItemsOf(e *elem, item int, pack func(), call func(*Comm) error, unpack func(), of ...*flat) error {
	m := footprint{flats: of}
	if l := c.launch; l != nil { // the call is only prepared
		l.as, l.item, l.pack, l.unpack, l.footprint = e, item, pack, unpack, m
		return call(c)
	}
	pack()
	err := c.directly(&launch{as: e, item: item, footprint: m}, call)
	if carriedOut(err) {
		unpack()
	}
	return err
}

func bcastItems(c *Comm, s site, buf []Item, root int) error {
	f, err := c.flatten(s, buf, !c.isRoot(root))
	if err != nil {
		return err
	}
	pack, unpack := f.packAll, nothing
	if !c.isRoot(root) {
		pack, unpack = nothing, f.unpackAll
	}
	return c.asItems(f.elem, pack, func(c *Comm) error { return Bcast(c, f.b, root) }, unpack, f)
}

func gatherItems(c *Comm, s site, send, recv []Item, root int) error {
	if !c.isRoot(root) {
		recv = nil
	} else if c.inter != nil {
		send = nil
	}
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	return c.asItems(out.elem, packOwn(c, out, in), func(c *Comm) error { return Gather(c, out.b, in.b, root) }, in.unpackAll, out, in)
}

func gathervItems(c *Comm, s site, send, recv []Item, counts, displs []int, root int) error {
	if !c.isRoot(root) {
		recv, counts, displs = nil, nil, nil
	} else if c.inter != nil {
		send = nil
	}
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	if c.isRoot(root) {
		if err := in.fits(c, s, "recv", counts, displs); err != nil {
			return err
		}
	}
	n, at := in.scaled(counts), in.scaled(displs)
	pack := out.packAll
	if in == out {
		pack = func() { in.pack(offset(counts, displs, root), counts[root]) }
	}
	return c.asItems(out.elem, pack, func(c *Comm) error { return Gatherv(c, out.b, in.b, n, at, root) },
		eachPart(counts, displs, in.unpack), out, in)
}

func allgatherItems(c *Comm, s site, send, recv []Item) error {
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	return c.asItems(out.elem, packOwn(c, out, in), func(c *Comm) error { return Allgather(c, out.b, in.b) }, in.unpackAll, out, in)
}

// packOwn packs what this rank sends in a call that gathers equal parts: in place, its
// own part.
func packOwn(c *Comm, out, in *flat) func() {
	if in != out {
		return out.packAll
	}
	own := in.items() / c.size
	return func() { in.pack(c.rank*own, own) }
}

func allgathervItems(c *Comm, s site, send, recv []Item, counts, displs []int) error {
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	if err := in.fits(c, s, "recv", counts, displs); err != nil {
		return err
	}
	n, at := in.scaled(counts), in.scaled(displs)
	pack := out.packAll
	if in == out {
		pack = func() { in.pack(offset(counts, displs, c.rank), counts[c.rank]) }
	}
	return c.asItems(out.elem, pack, func(c *Comm) error { return Allgatherv(c, out.b, in.b, n, at) },
		eachPart(counts, displs, in.unpack), out, in)
}

func scatterItems(c *Comm, s site, send, recv []Item, root int) error {
	if !c.isRoot(root) {
		send = nil
	} else if c.inter != nil {
		recv = nil
	}
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	unpack := in.unpackAll
	if in == out {
		unpack = nothing // root keeps its part where it is
	}
	return c.asItems(in.elem, out.packAll, func(c *Comm) error { return Scatter(c, out.b, in.b, root) }, unpack, out, in)
}

func scattervItems(c *Comm, s site, send []Item, counts, displs []int, recv []Item, root int) error {
	if !c.isRoot(root) {
		send, counts, displs = nil, nil, nil
	} else if c.inter != nil {
		recv = nil
	}
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	if c.isRoot(root) {
		if err := out.fits(c, s, "send", counts, displs); err != nil {
			return err
		}
	}
	n, at := out.scaled(counts), out.scaled(displs)
	unpack := in.unpackAll
	if in == out {
		unpack = nothing
	}
	return c.asItems(in.elem, eachPart(counts, displs, out.pack),
		func(c *Comm) error { return Scatterv(c, out.b, n, at, in.b, root) }, unpack, out, in)
}

func alltoallItems(c *Comm, s site, send, recv []Item) error {
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	return c.asItems(in.elem, out.packAll, func(c *Comm) error { return Alltoall(c, out.b, in.b) }, in.unpackAll, out, in)
}

func alltoallvItems(c *Comm, s site, send []Item, scounts, sdispls []int, recv []Item, rcounts, rdispls []int) error {
	out, in, err := c.pairOfFlats(s, send, recv)
	if err != nil {
		return err
	}
	if in == out {
		scounts, sdispls = rcounts, rdispls
	}
	if err := in.fits(c, s, "recv", rcounts, rdispls); err != nil {
		return err
	}
	if err := out.fits(c, s, "send", scounts, sdispls); err != nil {
		return err
	}
	sn, sat, rn, rat := out.scaled(scounts), out.scaled(sdispls), in.scaled(rcounts), in.scaled(rdispls)
	return c.asItems(in.elem, eachPart(scounts, sdispls, out.pack),
		func(c *Comm) error { return Alltoallv(c, out.b, sn, sat, in.b, rn, rat) }, eachPart(rcounts, rdispls, in.unpack), out, in)
}
