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

// Random programs of collective calls. All ranks draw the same program: in each step a call of any
// kind on some communicator, blocking, nonblocking or persistent, with parts of any lengths in any places. What each rank must
// get follows from the numbers of step, start and rank alone.

// A drawn is a call with all its arguments, in its three forms.
type drawn struct {
	name  string
	block func() error
	begin func() *mpi.Request
	init  func() (*mpi.Request, error)
	fill  func(start int)       // puts into the buffers what a start needs
	check func(start int) error // what it has given
}

// An actor is a rank in a communicator of a random program.
type actor struct {
	c     *mpi.Comm
	step  int
	rnd   *rand.Rand
	near  int  // added to the numbers of the ranks that the caller is among
	far   int  // and to those of the ranks that it gets something from
	peers int  // how many these are
	topo  bool // has neighbors:
	arcs  []arc
	outs  int // how many get something from the caller
}

// An arc is a neighbor that the caller gets something from, whose part for the caller is its at-th.
type arc struct{ from, at int }

// data is what a rank gives in a start, as its part for number to.
func (a *actor) data(start, rank, to, n int) []int64 {
	return values(a.step*8+start, rank*64+to, n)
}

// A placing says where parts lie in a buffer: nil displs one after the other.
type placing struct {
	counts, displs []int
	total          int
}

// place draws places for parts of counts: packed, or in any order with gaps.
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

// buffer has the parts, and -1 in the gaps.
func (p placing) buffer(part func(i int) []int64) []int64 {
	b := slices.Repeat([]int64{-1}, p.total)
	for i := range p.counts {
		if part != nil {
			copy(b[p.at(i):], part(i))
		}
	}
	return b
}

// counts draws a length for each of those that the caller gets something from, which may be 0, and how
// much the caller gives. On an inter-communicator the ranks of both sides draw the same.
func (a *actor) counts(most int) (theirs []int, mine int) {
	c := make([]int, max(a.peers, a.c.Size()))
	for i := range c {
		if a.rnd.IntN(3) > 0 {
			c[i] = a.rnd.IntN(most + 1)
		}
	}
	return c[:a.peers], c[a.c.Rank()]
}

// even is n parts of one length.
func even(n, length int) placing {
	return placing{counts: slices.Repeat([]int{length}, n), total: n * length}
}

// refill fills and checks a buffer that must hold want.
func refill(buf []int64, from func(start int) []int64, want func(start int) []int64) (fill func(int), check func(int) error) {
	return func(start int) { copy(buf, from(start)) }, func(start int) error { return equalAll("buffer", buf, want(start)) }
}

// rooted is what a rank gives for the root, whether it is the root, and whether it takes part as one of the others.
type rooted struct {
	root      int
	is, other bool
}

// root draws one: of the ranks of an intra-communicator, or of one side of an inter-communicator.
func (a *actor) root() rooted {
	if !a.c.IsInter() {
		root := a.rnd.IntN(a.c.Size())
		return rooted{root, a.c.Rank() == root, true}
	}
	lower := a.rnd.IntN(2) == 0 // the root is of the side whose numbers begin at 0
	at := a.rnd.IntN(1 << 20)
	if lower != (a.near == 0) {
		return rooted{at % a.c.RemoteSize(), false, true}
	}
	if a.c.Rank() == at%a.c.Size() {
		return rooted{mpi.Root, true, false}
	}
	return rooted{mpi.ProcNull, false, false}
}

// me is the number of the caller.
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

func (a *actor) bcast(n int) *drawn {
	c, r := a.c, a.root()
	var sender int
	if sender = a.far + r.root; r.is {
		sender = a.me()
	}
	buf := make([]int64, n)
	d := &drawn{name: "Bcast", block: func() error { return mpi.Bcast(c, buf, r.root) }, begin: func() *mpi.Request { return mpi.Ibcast(c, buf, r.root) },
		init: func() (*mpi.Request, error) { return mpi.BcastInit(c, buf, r.root) }}
	d.fill, d.check = refill(buf,
		func(start int) []int64 { return a.data(start, a.me(), 0, n) },
		func(start int) []int64 {
			if !r.is && !r.other {
				return a.data(start, a.me(), 0, n) // nobody sends to it
			}
			return a.data(start, sender, 0, n)
		})
	return d
}

