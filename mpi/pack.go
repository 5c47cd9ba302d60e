package mpi

import (
	"encoding/binary"
	"reflect"
	"slices"

	"rhinet/internal/layout"
)

// Pack copies the data of in, a slice or a buffer of items, to out from position pos
// on, and returns the position behind it. Packed data travels as []byte: it can be
// received into what it was packed from, or as bytes for [Unpack]. If out has no room,
// it fails with ErrTruncate and packs nothing.
//
// MPI 4.1, section 5.2.
func Pack[T any](c *Comm, in []T, out []byte, pos int) (_ int, err error) {
	defer c.raised(&err)
	data, to, err := roomFor(c, at("Pack"), in, out, pos, false, false)
	if err != nil {
		return pos, err
	}
	data.Gather(to, 0)
	return pos + len(to), nil
}

// Unpack copies packed data from position pos of in to out, which it fills, and returns
// the position behind it.
//
// MPI 4.1, section 5.2.
func Unpack[T any](c *Comm, in []byte, pos int, out []T) (_ int, err error) {
	defer c.raised(&err)
	data, from, err := roomFor(c, at("Unpack"), out, in, pos, true, false)
	if err != nil {
		return pos, err
	}
	data.Scatter(from, 0)
	return pos + len(from), nil
}

// PackSize returns the number of bytes that [Pack] needs for in.
//
// MPI 4.1, section 5.2.
func PackSize[T any](c *Comm, in []T) (_ int, err error) {
	defer c.raised(&err)
	data, err := dataOf(c, at("PackSize"), in, false, false)
	if err != nil {
		return 0, err
	}
	return data.Size(), nil
}

// PackExternal is [Pack] in the representation external32, which is the same on
// every machine: big-endian, without padding. int and uint take 8 bytes.
//
// MPI 4.1, section 5.3.
func PackExternal[T any](c *Comm, in []T, out []byte, pos int) (_ int, err error) {
	defer c.raised(&err)
	data, to, err := roomFor(c, at("PackExternal"), in, out, pos, false, true)
	if err != nil {
		return pos, err
	}
	data.Gather(to, 0)
	toBigEndian(to, data.l.Signature())
	return pos + len(to), nil
}

// UnpackExternal is the inverse of [PackExternal].
//
// MPI 4.1, section 5.3.
func UnpackExternal[T any](c *Comm, in []byte, pos int, out []T) (_ int, err error) {
	defer c.raised(&err)
	data, from, err := roomFor(c, at("UnpackExternal"), out, in, pos, true, true)
	if err != nil {
		return pos, err
	}
	packed := slices.Clone(from)
	toBigEndian(packed, data.l.Signature())
	data.Scatter(packed, 0)
	return pos + len(from), nil
}

// PackExternalSize returns the number of bytes that [PackExternal] needs for in.
//
// MPI 4.1, section 5.3.
func PackExternalSize[T any](c *Comm, in []T) (_ int, err error) {
	defer c.raised(&err)
	data, err := dataOf(c, at("PackExternalSize"), in, false, true)
	if err != nil {
		return 0, err
	}
	return data.Size(), nil
}

// Elements returns how many basic elements (numbers and bools) the message of st has,
// which was received into buf; Undefined if it ends within an element, or within an item
// of a layout that is irregular over more than 4096 stretches.
//
// MPI 4.1, section 5.1.11 (MPI_Get_elements).
func Elements[T any](buf []T, st Status) int {
	l := plain(reflect.TypeFor[byte]())
	if items, ok := any(buf).([]Item); !ok {
		l = plain(reflect.TypeFor[T]())
	} else if cap(items) > 0 && items[:1][0].v != nil && items[:1][0].v.l != nil {
		l = items[:1][0].v.l
	}
	if n, whole := l.Elements(int(max(st.Bytes, 0))); whole && st.Bytes >= 0 {
		return n
	}
	return Undefined
}

// roomFor returns the data of any buffer, and its place in packed from position pos on.
func roomFor[T any](c *Comm, s site, buf []T, packed []byte, pos int, receive, external bool) (*body, []byte, error) {
	data, err := dataOf(c, s, buf, receive, external)
	if err != nil {
		return nil, nil, err
	}
	size, n := data.Size(), len(packed)
	if pos < 0 || pos > n {
		return nil, nil, c.errorAt(s, ErrArg, "position %d of %d packed bytes; positions are 0 to their number", pos, n)
	}
	if size > n-pos {
		err := c.errorAt(s, ErrTruncate, "%d bytes do not fit the %d from position %d on; see PackSize and PackExternalSize", size, n-pos, pos)
		err.Bytes, err.Room = int64(size), int64(n-pos)
		return nil, nil, err
	}
	return data, packed[pos : pos+size], nil
}

// dataOf returns the data of any buffer. For external32 it is without padding, and has
// only elements that external32 can represent.
func dataOf[T any](c *Comm, s site, buf []T, receive, external bool) (*body, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	b, err := c.plainOrItems(s, elemFor[T](c), reflect.TypeFor[T](), view(buf), len(buf), receive, external)
	if err != nil {
		return nil, err
	}
	if sig := b.l.Signature(); external && b.Size() > 0 {
		if len(sig.Runs) == 0 {
			return nil, c.errorAt(s, ErrLayout, "the layout is too irregular for external32; pack it in several parts")
		}
		for _, r := range sig.Runs {
			if r.Code >= firstHash {
				return nil, c.errorAt(s, ErrType, "a struct with padding has no representation in external32; select its fields with Fields")
			}
		}
	}
	return b, nil
}

func (c *Comm) plainOrItems(s site, e *elem, t reflect.Type, mem []byte, n int, receive, external bool) (*body, error) {
	if e.items {
		return c.bodyOf(s, elements[Item](mem), receive)
	}
	if e.bad != "" {
		return nil, c.badElem(s, e)
	}
	one := plain(t)
	if external {
		one = tight(t)
	}
	l, err := layout.Contiguous(n, one)
	if err != nil {
		return nil, c.errorAt(s, ErrLayout, "%v", err)
	}
	return &body{v: &viewed{mem: mem}, l: l}, nil
}

// toBigEndian turns packed numbers from the order of this machine to big-endian, or back.
func toBigEndian(b []byte, sig *layout.Signature) {
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		return
	}
	for len(b) > 0 {
		for _, r := range sig.Runs {
			n := min(r.Bytes, len(b))
			swap(b[:n], swapUnit(reflect.Kind(r.Code), r.Unit))
			b = b[n:]
		}
	}
}

// swapUnit returns the number of bytes to swap: a complex number is two numbers.
func swapUnit(k reflect.Kind, size int) int {
	if k == reflect.Complex64 || k == reflect.Complex128 {
		return size / 2
	}
	return size
}

// swap reverses the bytes of each number of size bytes.
func swap(b []byte, size int) {
	for ; len(b) >= size && size > 1; b = b[size:] {
		slices.Reverse(b[:size])
	}
}
