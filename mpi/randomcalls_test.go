package mpi_test

import (
	"errors"
	"slices"

	"rhinet/mpi"
)

// The calls of random programs.

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
				return a.data(start, a.me(), 0, n) // no rank sends to it
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

// crossing is the number of elements from one rank to another, the same in both
// directions.
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

// neighbors draws a neighborhood call.
func (a *actor) neighbors(n int) *drawn {
	c, kind := a.c, a.rnd.IntN(5)
	length := func(from, at int) int {
		from = max(from, 0) // a part from beyond the end of a grid has any length
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
			each = n * a.peers // both sides contribute the same total
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
