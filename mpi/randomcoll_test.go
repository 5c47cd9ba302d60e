package mpi_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Random programs of collective calls. All ranks draw the same program: in each step a
// call of any kind on some communicator, blocking, nonblocking or persistent, with
// parts of any lengths in any places. The results at each rank follow from the numbers
// of step, start and rank alone.

// A drawn is a call with all its arguments, in its three forms.
type drawn struct {
	name  string
	block func() error
	begin func() *mpi.Request
	init  func() (*mpi.Request, error)
	fill  func(start int)       // fills the buffers for a start
	check func(start int) error // checks the results
}

// An actor is a rank in a communicator of a random program.
type actor struct {
	c     *mpi.Comm
	step  int
	rnd   *rand.Rand
	near  int  // added to the ranks of the caller's side
	far   int  // added to the ranks that it receives from
	peers int  // number of ranks that it receives from
	topo  bool // has neighbors:
	arcs  []arc
	outs  int // number of ranks that receive from the caller
}

// An arc is a neighbor that the caller receives from; the part for the caller is the
// neighbor's at-th.
type arc struct{ from, at int }

// data returns the contribution of a rank in a start, as its part for number to.
func (a *actor) data(start, rank, to, n int) []int64 {
	return values(a.step*8+start, rank*64+to, n)
}

// A placing says where parts are in a buffer; with nil displs they follow each other.
type placing struct {
	counts, displs []int
	total          int
}

// place draws a placing of parts with counts: packed, or in any order with gaps.
func (a *actor) place(counts []int) placing {
	p := placing{counts: counts}
	packed, order := a.rnd.IntN(3) == 0, a.rnd.Perm(len(counts))
	if packed {
		p.total = sum(counts)
		return p
	}
	p.displs = make([]int, len(counts))
	for _, i := range order {
		p.total += a.rnd.IntN(3)
		p.displs[i] = p.total
		p.total += counts[i]
	}
	p.total += a.rnd.IntN(3)
	return p
}

func (p placing) at(i int) int {
	if p.displs == nil {
		return sum(p.counts[:i])
	}
	return p.displs[i]
}

// buffer returns a buffer with the parts, and -1 in the gaps.
func (p placing) buffer(part func(i int) []int64) []int64 {
	b := slices.Repeat([]int64{-1}, p.total)
	for i := range p.counts {
		if part != nil {
			copy(b[p.at(i):], part(i))
		}
	}
	return b
}

// counts draws a length, possibly 0, for each rank that the caller receives from, and
// the length of the caller's contribution. On an inter-communicator the ranks of both
// sides draw the same.
func (a *actor) counts(most int) (theirs []int, mine int) {
	c := make([]int, max(a.peers, a.c.Size()))
	for i := range c {
		if a.rnd.IntN(3) > 0 {
			c[i] = a.rnd.IntN(most + 1)
		}
	}
	return c[:a.peers], c[a.c.Rank()]
}

// even returns n parts of one length.
func even(n, length int) placing {
	return placing{counts: slices.Repeat([]int{length}, n), total: n * length}
}

// refill fills and checks a buffer that must hold want.
func refill(buf []int64, from func(start int) []int64, want func(start int) []int64) (fill func(int), check func(int) error) {
	return func(start int) { copy(buf, from(start)) }, func(start int) error { return equalAll("buffer", buf, want(start)) }
}

// A rooted is what a rank passes as root, whether it is the root, and whether it takes
// part as one of the others.
type rooted struct {
	root      int
	is, other bool
}

// root draws a root: among the ranks of an intra-communicator, or among one side of an
// inter-communicator.
func (a *actor) root() rooted {
	if !a.c.IsInter() {
		root := a.rnd.IntN(a.c.Size())
		return rooted{root, a.c.Rank() == root, true}
	}
	lower := a.rnd.IntN(2) == 0 // the root is on the side whose numbers begin at 0
	at := a.rnd.IntN(1 << 20)
	if lower != (a.near == 0) {
		return rooted{at % a.c.RemoteSize(), false, true}
	}
	if a.c.Rank() == at%a.c.Size() {
		return rooted{mpi.Root, true, false}
	}
	return rooted{mpi.ProcNull, false, false}
}

// me returns the number of the caller.
func (a *actor) me() int { return a.near + a.c.Rank() }

// draw draws a call.
func (a *actor) draw() *drawn {
	n := []int{0, 1, 1, 5, 80, 700}[a.rnd.IntN(6)]
	switch {
	case a.topo && a.rnd.IntN(3) > 0:
		return a.neighbors(n)
	case a.rnd.IntN(3) == 0:
		return a.reduction(n)
	}
	switch a.rnd.IntN(6) {
	case 0:
		return a.bcast(n)
	case 1:
		return a.gather(n)
	case 2:
		return a.scatter(n)
	case 3:
		return a.allgather(n)
	default:
		return a.alltoall(n)
	}
}

// A company is a communicator of a random program, as the caller knows it.
type company struct {
	actor
	name string
}

// companies makes the communicators: the world, two parts of it and an
// inter-communicator between them, a grid, and a graph with edges of all kinds.
func companies(w *mpi.Comm, rnd *rand.Rand) (all []*company, err error) {
	add := func(name string, a actor) { all = append(all, &company{a, name}) }
	intra := func(c *mpi.Comm) actor { return actor{c: c, peers: c.Size()} }
	add("world", intra(w))
	cut := 1 + rnd.IntN(max(1, w.Size()-1))
	low := w.Rank() < cut
	side := 0
	if !low {
		side = 1
	}
	part, err := w.Split(side, -w.Rank())
	if err != nil {
		return nil, err
	}
	add("part", intra(part))
	if w.Size() > 1 {
		remote := cut // the leader of each side is the last of it in the world, the first by the key
		if remote = w.Size() - 1; !low {
			remote = cut - 1
		}
		inter, err := part.IntercommCreate(0, w, remote, 3)
		if err != nil {
			return nil, err
		}
		a := actor{c: inter, peers: inter.RemoteSize(), far: 100}
		if !low {
			a.near, a.far = 100, 0
		}
		add("inter", a)
	}
	grid, err := gridOf(w, rnd)
	if err != nil {
		return nil, err
	}
	add("grid", *grid)
	graph, err := graphOf(w, rnd)
	if err != nil {
		return nil, err
	}
	add("graph", *graph)
	return all, nil
}

