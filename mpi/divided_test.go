package mpi

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/collectives"
)

// A dividedCall is one rank's part of a Gatherv, Scatterv or Alltoallv of bytes.
type dividedCall struct {
	kind    collectives.Kind
	root    int
	inPlace bool
	lengths [][]int // of the parts, from each rank to each
	id      int
	rank    int

	send, recv       []byte
	scounts, sdispls []int
	rcounts, rdispls []int

	fill  func(start int)
	want  func(start int) []byte // of recv
	begin func(c *Comm) *Request
	init  func(c *Comm) (*Request, error)
}

// lengthsOf draws the lengths of the parts of a call: none, few bytes, as many as go by
// flags, one more, and many.
func lengthsOf(rng *rand.Rand, size, share, most int, mirrored bool) [][]int {
	all := make([][]int, size)
	for i := range all {
		all[i] = make([]int, size)
	}
	choices := []int{0, 1 + rng.IntN(20), share, share + 1, 1 + rng.IntN(most)}
	choices = choices[rng.IntN(2)*rng.IntN(4):][:1+rng.IntN(2)] // often all short, or all long
	if rng.IntN(2) == 0 {
		choices = []int{0, 1 + rng.IntN(20), share, share + 1, 1 + rng.IntN(most)}
	}
	for i := range all {
		for k := range all {
			if all[i][k] = choices[rng.IntN(len(choices))]; mirrored && k < i {
				all[i][k] = all[k][i]
			}
		}
	}
	return all
}

// layOut returns places for parts, with gaps, in any order; sometimes nil.
func layOut(own *rand.Rand, counts []int) (displs []int, end int) {
	if own.IntN(3) == 0 {
		for _, n := range counts {
			end += n
		}
		return nil, end
	}
	displs = make([]int, len(counts))
	for _, i := range own.Perm(len(counts)) {
		displs[i] = end + own.IntN(3)
		end = displs[i] + counts[i]
	}
	return displs, end + own.IntN(3)
}

// content returns what a rank gives to another one.
func (d *dividedCall) content(start, from, to int) []byte {
	return content(d.id*100+start*7+from*3, to, d.lengths[from][to])
}

// column returns the lengths of the parts that go to a rank.
func (d *dividedCall) column(to int) (ns []int) {
	for _, row := range d.lengths {
		ns = append(ns, row[to])
	}
	return ns
}

// newDividedCall draws a call. rng is the same on all ranks.
func newDividedCall(rng, own *rand.Rand, k *collState, id, size, rank int) *dividedCall {
	var kinds map[collectives.Kind]described // none on one rank
	if k.async != nil {
		q := k.async.quick
		kinds = map[collectives.Kind]described{collectives.Gatherv: q.gatherv, collectives.Scatterv: q.scatterv, collectives.Alltoallv: q.alltoallv}
	}
	d := &dividedCall{kind: []collectives.Kind{collectives.Gatherv, collectives.Scatterv, collectives.Alltoallv}[rng.IntN(3)],
		root: rng.IntN(size), inPlace: rng.IntN(3) == 0, id: id, rank: rank}
	d.lengths = lengthsOf(rng, size, max(kinds[d.kind].share, 40), 9000, d.inPlace && d.kind == collectives.Alltoallv)
	switch d.kind {
	case collectives.Gatherv:
		d.gatherv(own)
	case collectives.Scatterv:
		d.scatterv(own)
	default:
		d.alltoallv(own)
	}
	return d
}

// part returns part i of a buffer.
func partBytes(buf []byte, counts, displs []int, i int) []byte {
	return portion(buf, counts, displs, i, 1)
}

func (d *dividedCall) gatherv(own *rand.Rand) {
	for i := range d.lengths { // only what goes to root counts
		d.lengths[i][0] = d.lengths[i][d.root]
	}
	atRoot := d.rank == d.root
	d.send = make([]byte, d.lengths[d.rank][d.root])
	if atRoot {
		d.rcounts = d.column(d.root)
		var end int
		d.rdispls, end = layOut(own, d.rcounts)
		d.recv = make([]byte, end)
	}
	d.fill = func(start int) {
		clear(d.recv)
		copy(d.send, d.content(start, d.rank, d.root))
		if atRoot && d.inPlace {
			copy(partBytes(d.recv, d.rcounts, d.rdispls, d.rank), d.send)
		}
	}
	d.want = func(start int) []byte {
		all := make([]byte, len(d.recv))
		for i := range d.rcounts {
			copy(partBytes(all, d.rcounts, d.rdispls, i), d.content(start, i, d.root))
		}
		return all
	}
	send := d.send
	if atRoot && d.inPlace && len(d.recv) > 0 {
		send = d.recv
	}
	d.begin = func(c *Comm) *Request { return Igatherv(c, send, d.recv, d.rcounts, d.rdispls, d.root) }
	d.init = func(c *Comm) (*Request, error) { return GathervInit(c, send, d.recv, d.rcounts, d.rdispls, d.root) }
}

func (d *dividedCall) scatterv(own *rand.Rand) {
	atRoot := d.rank == d.root
	d.recv = make([]byte, d.lengths[d.root][d.rank])
	if atRoot {
		d.scounts = d.lengths[d.root]
		var end int
		d.sdispls, end = layOut(own, d.scounts)
		d.send = make([]byte, end)
	}
	inPlace := atRoot && d.inPlace && len(d.send) > 0
	d.fill = func(start int) {
		clear(d.recv)
		for i := range d.scounts {
			copy(partBytes(d.send, d.scounts, d.sdispls, i), d.content(start, d.root, i))
		}
	}
	d.want = func(start int) []byte {
		if inPlace {
			return make([]byte, len(d.recv))
		}
		return d.content(start, d.root, d.rank)
	}
	recv := d.recv
	if inPlace {
		recv = d.send
	}
	d.begin = func(c *Comm) *Request { return Iscatterv(c, d.send, d.scounts, d.sdispls, recv, d.root) }
	d.init = func(c *Comm) (*Request, error) { return ScattervInit(c, d.send, d.scounts, d.sdispls, recv, d.root) }
}