func (a *actor) gather(n int) *drawn {
	c, r := a.c, a.root()
	p, v := even(a.peers, n), a.rnd.IntN(2) == 0
	mine := n
	if v {
		var theirs []int
		theirs, mine = a.counts(n)
		p = a.place(theirs)
	}
	inPlace := a.rnd.IntN(2) == 0 && r.is && r.other && p.total > 0
	var all []int64
	counts, displs := p.counts, p.displs
	if r.is {
		all = make([]int64, p.total)
	} else {
		counts, displs = nil, nil
	}
	var send []int64
	if r.other {
		if send = make([]int64, mine); inPlace {
			send = all
		}
	}
	d := &drawn{name: "Gather", block: func() error { return mpi.Gather(c, send, all, r.root) }, begin: func() *mpi.Request { return mpi.Igather(c, send, all, r.root) },
		init: func() (*mpi.Request, error) { return mpi.GatherInit(c, send, all, r.root) }}
	if v {
		d = &drawn{name: "Gatherv", block: func() error { return mpi.Gatherv(c, send, all, counts, displs, r.root) },
			begin: func() *mpi.Request { return mpi.Igatherv(c, send, all, counts, displs, r.root) },
			init:  func() (*mpi.Request, error) { return mpi.GathervInit(c, send, all, counts, displs, r.root) }}
	}
	part := func(start, i int) []int64 { return a.data(start, a.far+i, 0, p.counts[i]) }
	d.fill = func(start int) {
		if r.is {
			copy(all, p.buffer(func(i int) []int64 {
				if inPlace && i == c.Rank() {
					return part(start, i)
				}
				return nil
			}))
		}
		if !inPlace {
			copy(send, a.data(start, a.me(), 0, mine))
		}
	}
	d.check = func(start int) error {
		if !r.is {
			return nil
		}
		return equalAll("gathered", all, p.buffer(func(i int) []int64 { return part(start, i) }))
	}
	return d
}

func (a *actor) scatter(n int) *drawn {
	c, r := a.c, a.root()
	p, v := even(a.peers, n), a.rnd.IntN(2) == 0
	mine := n
	if v {
		var theirs []int
		theirs, mine = a.counts(n)
		p = a.place(theirs)
	}
	inPlace := a.rnd.IntN(2) == 0 && r.is && r.other && p.total > 0
	var all, recv []int64
	counts, displs := p.counts, p.displs
	if r.is {
		all = make([]int64, p.total)
	} else {
		counts, displs = nil, nil
	}
	if r.other {
		if recv = make([]int64, mine); inPlace {
			recv = all
		}
	}
	d := &drawn{name: "Scatter", block: func() error { return mpi.Scatter(c, all, recv, r.root) }, begin: func() *mpi.Request { return mpi.Iscatter(c, all, recv, r.root) },
		init: func() (*mpi.Request, error) { return mpi.ScatterInit(c, all, recv, r.root) }}
	if v {
		d = &drawn{name: "Scatterv", block: func() error { return mpi.Scatterv(c, all, counts, displs, recv, r.root) },
			begin: func() *mpi.Request { return mpi.Iscatterv(c, all, counts, displs, recv, r.root) },
			init:  func() (*mpi.Request, error) { return mpi.ScattervInit(c, all, counts, displs, recv, r.root) }}
	}
	sender := a.far + r.root
	if r.is {
		sender = a.me()
	}
	whole := func(start int) []int64 {
		return p.buffer(func(i int) []int64 { return a.data(start, sender, i, p.counts[i]) })
	}
	d.fill = func(start int) {
		clear(recv)
		if r.is {
			copy(all, whole(start))
		}
	}
	d.check = func(start int) (err error) {
		if r.is {
			err = equalAll("scattered from", all, whole(start))
		}
		if r.other && !inPlace {
			err = errors.Join(err, equalAll("scattered", recv, a.data(start, sender, c.Rank(), mine)))
		}
		return err
	}
	return d
}

