package nictest

import (
	"bytes"
	"math/rand/v2"

	"rhinet/llc/ir"
)

// testVectors has peers read and write memory on boards, of each other and of their own, by random vectors,
// compares with a slow reference implementation, and asks for memory that is out of reach.
func testVectors(r *rig) {
	if ir.AbilitiesOf(r.ts[0]).Vectors == nil {
		r.Skip("no memory on boards")
	}
	v := &vectorTrial{rig: r, rnd: rand.New(rand.NewPCG(4, 8))}
	for _, t := range r.ts {
		v.nics = append(v.nics, ir.AbilitiesOf(t).Vectors)
	}
	v.reserve()
	for range 300 {
		v.access()
	}
	v.wrong()
	v.used()
	r.quiet()
}

// boardBytes is what each peer takes of its board.
const boardBytes = 6000

// A vectorTrial has the parts of all peers, and their expected contents.
type vectorTrial struct {
	*rig
	rnd   *rand.Rand
	nics  []ir.Vectors
	at    []uint64
	model [][]byte
}

// must ends the test if there is an error.
func (v *vectorTrial) must(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

func (v *vectorTrial) reserve() {
	for i, n := range v.nics {
		_, err := n.ReserveBoard(100) // so that no part begins where the memory does
		v.must(err)
		at, err := n.ReserveBoard(boardBytes)
		v.must(err)
		v.at, v.model = append(v.at, at), append(v.model, make([]byte, boardBytes))
		v.compare(0, i)
	}
}

// compare reads the part of a peer.
func (v *vectorTrial) compare(by, target int) {
	v.Helper()
	got := make([]byte, boardBytes)
	v.must(v.nics[by].ReadVector(target, &ir.Vector{Block: boardBytes, At: v.at[target]}, got))
	if !bytes.Equal(got, v.model[target]) {
		v.Fatalf("the part of peer %d is not what was written there", target)
	}
}

// vector draws a vector of at most boardBytes, and where its blocks begin in a part.
func (v *vectorTrial) vector(target int) (w *ir.Vector, places []int) {
	block := []int{4, 8, 8, 12, 16, 24, 40, 200, 300, 1 + v.rnd.IntN(1500)}[v.rnd.IntN(10)]
	slots := v.rnd.Perm(boardBytes / block)
	slots = slots[:1+v.rnd.IntN(len(slots))]
	w = &ir.Vector{Block: block}
	if v.rnd.IntN(2) == 0 { // a list, in any order
		for _, s := range slots {
			places = append(places, s*block)
			w.List = append(w.List, v.at[target]+uint64(s*block))
		}
		return w, places
	}
	n := len(slots)
	gap := v.rnd.IntN((boardBytes-n*block)/n + 1)
	first := v.rnd.IntN(boardBytes - n*(block+gap) + 1)
	w.At, w.Stride = v.at[target]+uint64(first), uint64(block+gap)
	for i := range n {
		places = append(places, first+i*(block+gap))
	}
	return w, places
}

// access writes or reads one vector.
func (v *vectorTrial) access() {
	v.Helper()
	by, target := v.rnd.IntN(len(v.nics)), v.rnd.IntN(len(v.nics))
	w, places := v.vector(target)
	b := make([]byte, len(places)*w.Block)
	if v.rnd.IntN(2) == 0 {
		v.must(v.nics[by].ReadVector(target, w, b))
		for i, at := range places {
			if !bytes.Equal(b[i*w.Block:][:w.Block], v.model[target][at:][:w.Block]) {
				v.Fatalf("block %d of %d bytes of peer %d is not what was written there", i, w.Block, target)
			}
		}
		return
	}
	for i := range b {
		b[i] = byte(v.rnd.Uint32())
	}
	v.must(v.nics[by].WriteVector(target, w, b))
	for i, at := range places {
		copy(v.model[target][at:], b[i*w.Block:][:w.Block])
	}
	v.compare((by+1)%len(v.nics), target)
}

// wrong asks for memory that does not exist: nothing may be written anywhere.
func (v *vectorTrial) wrong() {
	const far = 1 << 33
	at, b := v.at[0], make([]byte, 64)
	for what, w := range map[string]*ir.Vector{
		"one block far away":       {Block: 64, At: far},
		"before the beginning":     {Block: 64, At: ^uint64(63)},
		"a long stride":            {Block: 8, At: at, Stride: far},
		"a stride out of memory":   {Block: 8, At: at, Stride: 1 << 26},
		"a list with one far away": {Block: 8, List: []uint64{at, at + 8, at + 16, at + 24, at + 32, at + 40, at + 48, far}},
		"a list out of memory":     {Block: 8, List: []uint64{at, at + 8, at + 16, at + 24, at + 32, at + 40, at + 48, 1 << 27}},
		"a list that is too short": {Block: 8, List: []uint64{at}},
		"half blocks":              {Block: 48, At: at, Stride: 64},
		"no blocks":                {At: at, Stride: 8},
	} {
		for _, target := range []int{0, 1} {
			if err := v.nics[1].WriteVector(target, w, bytes.Repeat([]byte{0xee}, len(b))); err == nil {
				v.Errorf("%s of peer %d: written", what, target)
			}
			if err := v.nics[1].ReadVector(target, w, b); err == nil {
				v.Errorf("%s of peer %d: read", what, target)
			}
		}
	}
	for _, peer := range []int{-1, len(v.nics), 1 << 20} {
		w := &ir.Vector{Block: 8, At: at}
		if v.nics[1].WriteVector(peer, w, b[:8]) == nil || v.nics[1].ReadVector(peer, w, b[:8]) == nil {
			v.Errorf("peer %d has memory", peer)
		}
	}
	for i := range v.nics {
		v.compare(0, i)
	}
}

// used takes all that is left, including a part that was given back.
func (v *vectorTrial) used() {
	n := v.nics[1]
	v.must(n.WriteVector(1, &ir.Vector{Block: boardBytes, At: v.at[1]}, bytes.Repeat([]byte{7}, boardBytes)))
	v.must(n.ReleaseBoard(v.at[1]))
	if n.ReleaseBoard(v.at[1]) == nil {
		v.Error("given back twice")
	}
	seen, all := map[uint64]bool{}, 0
	for {
		at, err := n.ReserveBoard(1 << 12)
		if err != nil {
			break
		}
		all++
		b := make([]byte, 1<<12)
		v.must(n.ReadVector(1, &ir.Vector{Block: len(b), At: at}, b))
		if seen[at] || !bytes.Equal(b, make([]byte, len(b))) {
			v.Fatalf("part %d at %d was taken before, or is not 0", all, at)
		}
		for i := range b {
			b[i] = 9
		}
		seen[at] = true
		v.must(n.WriteVector(1, &ir.Vector{Block: len(b), At: at}, b))
	}
	if all == 0 {
		v.Error("nothing is left, after one part was given back")
	}
	v.compare(2, 0)
	v.compare(0, 2)
}
