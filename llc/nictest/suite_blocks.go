package nictest

import (
	"bytes"
	"math"

	"rhinet/internal/strided"
	"rhinet/llc/ir"
)

// listed returns blocks of a list: pieces of so many bytes, at these places.
func listed(pieces ...[2]int) (b strided.Blocks) {
	for _, p := range pieces {
		b.List = b.List.Add(p[0], p[1])
	}
	return b
}

// uneven returns a list of n pieces of about so many bytes, the first behind all others.
func uneven(n, size int) (b strided.Blocks) {
	for i := range n {
		b.List = b.List.Add(2*size*((i+n-1)%n)+i%7, size-i%3)
	}
	return b
}

// testBlocks pulls and pushes blocks from and to memory with other blocks, or contiguous memory, and checks
// the gaps.
func testBlocks(r *rig) {
	if r.caps(0, 1).Blocks == 0 {
		r.Skip("memory in one piece only")
	}
	const size = 1 << 20
	mem := payload(1, size)
	seg := r.expose(0, 1, mem)
	for _, c := range []strided.Move{
		{Bytes: 1, Mine: strided.Blocks{}, Their: strided.Blocks{Block: 1, Stride: 1}},
		{Bytes: 4096, Their: strided.Blocks{Block: 256, Stride: 512}},
		{Bytes: 4096, Mine: strided.Blocks{Block: 256, Stride: 512}},
		{Bytes: 5000, Here: 3, There: 100, Mine: strided.Blocks{Block: 1000, Stride: 1003}, Their: strided.Blocks{Block: 7, Stride: 30}},
		{Bytes: 300_000, Here: 1, There: 1, Mine: strided.Blocks{Block: 4096, Stride: 8192}, Their: strided.Blocks{Block: 4096, Stride: 8192}},
		{Bytes: 300_000, Mine: strided.Blocks{Block: 100, Stride: 101}, Their: strided.Blocks{Block: 1000, Stride: 3000}},
		{Bytes: 200_000, There: 131_072, Mine: strided.Blocks{Block: 8192, Stride: 8192}, Their: strided.Blocks{Block: 1024, Stride: 2048}},
		{Bytes: 0, There: 10, Their: strided.Blocks{Block: 4, Stride: 8}},
		{Bytes: 5000, Here: 2000, There: 100, Mine: uneven(10, 900), Their: uneven(100, 60)},
		{Bytes: 300_000, Here: 4000, Mine: uneven(100, 4096), Their: strided.Blocks{Block: 4096, Stride: 8192}},
		{Bytes: 300_000, There: 100_000, Their: uneven(400, 1024)}, // of more pieces than one call moves
	} {
		for _, op := range []ir.Op{ir.Pull, ir.Push} {
			own, m := payload(c.Bytes+2, size), c
			wantOwn, wantMem := bytes.Clone(own), bytes.Clone(mem)
			for i := range c.Bytes {
				here, there := c.Mine.Place(c.Here+i), c.Their.Place(c.There+i)
				if op == ir.Pull {
					wantOwn[here] = mem[there]
				} else {
					wantMem[there] = own[here]
				}
			}
			kind := ir.Pulled
			if op == ir.Push {
				kind = ir.Pushed
			}
			r.answer(1, r.post(1, ir.Command{Op: op, Segment: seg, Data: own, Move: &m}), kind)
			if !bytes.Equal(own, wantOwn) || !bytes.Equal(mem, wantMem) {
				r.Fatalf("op %d of %+v moved other bytes", op, c)
			}
		}
	}
	r.testBlockMover(seg, mem)
	r.post(0, ir.Command{Op: ir.Conceal, Peer: 1, Segment: seg})
	r.quiet()
}

// testBlockMover does the same at once, from an offset on, by the [ir.BlockMover] of the NIC.
func (r *rig) testBlockMover(seg ir.Segment, mem []byte) {
	nic, can := ir.AbilitiesOf(r.ts[1]).Remote.(ir.BlockMover)
	if !can {
		return
	}
	const offset = 777
	m := strided.Move{Bytes: 3000, Their: strided.Blocks{Block: 100, Stride: 130}}
	for _, write := range []bool{false, true} {
		own := payload(5, m.Bytes)
		wantOwn, wantMem := bytes.Clone(own), bytes.Clone(mem)
		m.Copy(wantOwn, 0, wantMem[offset:], write)
		if err := nic.MoveBlocks(0, seg, offset, own, m, write); err != nil {
			r.Fatal(err)
		}
		if !bytes.Equal(own, wantOwn) || !bytes.Equal(mem, wantMem) {
			r.Fatalf("other bytes from %d on, write %v", offset, write)
		}
		_, size := m.Their.Span(0, m.Bytes)
		for _, beyond := range []uint64{uint64(len(mem) - size + 1), uint64(len(mem)), math.MaxUint64 - 64} {
			if err := nic.MoveBlocks(0, seg, beyond, own, m, write); err == nil || !bytes.Equal(own, wantOwn) || !bytes.Equal(mem, wantMem) {
				r.Fatalf("from %d on, write %v: %v, or bytes moved", beyond, write, err)
			}
		}
	}
}

// testBlocksRefused asks for blocks that are out of reach: each request fails and moves nothing.
func testBlocksRefused(r *rig) {
	if r.caps(0, 1).Blocks == 0 {
		r.Skip("memory in one piece only")
	}
	mem := payload(1, 4096)
	keep := bytes.Clone(mem)
	seg, gone := r.expose(0, 1, mem), r.expose(0, 1, mem[:64])
	r.post(0, ir.Command{Op: ir.Conceal, Peer: 1, Segment: gone})
	for name, c := range map[string]struct {
		seg   ir.Segment
		their strided.Blocks
		there int
		n     int
	}{
		"the last block beyond the end": {seg, strided.Blocks{Block: 256, Stride: 1281}, 0, 1024},
		"the last byte beyond the end":  {seg, strided.Blocks{Block: 257, Stride: 1280}, 0, 4 * 257},
		"all beyond the end":            {seg, strided.Blocks{Block: 256, Stride: 1280}, 1024, 8},
		"one far away":                  {seg, strided.Blocks{Block: 8, Stride: 1 << 40}, 0, 16},
		"one that wraps around":         {seg, strided.Blocks{Block: 8, Stride: math.MaxInt - 8}, 0, 24},
		"a piece beyond the end":        {seg, listed([2]int{0, 8}, [2]int{4089, 8}, [2]int{16, 8}), 0, 24},
		"a piece far away":              {seg, listed([2]int{0, 8}, [2]int{1 << 62, 8}), 0, 16},
		"more than the list has":        {seg, listed([2]int{0, 8}), 0, 16},
		"withdrawn":                     {gone, strided.Blocks{Block: 8, Stride: 16}, 0, 16},
		"nothing":                       {0, strided.Blocks{Block: 8, Stride: 16}, 0, 16},
	} {
		for _, op := range []ir.Op{ir.Pull, ir.Push} {
			data := payload(9, c.n)
			m := strided.Move{Bytes: c.n, There: c.there, Their: c.their}
			token := r.post(1, ir.Command{Op: op, Segment: c.seg, Data: data, Move: &m})
			ev := r.await(1, "refusal", func(ev *ir.Event) bool { return ev.Token == token })
			if ev.Kind != ir.Failed || ev.Err == nil || ev.Peer != 0 {
				r.Errorf("%s, op %d: %+v", name, op, ev)
			}
			if !bytes.Equal(mem, keep) || !bytes.Equal(data, payload(9, c.n)) {
				r.Fatalf("%s, op %d: bytes moved", name, op)
			}
		}
	}
	r.quiet()
}
