package mpi_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 5.2: packed data travels as bytes, and can be received into what it
// was packed from, in one message.
func TestPackedDataIsReceivedAsWhatItWasPackedFrom(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		m := numbered(12, 1)
		if w.Rank() == 0 {
			out, pos := make([]byte, 100), 0
			var err error
			if pos, err = mpi.Pack(w, column(m, 1, 3), out, pos); err != nil {
				return err
			}
			if pos, err = mpi.Pack(w, m[:2], out, pos); err != nil {
				return err
			}
			if err := equal("position", pos, 48); err != nil {
				return err
			}
			return errors.Join(mpi.Send(w, out[:pos], 1, 0), mpi.Send(w, out[:pos], 1, 0))
		}
		got := make([]float64, 6)
		if _, err := mpi.Recv(w, got, 0, 0); err != nil {
			return err
		}
		if err := equalAll("received", got, []float64{2, 5, 8, 11, 1, 2}); err != nil {
			return err
		}
		in := make([]byte, 48)
		if _, err := mpi.Recv(w, in, 0, 0); err != nil {
			return err
		}
		clear(m)
		pos, err := mpi.Unpack(w, in, 0, column(m, 2, 3))
		if err != nil {
			return err
		}
		two := make([]float64, 2)
		pos, err = mpi.Unpack(w, in, pos, two)
		return errors.Join(err, equal("position", pos, 48), equalAll("unpacked", append(two, m...), []float64{1, 2, 0, 0, 2, 0, 0, 5, 0, 0, 8, 0, 0, 11}))
	})
}

// MPI 4.1, section 5.3: external32 is big-endian, and has no padding.
func TestExternal32(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		type mixed struct {
			A int16
			B float64
			C bool
			D [2]uint32
			E complex64
		}
		in := []mixed{{-2, 1.5, true, [2]uint32{1, 2}, 1 - 1i}, {258, -2, false, [2]uint32{3, 1 << 31}, 0}}
		n, err := mpi.PackExternalSize(w, in)
		if err != nil {
			return err
		}
		out := make([]byte, n)
		pos, err := mpi.PackExternal(w, in, out, 0)
		want := "fffe" + "3ff8000000000000" + "01" + "0000000100000002" + "3f800000bf800000" +
			"0102" + "c000000000000000" + "00" + "0000000380000000" + "0000000000000000"
		if err := errors.Join(err, equal("size", n, 54), equal("position", pos, n), equal("bytes", hex.EncodeToString(out), want)); err != nil {
			return err
		}
		back := make([]mixed, 2)
		if _, err := mpi.UnpackExternal(w, out, 0, back); err != nil {
			return err
		}
		if err := equalAll("unpacked", back, in); err != nil {
			return err
		}
		ints := []int{1, 2, 3, 4}
		if _, err := mpi.PackExternal(w, mpi.View(ints, mpi.Vector(2, 1, 3)), out, 1); err != nil {
			return err
		}
		if err := equal("layout", [2]uint64{binary.BigEndian.Uint64(out[1:]), binary.BigEndian.Uint64(out[9:])}, [2]uint64{1, 4}); err != nil {
			return err
		}
		_, err = mpi.PackExternal(w, mpi.View(in, mpi.Contiguous(1)), out, 0)
		return is(err, mpi.ErrType, "mpi: PackExternal on world: a struct with padding has no representation in external32; select its fields with Fields")
	})
}

// Every mistake in packing is an error, and moves nothing.
func TestWrongPacking(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		m, out := make([]float64, 4), make([]byte, 31)
		bad := mpi.View(m, mpi.Contiguous(9))
		joint := mpi.View(m, mpi.Vector(2, 2, 1))
		_, a := mpi.Pack(w, m, out, 0)
		if err := is(a, mpi.ErrTruncate, "mpi: Pack on world: 32 bytes do not fit the 31 from position 0 on; see PackSize and PackExternalSize"); err != nil {
			return err
		}
		_, b := mpi.Unpack(w, out, 40, m)
		if err := is(b, mpi.ErrArg, "mpi: Unpack on world: position 40 of 31 packed bytes; positions are 0 to their number"); err != nil {
			return err
		}
		size, err := mpi.PackSize(w, joint)
		if err := errors.Join(err, equal("size", size, 32)); err != nil {
			return err
		}
		_, c := mpi.PackSize(w, bad)
		_, d := mpi.PackExternalSize(w, bad)
		_, e := mpi.Unpack(w, make([]byte, 99), 0, joint)
		_, f := mpi.PackExternal(w, m, out, 0)
		_, g := mpi.UnpackExternal(w, out, 0, m)
		_, h := mpi.Pack(nil, m, out, 0)
		_, i := mpi.Pack(w, make([]*int, 1), out, 0)
		_, j := mpi.UnpackExternal(w, make([]byte, 99), 0, joint)
		for k, err := range []error{c, d, e, f, g, h, i, j} {
			if err == nil {
				return fmt.Errorf("case %d: no error", k)
			}
		}
		return nil
	})
}