func (a *actor) allgather(n int) *drawn {
	c := a.c
	p, v := even(a.peers, n), a.rnd.IntN(2) == 0
	mine := n
	if v {
		var theirs []int
		theirs, mine = a.counts(n)
		p = a.place(theirs)
	}
	inPlace := a.rnd.IntN(2) == 0 && !c.IsInter() && p.total > 0
	all := make([]int64, p.total)
	send := all
	if !inPlace {
		send = make([]int64, mine)
	}
	d := &drawn{name: "Allgather", block: func() error { return mpi.Allgather(c, send, all) }, begin: func() *mpi.Request { return mpi.Iallgather(c, send, all) },
		init: func() (*mpi.Request, error) { return mpi.AllgatherInit(c, send, all) }}
	if v {
		d = &drawn{name: "Allgatherv", block: func() error { return mpi.Allgatherv(c, send, all, p.counts, p.displs) },
			begin: func() *mpi.Request { return mpi.Iallgatherv(c, send, all, p.counts, p.displs) },
			init:  func() (*mpi.Request, error) { return mpi.AllgathervInit(c, send, all, p.counts, p.displs) }}
	}
	part := func(start, i int) []int64 { return a.data(start, a.far+i, 0, p.counts[i]) }
	d.fill = func(start int) {
		copy(all, p.buffer(func(i int) []int64 {
			if inPlace && i == c.Rank() {
				return part(start, i)
			}
			return nil
		}))
		if !inPlace {
			copy(send, a.data(start, a.me(), 0, mine))
		}
	}
	d.check = func(start int) error {
		return equalAll("all gathered", all, p.buffer(func(i int) []int64 { return part(start, i) }))
	}
	return d
}

// crossing is how much goes from one rank to another, the same in both directions.
func crossing(key, n, a, b int) int { return (key + a*b + a + b) % 3 * n }

func (a *actor) alltoall(n int) *drawn {
	c, kind, key := a.c, a.rnd.IntN(3), a.rnd.IntN(3)
	out, in := even(a.peers, n), even(a.peers, n)
	if kind > 0 {
		counts := make([]int, a.peers)
		for i := range counts {
			counts[i] = crossing(key, n, a.c.Rank(), i)
		}
		out, in = a.place(counts), a.place(counts)
	}
	inPlace := kind < 2 && a.rnd.IntN(2) == 0 && !c.IsInter()
	recv := make([]int64, in.total)
	send := make([]int64, out.total)
	if inPlace = inPlace && in.total > 0; inPlace {
		send, out = recv, in
	}
	d := &drawn{name: "Alltoall", block: func() error { return mpi.Alltoall(c, send, recv) }, begin: func() *mpi.Request { return mpi.Ialltoall(c, send, recv) },
		init: func() (*mpi.Request, error) { return mpi.AlltoallInit(c, send, recv) }}
	switch kind {
	case 1:
		d = &drawn{name: "Alltoallv", block: func() error { return mpi.Alltoallv(c, send, out.counts, out.displs, recv, in.counts, in.displs) },
			begin: func() *mpi.Request {
				return mpi.Ialltoallv(c, send, out.counts, out.displs, recv, in.counts, in.displs)
			},
			init: func() (*mpi.Request, error) {
				return mpi.AlltoallvInit(c, send, out.counts, out.displs, recv, in.counts, in.displs)
			}}
	case 2:
		sp, rp := cutParts(send, out), cutParts(recv, in)
		d = &drawn{name: "Alltoallw", block: func() error { return mpi.Alltoallw(c, sp, rp) }, begin: func() *mpi.Request { return mpi.Ialltoallw(c, sp, rp) },
			init: func() (*mpi.Request, error) { return mpi.AlltoallwInit(c, sp, rp) }}
	}
	d.fill = func(start int) {
		copy(recv, in.buffer(nil))
		copy(send, out.buffer(func(i int) []int64 { return a.data(start, a.me(), i, out.counts[i]) }))
	}
	d.check = func(start int) error {
		return equalAll("exchanged", recv, in.buffer(func(i int) []int64 { return a.data(start, a.far+i, c.Rank(), in.counts[i]) }))
	}
	return d
}

func cutParts(buf []int64, p placing) (parts []mpi.Part) {
	for i, n := range p.counts {
		parts = append(parts, mpi.PartOf(buf[p.at(i):][:n]))
	}
	return parts
}

