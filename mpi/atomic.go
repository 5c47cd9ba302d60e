package mpi

import (
	"encoding/binary"
	"reflect"

	"rhinet/internal/fetchop"
)

// atomics are the processor's atomic operations for a kind of elements. All accumulates
// on elements of one kind use either these or a lock: only then are they atomic with
// respect to each other (MPI 4.1, section 12.7.1).
type atomics struct {
	unit  int // bytes of one number; 0: no atomic operations
	fetch [numUpdates]fetchop.Func
	swap  fetchop.Swap // nil: not for this kind
}

func atomicsOf(code typeCode) atomics {
	f := fetchop.Of(reflect.Kind(code))
	return atomics{f.Unit, [numUpdates]fetchop.Func{
		Sum: f.Sum, Prod: f.Prod, Min: f.Min, Max: f.Max,
		LAnd: f.LAnd, LOr: f.LOr, LXor: f.LXor, BAnd: f.BAnd, BOr: f.BOr, BXor: f.BXor,
		Replace: f.Replace, NoOp: f.Load,
	}, f.Swap}
}

// An update changes memory of a window: an accumulate, with or without fetch.
type update struct {
	e       *elem
	op      Predefined
	data    []byte // operands; unused by NoOp
	old     []byte // gets the memory before; nil: not fetched
	compare []byte // not nil: data replaces memory that equals it
	alone   bool   // no other rank uses the memory meanwhile

	from, into *body // of which data and old are copies; nil: they are not
}

// own is the memory of this rank in u.
func (u *update) own() accessor { return accessor{u.data, u.old, u.from, u.into} }

// bytes is the length of the memory that u accesses.
func (u *update) bytes() int { return max(len(u.data), len(u.old)) }

// natural reports whether u uses the processor's atomic operations.
func (u *update) natural() bool { return u.e.unit > 0 }

// apply carries u out on mem, which no other rank uses meanwhile.
func (u *update) apply(mem []byte) {
	copy(u.old, mem)
	switch {
	case u.compare != nil:
		if string(mem) == string(u.compare) {
			copy(mem, u.data)
		}
	case u.op == NoOp:
	case u.op == Replace:
		copy(mem, u.data)
	default:
		u.e.ops[u.op].fold(u.data, mem)
	}
}

// readModifyWrite carries u out on memory that read and write copy. The caller excludes
// other updates.
func (u *update) readModifyWrite(read, write func(mem []byte) error) error {
	mem := alignedBytes(u.bytes())
	if err := read(mem); err != nil {
		return err
	}
	if u.apply(mem); u.op == NoOp && u.compare == nil {
		return nil
	}
	return write(mem)
}

// applyAtomically carries u out on mem number by number.
func (u *update) applyAtomically(mem []byte) {
	n := u.e.unit
	if u.compare != nil {
		put(u.old, n, u.e.swap(&mem[0], number64(u.compare, n), number64(u.data, n)))
		return
	}
	f := u.e.fetch[u.op]
	for i := 0; i+n <= len(mem); i += n {
		var in uint64
		if u.op != NoOp {
			in = number64(u.data[i:], n)
		}
		if old := f(&mem[i], in); u.old != nil {
			put(u.old[i:], n, old)
		}
	}
}

func number64(b []byte, n int) uint64 {
	if n == 8 {
		return binary.NativeEndian.Uint64(b)
	}
	return uint64(binary.NativeEndian.Uint32(b))
}

func put(b []byte, n int, v uint64) {
	if n == 8 {
		binary.NativeEndian.PutUint64(b, v)
	} else {
		binary.NativeEndian.PutUint32(b, uint32(v))
	}
}
