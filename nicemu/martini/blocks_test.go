package martini

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"rhinet/internal/strided"
)

// TestBlocks: blocks move to their places, between ranks and within one, and memory between them is
// unchanged, on either side.
func TestBlocks(t *testing.T) {
	n := open(t, 2)
	s, err := serve(n[1], 4*page)
	if err != nil {
		t.Fatal(err)
	}
	own := make([]byte, 3*page)
	if _, err := n[0].Pin(own); err != nil {
		t.Fatal(err)
	}
	m := strided.Move{Bytes: 5000, Here: 100, There: 7, Mine: strided.Blocks{Block: 1000, Stride: 1500}, Their: strided.Blocks{Block: 64, Stride: 130}}
	for _, write := range []bool{false, true} {
		for i := range own {
			own[i] = byte(i * 11)
		}
		wantOwn, wantMem := bytes.Clone(own), bytes.Clone(s.mem)
		m.Copy(wantOwn, 0, wantMem[page/2:], write)
		w := n[0].Window(0)
		before := w.Contflag()
		if err := w.MoveBlocks(write, Request{Node: 1, Segment: s.good, Offset: page / 2}, own, m); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(own, wantOwn) || !bytes.Equal(s.mem, wantMem) || w.Contflag() != before+1 {
			t.Errorf("write %v: other bytes, or contflag %d after %d", write, w.Contflag(), before)
		}
	}
}

// TestBlocksRefused: each block is checked like a request of its own: nothing moves unless it is in
// the segment, in pinned pages, and in this side's buffer.
func TestBlocksRefused(t *testing.T) {
	n := open(t, 2)
	s, err := serve(n[1], 4*page)
	if err != nil {
		t.Fatal(err)
	}
	own := make([]byte, page)
	if _, err := n[0].Pin(own); err != nil {
		t.Fatal(err)
	}
	fits := strided.Move{Bytes: 1024, Their: strided.Blocks{Block: 64, Stride: 128}}
	with := func(change func(m *strided.Move)) strided.Move {
		m := fits
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		r    Request
		b    []byte
		m    strided.Move
		want Reason
	}{
		"the last block beyond the end":    {Request{Node: 1, Segment: s.good}, own, with(func(m *strided.Move) { m.Their.Stride = (4*page-64)/15 + 1 }), BeyondSegment},
		"far away":                         {Request{Node: 1, Segment: s.good}, own, with(func(m *strided.Move) { m.Their.Stride = 1 << 50 }), BeyondSegment},
		"nowhere":                          {Request{Node: 1, Segment: s.good}, own, with(func(m *strided.Move) { m.Their.Stride = 1 << 62 }), WrongLength},
		"blocks that overlap":              {Request{Node: 1, Segment: s.good}, own, with(func(m *strided.Move) { m.Their.Stride = 63 }), WrongLength},
		"the last block behind the offset": {Request{Node: 1, Segment: s.good, Offset: 4*page - (15*128 + 64) + 1}, own, fits, BeyondSegment},
		"an offset that wraps":             {Request{Node: 1, Segment: s.good, Offset: math.MaxUint64 - 100}, own, with(func(m *strided.Move) { m.There = 128 }), WrongLength},
		"before the beginning":             {Request{Node: 1, Segment: s.good}, own, with(func(m *strided.Move) { m.There = -64 }), WrongLength},
		"too short here":                   {Request{Node: 1, Segment: s.good}, own[:1023], fits, WrongLength},
		"not pinned here":                  {Request{Node: 1, Segment: s.good}, make([]byte, page), fits, NotPinned},
		"withdrawn":                        {Request{Node: 1, Segment: s.stale}, own, fits, Stale},
		"not pinned there":                 {Request{Node: 1, Segment: s.unpinned}, own, fits, NotPinned},
		"half pinned there":                {Request{Node: 1, Segment: s.half}, own, with(func(m *strided.Move) { m.Their.Stride = page / 2 }), NotPinned},
		"no such rank":                     {Request{Node: 2, Segment: s.good}, own, fits, NoNode},
		"a flag":                           {Request{Node: 1, Segment: s.good, Flag: 1}, own, fits, WrongLength},
	} {
		for _, write := range []bool{false, true} {
			keep := bytes.Clone(c.b)
			issued, _ := n[0].Refused(c.want)
			err := n[0].Window(0).MoveBlocks(write, c.r, c.b, c.m)
			if again, _ := n[0].Refused(c.want); !errors.Is(err, c.want) || again != issued+1 || !bytes.Equal(c.b, keep) {
				t.Errorf("%s, write %v: %v, counted %d times", name, write, err, again-issued)
			}
		}
	}
	if err := s.untouched(); err != nil {
		t.Error(err)
	}
	if err := n[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := n[0].Window(0).MoveBlocks(false, Request{Node: 1, Segment: s.good}, own, fits); !errors.Is(err, InvalidWindow) {
		t.Errorf("after Close: %v", err)
	}
}

// TestBlocksLookAtTheSegmentWhenHeld: a transfer of blocks that has found its segment, but does not
// hold the memory yet when the segment is withdrawn, moves nothing.
func TestBlocksLookAtTheSegmentWhenHeld(t *testing.T) {
	n := open(t, 2)
	mem, data := make([]byte, 100), []byte("late")
	pin, err := n[1].Pin(mem)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := n[1].RegisterPinned(pin, mem)
	if err != nil {
		t.Fatal(err)
	}
	m := strided.Move{Bytes: 4, Their: strided.Blocks{Block: 2, Stride: 4}}
	var w way
	if why := w.find(n[0], 1, n[1].key, seg, 0, 6); why != 0 {
		t.Fatal(why)
	}
	if err := n[1].Release(seg); err != nil {
		t.Fatal(err)
	}
	if moved, why, err := n[0].pieceBlocks(&w, 0, data, m, true); moved != 0 || why != Stale || err != nil || mem[0] != 0 {
		t.Errorf("%d bytes, %v, %v, memory %q", moved, why, err, mem[:8])
	}
	if err := n[1].Unpin(pin); err != nil {
		t.Fatal(err)
	}
	if moved, why, _ := n[0].pieceBlocks(&w, 0, data, m, true); moved != 0 || why != NotPinned {
		t.Errorf("unpinned: %d bytes, %v", moved, why)
	}
}