// neighbors draws a call to neighbors.
func (a *actor) neighbors(n int) *drawn {
	c, kind := a.c, a.rnd.IntN(5)
	length := func(from, at int) int {
		from = max(from, 0) // what would come from beyond the end of a grid has any length
		switch kind {
		case 0, 2:
			return n // the same for all
		case 1:
			return (from + a.step) % 3 * n // of each rank
		}
		return (from + at + a.step) % 3 * n
	}
	places := func(counts []int) placing {
		if kind == 0 || kind == 2 {
			return even(len(counts), n)
		}
		return a.place(counts)
	}
	var rcounts, scounts []int
	for _, e := range a.arcs {
		rcounts = append(rcounts, length(e.from, e.at))
	}
	for k := range a.outs {
		scounts = append(scounts, length(c.Rank(), k))
	}
	if kind < 2 {
		scounts = []int{length(c.Rank(), 0)}
	}
	in, out := places(rcounts), places(scounts)
	if kind < 2 {
		out = even(1, scounts[0])
	}
	recv, send := make([]int64, in.total), make([]int64, out.total)
	var d *drawn
	switch kind {
	case 0:
		d = &drawn{name: "NeighborAllgather", block: func() error { return mpi.NeighborAllgather(c, send, recv) }, begin: func() *mpi.Request { return mpi.IneighborAllgather(c, send, recv) },
			init: func() (*mpi.Request, error) { return mpi.NeighborAllgatherInit(c, send, recv) }}
	case 1:
		d = &drawn{name: "NeighborAllgatherv", block: func() error { return mpi.NeighborAllgatherv(c, send, recv, in.counts, in.displs) },
			begin: func() *mpi.Request { return mpi.IneighborAllgatherv(c, send, recv, in.counts, in.displs) },
			init:  func() (*mpi.Request, error) { return mpi.NeighborAllgathervInit(c, send, recv, in.counts, in.displs) }}
	case 2:
		d = &drawn{name: "NeighborAlltoall", block: func() error { return mpi.NeighborAlltoall(c, send, recv) }, begin: func() *mpi.Request { return mpi.IneighborAlltoall(c, send, recv) },
			init: func() (*mpi.Request, error) { return mpi.NeighborAlltoallInit(c, send, recv) }}
	case 3:
		d = &drawn{name: "NeighborAlltoallv", block: func() error {
			return mpi.NeighborAlltoallv(c, send, out.counts, out.displs, recv, in.counts, in.displs)
		},
			begin: func() *mpi.Request {
				return mpi.IneighborAlltoallv(c, send, out.counts, out.displs, recv, in.counts, in.displs)
			},
			init: func() (*mpi.Request, error) {
				return mpi.NeighborAlltoallvInit(c, send, out.counts, out.displs, recv, in.counts, in.displs)
			}}
	default:
		sp, rp := cutParts(send, out), cutParts(recv, in)
		d = &drawn{name: "NeighborAlltoallw", block: func() error { return mpi.NeighborAlltoallw(c, sp, rp) }, begin: func() *mpi.Request { return mpi.IneighborAlltoallw(c, sp, rp) },
			init: func() (*mpi.Request, error) { return mpi.NeighborAlltoallwInit(c, sp, rp) }}
	}
	d.fill = func(start int) {
		copy(recv, in.buffer(nil))
		copy(send, out.buffer(func(i int) []int64 { return a.data(start, c.Rank(), i, out.counts[i]) }))
	}
	d.check = func(start int) error {
		return equalAll("from neighbors", recv, in.buffer(func(i int) []int64 {
			e := a.arcs[i]
			if e.from < 0 {
				return nil // beyond the end of a grid
			}
			if kind < 2 {
				return a.data(start, e.from, 0, in.counts[i])
			}
			return a.data(start, e.from, e.at, in.counts[i])
		}))
	}
	return d
}

