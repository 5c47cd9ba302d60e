package mpi

import (
	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A quick holds the exchanger for each operation on few bytes that goes past the
// group, whose general way costs as much again as the flags. It does what the
// algorithm "exchange" of the operation does; nil where another one is forced, or
// where there is no board. The ways past the group are open because operations that
// are not blocking have transports of their own, so none is ever started on the group.
type quick struct{ barrier, bcast, gather, scatter, reduce, allreduce *exchanger }

func (q *quick) init(x *exchanger, force map[string]string) {
	for kind, at := range map[collectives.Kind]**exchanger{
		collectives.Barrier: &q.barrier, collectives.Bcast: &q.bcast, collectives.Gather: &q.gather,
		collectives.Scatter: &q.scatter, collectives.Reduce: &q.reduce, collectives.Allreduce: &q.allreduce,
	} {
		if name := force[kind.String()]; name == "" || name == "exchange" {
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
	return x.combine(collectives.ToRoot, root, in, out, r)
}

func (k *collState) allreduce(in, out []byte, r *reducer) error {
	if x := k.quick.allreduce; x != nil && short(len(in)) {
		return x.combine(collectives.AllToAll, 0, in, out, r)
	}
	return k.group.Allreduce(in, out, r)
}

// combine makes an exchange that brings everybody's contribution here, and combines
// them in rank order: so all who do it get the same. in and out may be one.
func (x *exchanger) combine(f collectives.Flow, root int, in, out []byte, r *reducer) error {
	n, size := len(in), x.c.size
	all := view(x.short[:])[:n*size]
	if err := x.Exchange(f, root, in, all); err != nil {
		return err
	}
	result := all[(size-1)*n:]
	for i := size - 2; i >= 0; i-- {
		r.fold(all[i*n:(i+1)*n], result)
	}
	copy(out, result)
	return nil
}