func (d *dividedCall) alltoallv(own *rand.Rand) {
	d.scounts, d.rcounts = d.lengths[d.rank], d.column(d.rank)
	var end int
	d.rdispls, end = layOut(own, d.rcounts)
	d.recv = make([]byte, end)
	d.sdispls, end = layOut(own, d.scounts)
	d.send = make([]byte, end)
	if d.inPlace {
		d.scounts, d.sdispls, d.send = d.rcounts, d.rdispls, d.recv
	}
	d.fill = func(start int) {
		clear(d.recv)
		for i := range d.scounts {
			copy(partBytes(d.send, d.scounts, d.sdispls, i), d.content(start, d.rank, i))
		}
	}
	d.want = func(start int) []byte {
		all := make([]byte, len(d.recv))
		for i := range d.rcounts {
			copy(partBytes(all, d.rcounts, d.rdispls, i), d.content(start, i, d.rank))
		}
		return all
	}
	d.begin = func(c *Comm) *Request {
		return Ialltoallv(c, d.send, d.scounts, d.sdispls, d.recv, d.rcounts, d.rdispls)
	}
	d.init = func(c *Comm) (*Request, error) {
		return AlltoallvInit(c, d.send, d.scounts, d.sdispls, d.recv, d.rcounts, d.rdispls)
	}
}

// check compares what has arrived.
func (d *dividedCall) check(start int) error {
	if want := d.want(start); !bytes.Equal(d.recv, want) {
		return fmt.Errorf("%v %d, root %d, in place %t, lengths %v: rank %d has %v, not %v", d.kind, d.id, d.root, d.inPlace, d.lengths, d.rank, d.recv, want)
	}
	return nil
}

// dividedProgram makes some calls, several of them in flight, and ends them in any order.
func dividedProgram(c *Comm, seed uint64, rounds int) error {
	size, rank := c.Size(), c.Rank()
	own := rand.New(rand.NewPCG(seed, uint64(1+rank)))
	rng := rand.New(rand.NewPCG(seed, 0))
	id := 0
	for range rounds {
		persistent, starts := rng.IntN(2) == 0, 1+rng.IntN(4)
		var calls []*dividedCall
		var reqs []*Request
		for range 1 + rng.IntN(6) {
			d := newDividedCall(rng, own, &c.coll, id, size, rank)
			id++
			calls = append(calls, d)
			if !persistent {
				d.fill(0)
				reqs = append(reqs, d.begin(c))
				continue
			}
			r, err := d.init(c)
			if err != nil {
				return err
			}
			reqs = append(reqs, r)
		}
		if !persistent {
			starts = 1
		}
		for start := range starts {
			for _, i := range own.Perm(len(calls)) {
				if persistent {
					calls[i].fill(start)
					if err := reqs[i].Start(); err != nil {
						return err
					}
				}
			}
			if rng.IntN(3) == 0 { // beside them
				if err := Barrier(c); err != nil {
					return err
				}
			}
			for _, i := range own.Perm(len(calls)) {
				for own.IntN(3) == 0 {
					if _, done, err := reqs[i].Test(); err != nil {
						return err
					} else if done {
						break
					}
				}
				if _, err := reqs[i].Wait(); err != nil {
					return err
				}
				if err := calls[i].check(start); err != nil {
					return err
				}
			}
		}
		for _, r := range reqs {
			if persistent {
				if err := r.Free(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// MPI 4.1, sections 6.12.3, 6.12.4, 6.12.6 and 6.13: parts of any lengths in any places
// arrive, short and long ones in the same call, in place or not, in calls that are
// begun and started in any number, and ended in any order.
func TestPartsByFlagsAndByMessages(t *testing.T) {
	seeds := 30
	if testing.Short() {
		seeds = 4
	}
	for _, o := range []collectives.Options{{}, {Oversubscribed: true}, {Force: map[string]string{"gatherv": "linear"}}} {
		for _, size := range []int{1, 2, 3, 4, 5, 9} {
			ws, _ := worldsOf(t, size, o)
			for seed := range seeds {
				together(t, ws, func(_ int, c *Comm) error {
					if err := dividedProgram(c, uint64(seed), 8); err != nil {
						return fmt.Errorf("%d ranks, %+v, seed %d: %w", size, o, seed, err)
					}
					return nil
				})
			}
		}
	}
}

// MPI 4.1, section 6.12: calls are begun in the same order by all, and more may be in
// flight than have flags.
func TestManyPartsInFlight(t *testing.T) {
	ws, _ := worldsOf(t, 3, collectives.Options{})
	together(t, ws, func(rank int, c *Comm) error {
		rng, own := rand.New(rand.NewPCG(3, 3)), rand.New(rand.NewPCG(3, uint64(rank)))
		var calls []*dividedCall
		var reqs []*Request
		for id := range 3 * asyncWindow {
			d := newDividedCall(rng, own, &c.coll, id, c.Size(), rank)
			d.fill(0)
			calls, reqs = append(calls, d), append(reqs, d.begin(c))
		}
		order := own.Perm(len(calls))
		if rank == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			if _, err := reqs[i].Wait(); err != nil {
				return err
			}
			if err := calls[i].check(0); err != nil {
				return err
			}
		}
		return nil
	})
}
