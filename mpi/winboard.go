package mpi

import (
	"errors"

	"rhinet/internal/integer"
	"rhinet/internal/layout"
	"rhinet/llc/ir"
)

// A boarded is a reach to memory on the boards of the network interfaces, which only
// these read and write, also for the rank itself: no processor loads from it or stores
// to it. Elements that a layout names go by vector commands of the NIC. The control
// words of the window are in ordinary shared memory.
type boarded struct {
	control
	nic   ir.Vectors
	parts []boardPart // of the ranks
}

// A boardPart is where the part of a rank is on its board. A rank without a part takes
// no memory.
type boardPart struct{ At, Bytes uint64 }

// board puts the window on boards, if all ranks can, and reports whether it is there.
func (w *window) board() (bool, error) {
	if w.shared == nil || w.flavor != Allocated {
		return false, nil
	}
	x := &boarded{control: control{c: w.c, mem: w.shared.control.mem, size: w.shared.size}, nic: w.c.t.Vectors(), parts: make([]boardPart, w.c.size)}
	mine := boardPart{Bytes: w.bytes[w.c.rank]}
	can := x.nic != nil
	if can && mine.Bytes > 0 {
		can = w.c.command(func() (err error) { mine.At, err = x.nic.ReserveBoard(int(mine.Bytes)); return err }) == nil
	}
	took := can && mine.Bytes > 0
	err := Allgather(w.c, []boardPart{mine}, x.parts)
	ok := false
	if err == nil {
		ok, err = w.agree(can)
	}
	if ok && err == nil {
		w.reach, w.shared, w.mem, w.local = x, nil, nil, nil
		return true, nil
	}
	if x.parts[w.c.rank] = mine; took {
		err = errors.Join(err, x.close()) // no rank has used it
	}
	return false, err
}

// move reads or writes a vector.
func (x *boarded) move(target int, v *ir.Vector, mem []byte, put bool) error {
	if len(mem) == 0 {
		return nil
	}
	access := x.nic.ReadVector
	if put {
		access = x.nic.WriteVector
	}
	return x.c.command(func() error { return access(x.c.global(target), v, mem) })
}

// whole returns one block of a rank's part as a vector.
func (x *boarded) whole(target int, at uint64, n int) *ir.Vector {
	return &ir.Vector{Block: n, At: x.parts[target].At + at}
}

func (x *boarded) put(target int, at uint64, data []byte) error {
	return x.move(target, x.whole(target, at, len(data)), data, true)
}

func (x *boarded) get(target int, at uint64, buf []byte) error {
	return x.move(target, x.whole(target, at, len(buf)), buf, false)
}

// moveLayout uses few commands: one vector if all pieces of the layout have one length, else
// one of units that divide their lengths.
func (x *boarded) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	v := vectorOf(l, x.parts[target].At+at)
	if v == nil {
		return pieces(x, target, at, l, mem, put)
	}
	return x.move(target, v, mem, put)
}

// vectorOf returns the vector of a layout that is laid over memory from at on; nil if
// its pieces have no common unit of at least four bytes.
func vectorOf(l *layout.Type, at uint64) *ir.Vector {
	var places []uint64
	var lengths []int
	block := 0
	for from, n := range l.Segments(0, l.Size()) {
		places, lengths = append(places, at+uint64(from)), append(lengths, n)
		block = integer.GCD(block, n)
	}
	v := &ir.Vector{Block: block, List: places}
	switch {
	case len(places) == 0:
		return v
	case block != lengths[0] || block*len(places) != l.Size(): // pieces of different lengths
		if block = integer.GCD(block, 8); block < 4 {
			return nil
		}
		v = &ir.Vector{Block: block}
		for i, from := range places {
			for k := 0; k < lengths[i]; k += block {
				v.List = append(v.List, from+uint64(k))
			}
		}
		return v
	}
	if stride, ok := interval(places); ok {
		return &ir.Vector{Block: block, At: places[0], Stride: stride}
	}
	return v
}

// interval returns the distance between adjacent places, if it is the same for all.
func interval(places []uint64) (stride uint64, ok bool) {
	if len(places) == 1 {
		return 0, true
	}
	stride = places[1] - places[0]
	for i := 2; i < len(places); i++ {
		if places[i]-places[i-1] != stride {
			return 0, false
		}
	}
	return stride, true
}

// update reads, changes and writes under the lock of updates.
func (x *boarded) update(target int, at uint64, u *update) error {
	return x.alone(target, u, func() error {
		return u.readModifyWrite(func(mem []byte) error { return x.get(target, at, mem) }, func(mem []byte) error { return x.put(target, at, mem) })
	})
}

// updateLayout uses two vectors, one to read and one to write.
func (x *boarded) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	return x.alone(target, u, func() error { return rewrite(x, target, at, l, u) })
}

func (x *boarded) expose(uint64, []byte) error { return errNoRegions }
func (x *boarded) hide(uint64) error           { return errNoRegions }

// close frees the part of this rank.
func (x *boarded) close() error {
	mine := x.parts[x.c.rank]
	if mine.Bytes == 0 {
		return nil
	}
	return x.c.command(func() error { return x.nic.ReleaseBoard(mine.At) })
}