// reduction draws a reduction, by an operation that does not commute.
func (a *actor) reduction(n int) *drawn {
	c, op, inter := a.c, mpi.OpFunc(compose), a.c.IsInter()
	kind := a.rnd.IntN(6)
	if inter {
		kind %= 4
	}
	key := func(start int) int { return a.step*8 + start }
	inPlace := a.rnd.IntN(2) == 0 && !inter && n > 0
	length, gets := n, n
	counts, _ := a.counts(n)
	first := 0
	switch kind {
	case 2:
		each := n
		if inter {
			each = n * a.peers // both sides give as much in all
		}
		length, gets, first = each*c.Size(), each, each*c.Rank()
	case 3:
		if inter {
			counts = slices.Repeat([]int{n * a.peers}, c.Size())
		}
		length, gets, first = sum(counts), counts[c.Rank()], sum(counts[:c.Rank()])
	}
	in := make([]affine, length)
	out := make([]affine, gets)
	if inPlace = inPlace && length > 0; inPlace {
		out = in
	}
	var d *drawn
	r := rooted{0, true, true}
	if kind == 0 {
		r = a.root()
	}
	if inter && kind == 0 && r.is {
		in = nil
	}
	switch kind {
	case 0:
		d = &drawn{name: "Reduce", block: func() error { return mpi.Reduce(c, in, out, op, r.root) }, begin: func() *mpi.Request { return mpi.Ireduce(c, in, out, op, r.root) },
			init: func() (*mpi.Request, error) { return mpi.ReduceInit(c, in, out, op, r.root) }}
	case 1:
		d = &drawn{name: "Allreduce", block: func() error { return mpi.Allreduce(c, in, out, op) }, begin: func() *mpi.Request { return mpi.Iallreduce(c, in, out, op) },
			init: func() (*mpi.Request, error) { return mpi.AllreduceInit(c, in, out, op) }}
	case 2:
		d = &drawn{name: "ReduceScatterBlock", block: func() error { return mpi.ReduceScatterBlock(c, in, out, op) }, begin: func() *mpi.Request { return mpi.IreduceScatterBlock(c, in, out, op) },
			init: func() (*mpi.Request, error) { return mpi.ReduceScatterBlockInit(c, in, out, op) }}
	case 3:
		d = &drawn{name: "ReduceScatter", block: func() error { return mpi.ReduceScatter(c, in, out, counts, op) }, begin: func() *mpi.Request { return mpi.IreduceScatter(c, in, out, counts, op) },
			init: func() (*mpi.Request, error) { return mpi.ReduceScatterInit(c, in, out, counts, op) }}
	case 4:
		d = &drawn{name: "Scan", block: func() error { return mpi.Scan(c, in, out, op) }, begin: func() *mpi.Request { return mpi.Iscan(c, in, out, op) },
			init: func() (*mpi.Request, error) { return mpi.ScanInit(c, in, out, op) }}
	default:
		d = &drawn{name: "Exscan", block: func() error { return mpi.Exscan(c, in, out, op) }, begin: func() *mpi.Request { return mpi.Iexscan(c, in, out, op) },
			init: func() (*mpi.Request, error) { return mpi.ExscanInit(c, in, out, op) }}
	}
	d.fill = func(start int) {
		clear(out)
		copy(in, affines(key(start), a.me(), len(in)))
	}
	d.check = func(start int) error {
		last := a.peers - 1
		switch {
		case !r.is, kind == 5 && c.Rank() == 0:
			return nil
		case kind == 4:
			last = c.Rank()
		case kind == 5:
			last = c.Rank() - 1
		}
		return equalAll("combined", out[:gets], folded(key(start), a.far, a.far+last, length)[first:first+gets])
	}
	return d
}

// A company is a communicator of a random program, as the caller knows it.
type company struct {
	actor
	name string
}

// companies makes the communicators: the world, two parts of it and what leads from one to the other,
// a grid, and a graph with edges of all kinds.
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

// A program is what a rank has begun of one.
type program struct {
	own   *rand.Rand
	reqs  []*mpi.Request
	under []func() error
}

// finish completes what is under way, in any order and by any call, and checks it.
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

// do carries out one call, in the form that the ranks have drawn.
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

// randomCalls is a random program.
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

// programSeeds is how many programs are tried on each transport: go test ./mpi -run RandomCollective -programs 1000.
var programSeeds = flag.Int("programs", 3, "random programs of collective calls on each transport")

// MPI 4.1, chapters 6 and 8: on any number of ranks and any transport, any sequence of collective calls in their three forms
// gives what the standard says, with parts of any lengths in any places.
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
