package mpi

import (
	"slices"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A quick holds the exchanger for each operation on few bytes that goes past the
// group, whose general way costs as much again as the flags. It does what the
// algorithm "exchange" of the operation does; nil where another one is forced, or
// where there is no board. The ways past the group are open because operations that
// are not blocking have transports of their own, so none is ever started on the group.
type quick struct {
	barrier, bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall *exchanger
	reduce, allreduce, reduceScatterBlock, reduceScatter                                *exchanger
}

func (q *quick) init(x *exchanger, o collectives.Options, size int) {
	for kind, at := range map[collectives.Kind]**exchanger{
		collectives.Barrier: &q.barrier, collectives.Bcast: &q.bcast, collectives.Gather: &q.gather, collectives.Scatter: &q.scatter,
		collectives.Allgather: &q.allgather, collectives.Allgatherv: &q.allgatherv, collectives.Alltoall: &q.alltoall,
		collectives.Reduce: &q.reduce, collectives.Allreduce: &q.allreduce,
		collectives.ReduceScatterBlock: &q.reduceScatterBlock, collectives.ReduceScatter: &q.reduceScatter,
	} {
		if o.Exchanges(kind, size, ir.FlagBytes) {
			*at = x
		}
	}
	for kind, at := range map[collectives.Kind]**exchanger{collectives.Gatherv: &q.gatherv, collectives.Scatterv: &q.scatterv} {
		if o.Exchanges(kind, size, 0) { // as ranks choose that know their own part only
			*at = x
		}
	}
}

// short reports whether an exchange takes n bytes. None at all is not for it.
func short(n int) bool { return uint(n-1) < ir.FlagBytes }

func (k *collState) barrier() error {
	if k.quick.barrier != nil {
		return k.quick.barrier.Exchange(collectives.AllToAll, 0, nil, nil)
	}
	return k.group.Barrier()
}

func (k *collState) bcast(buf []byte, root int) error {
	if x := k.quick.bcast; x != nil && short(len(buf)) {
		return x.Exchange(collectives.FromRoot, root, buf, buf)
	}
	return k.group.Bcast(buf, root)
}

// gather is Gather of n bytes of each rank. out is nil except at root.
func (k *collState) gather(in, out []byte, n, root int) error {
	x := k.quick.gather
	if x == nil || !short(n) {
		return k.group.Gather(in, out, root)
	}
	if sameStart(in, out) {
		in = out[root*n:][:n]
	}
	return x.Exchange(collectives.ToRoot, root, in, out)
}

// giveOwn is Gatherv on a rank that is not root, and alone knows whether its part is short.
func (k *collState) giveOwn(in []byte, size, root int) error {
	x := k.quick.gatherv
	if x == nil || !collectives.Enclose(x.mine[:], in) {
		return k.group.Gatherv(in, nil, nil, nil, size, root)
	}
	k.group.Passed()
	return x.Exchange(collectives.ToRoot, root, x.mine[:], nil)
}

// giveAll is Scatterv at root, which alone knows whether the parts are short.
func (k *collState) giveAll(in []byte, counts, displs []int, out []byte, size int) error {
	x, root := k.quick.scatterv, k.t.c.rank
	if x == nil || !collectives.EncloseAll(x.mine[:], in, counts, displs, size, root) {
		return k.group.Scatterv(in, counts, displs, out, size, root)
	}
	k.group.Passed()
	err := x.Exchange(collectives.FromRoot, root, x.mine[:], nil)
	if err == nil && !sameStart(in, out) {
		copy(out, portion(in, counts, displs, root, size))
	}
	return err
}

func (k *collState) allgather(in, out []byte) error {
	x, n := k.quick.allgather, len(out)/k.t.c.size
	if x == nil || !short(n) {
		return k.group.Allgather(in, out)
	}
	if sameStart(in, out) {
		in = out[k.t.c.rank*n:][:n]
	}
	return x.Exchange(collectives.AllToAll, 0, in, out)
}

// allgatherv is Allgatherv of counts of elements of a size. All show as many bytes as the
// largest part has.
func (k *collState) allgatherv(in, out []byte, counts, displs []int, size int) error {
	x, n := k.quick.allgatherv, slices.Max(counts)*size
	if x == nil || !short(n) {
		return k.group.Allgatherv(in, out, counts, displs, size)
	}
	mine := x.mine[:n]
	if sameStart(in, out) {
		in = portion(out, counts, displs, k.t.c.rank, size)
	}
	copy(mine, in)
	all := view(x.short[:])[:n*k.t.c.size]
	if err := x.Exchange(collectives.AllToAll, 0, mine, all); err != nil {
		return err
	}
	for i := range counts {
		copy(portion(out, counts, displs, i, size), all[i*n:])
	}
	return nil
}

// portion is rank i's part of buf.
func portion(buf []byte, counts, displs []int, i, size int) []byte {
	if counts[i] == 0 {
		return nil // it lies nowhere
	}
	return buf[offset(counts, displs, i)*size:][:counts[i]*size]
}

func (k *collState) alltoall(in, out []byte) error {
	x, size := k.quick.alltoall, k.t.c.size
	if x == nil || !short(len(out)) {
		return k.group.Alltoall(in, out)
	}
	all := view(x.short[:])[:len(out)*size]
	if err := x.Exchange(collectives.AllToAll, 0, in, all); err != nil {
		return err
	}
	n := len(out) / size
	for i := range size {
		copy(out[i*n:(i+1)*n], all[i*len(out)+k.t.c.rank*n:])
	}
	return nil
}

// scatter is Scatter of n bytes for each rank. in is nil except at root.
func (k *collState) scatter(in, out []byte, n, root int) error {
	x := k.quick.scatter
	if x == nil || !short(n*k.t.c.size) {
		return k.group.Scatter(in, out, root)
	}
	mine := k.t.c.rank * n
	if k.t.c.rank != root {
		in = view(x.short[:])[:n*k.t.c.size]
	}
	err := x.Exchange(collectives.FromRoot, root, in, in)
	if err == nil && !sameStart(in, out) {
		copy(out, in[mine:mine+n])
	}
	return err
}

// reduce is Reduce. out is nil except at root.
func (k *collState) reduce(in, out []byte, r *reducer, root int) error {
	x := k.quick.reduce
	if x == nil || !short(len(in)) {
		return k.group.Reduce(in, out, r, root)
	}
	if k.t.c.rank != root {
		return x.Exchange(collectives.ToRoot, root, in, nil)
	}
	return x.combine(collectives.ToRoot, root, in, 0, out, r)
}

func (k *collState) allreduce(in, out []byte, r *reducer) error {
	if x := k.quick.allreduce; x != nil && short(len(in)) {
		return x.combine(collectives.AllToAll, 0, in, 0, out, r)
	}
	return k.group.Allreduce(in, out, r)
}

func (k *collState) reduceScatterBlock(in, out []byte, r *reducer) error {
	x, n := k.quick.reduceScatterBlock, len(in)/k.t.c.size
	if x == nil || !short(len(in)) {
		return k.group.ReduceScatterBlock(in, out, r)
	}
	return x.combine(collectives.AllToAll, 0, in, k.t.c.rank*n, out[:n], r)
}

func (k *collState) reduceScatter(in, out []byte, counts []int, r *reducer) error {
	x := k.quick.reduceScatter
	if x == nil || !short(slices.Max(counts)*r.size*len(counts)) {
		return k.group.ReduceScatter(in, out, counts, r)
	}
	rank := k.t.c.rank
	return x.combine(collectives.AllToAll, 0, in, offset(counts, nil, rank)*r.size, out[:counts[rank]*r.size], r)
}

// combine makes an exchange that brings everybody's contribution here, and combines
// as much of them as out takes, from a place on, in rank order: so all who do it get the same.
// in and out may begin at one place.
func (x *exchanger) combine(f collectives.Flow, root int, in []byte, from int, out []byte, r *reducer) error {
	n, size := len(in), x.c.size
	all := view(x.short[:])[:n*size]
	if err := x.Exchange(f, root, in, all); err != nil {
		return err
	}
	to := from + len(out)
	result := all[(size-1)*n:][from:to]
	for i := size - 2; i >= 0 && len(out) > 0; i-- {
		r.fold(all[i*n:][from:to], result)
	}
	copy(out, result)
	return nil
}
