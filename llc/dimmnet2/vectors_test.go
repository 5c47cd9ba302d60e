package dimmnet2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// commands returns how many commands the board has finished.
func (v *vectors) commands(t *testing.T) uint64 {
	t.Helper()
	var b [8]byte
	if err := v.nic.Load(dimmnet2.RegSent.At(v.nic.Process()), b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}

// TestPartsOfABoard: parts that are taken do not overlap, and a part that is given back is taken again by a
// request that fits.
func TestPartsOfABoard(t *testing.T) {
	_, all := open(t, 1)
	v := &all[0].(*Translator).vectors
	reserve := func(units, want uint64) {
		t.Helper()
		if at, err := v.ReserveBoard(int(units*partUnit) - 1); err != nil || at != want*partUnit {
			t.Errorf("%d units at %d of %d, %v, want unit %d", units, at, partUnit, err, want)
		}
	}
	reserve(3, 0)
	reserve(2, 3)
	reserve(1, 5)
	if err := v.ReleaseBoard(3 * partUnit); err != nil {
		t.Fatal(err)
	}
	reserve(3, 6)
	reserve(1, 3)
	reserve(1, 4)
	reserve(1, 9)
	if _, err := v.ReserveBoard(int(v.size - 9*partUnit)); !errors.Is(err, errNoModule) {
		t.Errorf("more than is left: %v", err)
	}
	if err := v.ReleaseBoard(7 * partUnit); !errors.Is(err, errNotTaken) {
		t.Errorf("the middle of a part: %v", err)
	}
}

// TestCommandsOfVectors: elements take as few commands as windows and lists have room for.
func TestCommandsOfVectors(t *testing.T) {
	_, all := open(t, 2)
	v := &all[0].(*Translator).vectors
	list := func(n, by int) (l []uint64) {
		for i := range n {
			l = append(l, uint64(i*by+i%2*4))
		}
		return l
	}
	for what, k := range map[string]struct {
		v           ir.Vector
		n           int // blocks
		write, read uint64
	}{
		"one block":              {ir.Vector{Block: 5000}, 1, 11, 10},
		"60 by a stride":         {ir.Vector{Block: 8, Stride: 100}, 60, 1, 1},
		"61 by a stride":         {ir.Vector{Block: 8, Stride: 100}, 61, 2, 1},
		"120 short by a stride":  {ir.Vector{Block: 4, Stride: 8}, 120, 1, 1},
		"40 by a list":           {ir.Vector{Block: 8, List: list(40, 32)}, 40, 1, 1},
		"41 by a list":           {ir.Vector{Block: 8, List: list(41, 32)}, 41, 2, 1},
		"61 short by a list":     {ir.Vector{Block: 4, List: list(61, 32)}, 61, 1, 1},
		"122 short by a list":    {ir.Vector{Block: 4, List: list(122, 32)}, 122, 2, 1},
		"123 short by a list":    {ir.Vector{Block: 4, List: list(123, 32)}, 123, 3, 2},
		"blocks by a list":       {ir.Vector{Block: 24, Stride: 40}, 13, 1, 1},
		"long blocks one by one": {ir.Vector{Block: 264, Stride: 1000}, 9, 9, 9},
		"odd blocks one by one":  {ir.Vector{Block: 7, Stride: 8}, 9, 9, 9},
	} {
		b := bytes.Repeat([]byte{1, 2, 3}, k.v.Block*k.n/3+1)[:k.v.Block*k.n]
		before := v.commands(t)
		if err := v.WriteVector(1, &k.v, b); err != nil {
			t.Fatal(what, err)
		}
		between := v.commands(t)
		got := make([]byte, len(b))
		if err := v.ReadVector(1, &k.v, got); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s: %v, or other bytes", what, err)
		}
		if w, r := between-before, v.commands(t)-between; w != k.write || r != k.read {
			t.Errorf("%s: %d commands to write and %d to read, want %d and %d", what, w, r, k.write, k.read)
		}
	}
}

// TestVectorsOfOtherGroup: the SO-DIMM of a process of another group cannot be reached, by any pattern;
// nothing moves.
func TestVectorsOfOtherGroup(t *testing.T) {
	f, err := fabric.Heap(2, Geometry(fabric.Small(), 2))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := dimmnet2.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Open(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	boss.Group(0, 7)
	victim := bytes.Clone(f.Bytes(0, fabric.Public)[fabric.PageBytes:])
	for _, v := range []ir.Vector{{Block: 64}, {Block: 8, Stride: 16}, {Block: 8, List: []uint64{0, 40, 80, 8, 16, 24, 32, 48}}} {
		b := bytes.Repeat([]byte{5}, 64)
		if err := tr.WriteVector(0, &v, b); !errors.Is(err, dimmnet2.WrongGroup) {
			t.Error(err)
		}
		if err := tr.ReadVector(0, &v, b); !errors.Is(err, dimmnet2.WrongGroup) {
			t.Error(err)
		}
	}
	if !bytes.Equal(victim, f.Bytes(0, fabric.Public)[fabric.PageBytes:]) {
		t.Error("bytes have moved")
	}
	_ = tr.Close()
	if err := tr.WriteVector(0, &ir.Vector{Block: 8}, make([]byte, 8)); !errors.Is(err, dimmnet2.Closed) {
		t.Error(err)
	}
}