// MPI 4.1, section 5.1.11: Get_elements counts basic elements, whole ones only.
func TestElementsCountBasicElements(t *testing.T) {
	type pair struct {
		A int32
		B float64
	}
	type nested struct {
		A [3]int8
		B [2]pair
	}
	st := func(n int64) mpi.Status { return mpi.Status{Bytes: n} }
	ps := mpi.View(make([]pair, 4), mpi.Contiguous(4).Of(mpi.Fields[pair]()))
	for k, c := range []struct{ got, want int }{
		{mpi.Elements([]float64{}, st(24)), 3},
		{mpi.Elements([][3]float64{}, st(24)), 3},
		{mpi.Elements([]float64{}, st(25)), mpi.Undefined},
		{mpi.Elements(ps, st(16)), 3},
		{mpi.Elements(ps, st(12)), 2},
		{mpi.Elements(ps, st(14)), mpi.Undefined},
		{mpi.Elements([]mpi.Item{}, st(2)), 2},
		{mpi.Elements(ps, st(-1)), mpi.Undefined},
		{mpi.Elements(ps, st(0)), 0},
		{mpi.Elements(mpi.Views([]int32{}, 5, mpi.Contiguous(0)), st(0)), 0},
		{mpi.Elements(ps[:0], st(36)), 6},
		{mpi.Elements([]pair{}, st(3*16)), 6}, // with padding
		{mpi.Elements([]mpi.ValLoc[float64]{}, st(3*16)), 6},
		{mpi.Elements([]nested{}, st(2*40)), 14},
		{mpi.Elements(mpi.View(make([]nested, 4), mpi.Vector(2, 1, 2)), st(2*40)), 14},
		{mpi.Elements([]nested{}, st(20)), mpi.Undefined},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %d elements, want %d", k, c.got, c.want)
		}
	}
}

// MPI 4.1, section 5.1.4: the parts of a distributed array make up all of it, without
// overlap.
func TestTheProcessesOfADistributedArrayHaveAllOfIt(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		sizes, psizes := []int{7, 5, 3}, []int{2, 2, 1}
		dists := []mpi.Dist{{Kind: mpi.DistCyclic, Block: 2}, {Kind: mpi.DistBlock}, {Kind: mpi.DistNone}}
		whole := ints(7*5*3, 1)
		l := mpi.Darray(4, w.Rank(), sizes, dists, psizes)
		mine := make([]int64, len(whole))
		if w.Rank() == 0 {
			r := mpi.Irecv(w, mpi.View(mine, l), 0, 0)
			for i := range 4 {
				if err := mpi.Send(w, mpi.View(whole, mpi.Darray(4, i, sizes, dists, psizes)), i, 0); err != nil {
					return err
				}
			}
			if err := mpi.WaitAll(r); err != nil {
				return err
			}
		} else if _, err := mpi.Recv(w, mpi.View(mine, l), 0, 0); err != nil {
			return err
		}
		sum := make([]int64, len(whole))
		if err := mpi.Allreduce(w, mine, sum, mpi.Sum); err != nil {
			return err
		}
		for i, x := range mine { // of index (a, b, c), by the grid coordinates
			a, b := i/15, i/3%5
			if own := a/2%2*2+b/3 == w.Rank(); own != (x != 0) {
				return fmt.Errorf("element %d: %d", i, x)
			}
		}
		return equalAll("sum", sum, whole)
	})
}

// MPI 4.1, section 5.1.4: a block may be longer than its dimension; the first process
// then has all of it.
func TestBlocksLongerThanTheirDimension(t *testing.T) {
	for _, kind := range []mpi.DistKind{mpi.DistBlock, mpi.DistCyclic} {
		for _, block := range []int{3, 4, 1 << 61, 1 << 62, math.MaxInt} {
			for rank := range 4 {
				shape, err := mpi.ShapeOf[int](mpi.Darray(4, rank, []int{3}, []mpi.Dist{{Kind: kind, Block: block}}, []int{4}))
				want := 0
				if rank == 0 {
					want = 24
				}
				if err != nil || shape.Size != want || shape.Extent != 24 {
					t.Errorf("blocks of %d, rank %d: %+v, %v; want %d bytes of 24", block, rank, shape, err, want)
				}
			}
		}
	}
	shape, err := mpi.ShapeOf[int](mpi.Darray(math.MaxInt, math.MaxInt-1, []int{3}, []mpi.Dist{{Kind: mpi.DistCyclic}}, []int{math.MaxInt}))
	if err != nil || shape.Size != 0 {
		t.Errorf("the last of many processes: %+v, %v; want no bytes", shape, err)
	}
}