func gridOf(w *mpi.Comm, rnd *rand.Rand) (*actor, error) {
	dims := make([]int, 1+rnd.IntN(3))
	periods := make([]bool, len(dims))
	for i := range periods {
		periods[i] = rnd.IntN(2) == 0
	}
	if err := mpi.DimsCreate(w.Size(), dims); err != nil {
		return nil, err
	}
	c, err := w.CartCreate(dims, periods)
	if err != nil {
		return nil, err
	}
	a := &actor{c: c, peers: c.Size(), topo: true, outs: 2 * len(dims)}
	for d := range dims {
		below, above, err := c.CartShift(d, 1)
		if err != nil {
			return nil, err
		}
		a.arcs = append(a.arcs, arc{below, 2*d + 1}, arc{above, 2 * d})
	}
	return a, nil
}

func graphOf(w *mpi.Comm, rnd *rand.Rand) (*actor, error) {
	var in, out []mpi.Edge
	a := new(actor)
	outs, seen := make([]int, w.Size()), map[[2]int][]int{} // place of each edge among those of its source
	for range 3 * w.Size() {
		e := mpi.Edge{Source: rnd.IntN(w.Size()), Dest: rnd.IntN(w.Size()), Weight: rnd.IntN(5)}
		pair := [2]int{e.Source, e.Dest}
		seen[pair] = append(seen[pair], outs[e.Source])
		outs[e.Source]++
		if e.Source == w.Rank() {
			out = append(out, e)
		}
		if e.Dest == w.Rank() {
			in = append(in, e)
			a.arcs = append(a.arcs, arc{e.Source, seen[pair][len(seen[pair])-1]})
		}
	}
	a.outs = len(out)
	c, err := w.DistGraphCreateAdjacent(in, out)
	a.c, a.peers, a.topo = c, w.Size(), true
	return a, err
}

// A program is the calls of a random program that a rank has begun.
type program struct {
	own   *rand.Rand
	reqs  []*mpi.Request
	under []func() error
}

// finish completes the calls in progress, in any order and by any call, and checks
// them.
func (p *program) finish() error {
	if err := complete(p.own, p.reqs); err != nil {
		return err
	}
	for _, check := range p.under {
		if err := check(); err != nil {
			return err
		}
	}
	p.reqs, p.under = nil, nil
	return nil
}

// do makes one call, in the form that the ranks have drawn.
func (p *program) do(d *drawn, form, starts int) (err error) {
	switch form {
	case 0:
		d.fill(0)
		if err = d.block(); err == nil {
			err = d.check(0)
		}
	case 1:
		d.fill(0)
		p.reqs = append(p.reqs, d.begin())
		p.under = append(p.under, func() error { return d.check(0) })
	default:
		var r *mpi.Request
		if r, err = d.init(); err != nil {
			return err
		}
		for start := range starts {
			d.fill(start)
			if err = r.Start(); err == nil {
				_, err = r.Wait()
			}
			if err == nil {
				err = d.check(start)
			}
			if err != nil {
				return err
			}
		}
		err = r.Free()
	}
	return err
}

// randomCalls runs a random program.
func randomCalls(w *mpi.Comm, seed uint64, steps int) error {
	all, err := companies(w, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		return err
	}
	p := &program{own: rand.New(rand.NewPCG(seed, 2+uint64(w.Rank())))}
	for step := range steps {
		rnd := rand.New(rand.NewPCG(seed, 1000+uint64(step)))
		on, form, starts := all[rnd.IntN(len(all))], rnd.IntN(3), 1+rnd.IntN(3)
		a := on.actor
		a.step, a.rnd = step, rnd
		d := a.draw()
		if err = p.do(d, form, starts); err == nil && (len(p.reqs) > 4 || p.own.IntN(4) == 0) {
			err = p.finish()
		}
		if err != nil {
			return fmt.Errorf("seed %d, step %d, %s on %s of %d ranks, form %d: %w", seed, step, d.name, on.name, w.Size(), form, err)
		}
	}
	if err := p.finish(); err != nil {
		return fmt.Errorf("seed %d, the end: %w", seed, err)
	}
	for _, on := range all[1:] {
		err = errors.Join(err, on.c.Free())
	}
	return err
}

// programSeeds is how many programs are tried on each transport: go test ./mpi -run
// RandomCollective -programs 1000.
var programSeeds = flag.Int("programs", 3, "random programs of collective calls on each transport")

// MPI 4.1, chapters 6 and 8: on any number of ranks and any transport, any sequence of
// collective calls in their three forms gives the results of the standard, with parts
// of any lengths in any places.
func TestRandomCollectivePrograms(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for k := range 2 {
			tr := transports[(2*n+k)%len(transports)]
			t.Run(fmt.Sprintf("%s/%d", tr.name, n), func(t *testing.T) {
				for seed := range uint64(*programSeeds) {
					mpitest.Run(t, n, func(w *mpi.Comm) error { return randomCalls(w, seed+uint64(100*n), 60) }, tr.option)
				}
			})
		}
	}
}
