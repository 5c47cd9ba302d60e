package mpi

import (
	"slices"

	"rhinet/collectives"
	"rhinet/internal/vec"
)

// A quick holds the exchanger for each operation on few bytes that bypasses the group,
// whose general path costs as much again as the flags. It does the same as the
// algorithm "exchange" of the operation; nil where another algorithm is forced, or
// where there is no flag array. Bypassing the group is possible because nonblocking
// operations have their own transports, so none is ever started on the group.
type quick struct {
	barrier                                                 *exchanger
	gatherv, scatterv, alltoallv                            described
	bcast, gather, scatter, allgather, allgatherv, alltoall shortcut
	reduce, allreduce, reduceScatterBlock, reduceScatter    shortcut

	scan, exscan shortcut // for nonblocking calls; blocking ones use the group

	oversubscribed bool
}

// A shortcut is the exchanger for calls of an operation in which ranks send 1 to most
// bytes.
type shortcut struct {
	x    *exchanger
	most uint // 0: no shortcut
}

// takes reports whether a call in which ranks send n bytes takes the shortcut.
func (s *shortcut) takes(n int) bool { return uint(n-1) < s.most }

// A described holds the exchanger for calls of an operation in which each rank knows
// only a part of the counts, so that flags describe what they hold.
type described struct {
	x     *exchanger // nil: other algorithms are used
	room  int        // bytes that a flag holds in a call that does not block
	share int        // longest part that goes by flags in such a call: however many do, they fit; 0: none does
}

func (d *described) init(x *exchanger, kind collectives.Kind, room, size int) {
	d.x, d.room = x, room
	switch {
	case size == 1:
	case kind == collectives.Gatherv:
		d.share = room - collectives.Head(1)
	case room >= collectives.Head(size):
		d.share = (room - collectives.Head(size)) / (size - 1)
	}
}

// The largest contribution of a rank to a blocking call that goes by flags: 2 KiB, and a
// description of whose parts are where. A rank that waits reads more bytes sooner from
// packets. Where ranks share processors it is 1 KiB: the flags of a lap are so many
// there that longer ones do not stay in the cache.
const (
	shortBytes  = 2112
	sharedBytes = 1088
)

// init has calls go by the flags of x, if each rank has up to most(kind) bytes for them.
func (q *quick) init(x *exchanger, o collectives.Options, size int, most func(collectives.Kind) int) {
	q.oversubscribed = o.Oversubscribed
	for kind, at := range map[collectives.Kind]*shortcut{
		collectives.Bcast: &q.bcast, collectives.Gather: &q.gather, collectives.Scatter: &q.scatter,
		collectives.Allgather: &q.allgather, collectives.Allgatherv: &q.allgatherv, collectives.Alltoall: &q.alltoall,
		collectives.Reduce: &q.reduce, collectives.Allreduce: &q.allreduce,
		collectives.ReduceScatterBlock: &q.reduceScatterBlock, collectives.ReduceScatter: &q.reduceScatter,
		collectives.Scan: &q.scan, collectives.Exscan: &q.exscan,
	} {
		*at = shortcut{x, uint(max(most(kind), 0))}
	}
	if most(collectives.Barrier) >= 0 {
		q.barrier = x
	}
	for kind, at := range map[collectives.Kind]*described{collectives.Gatherv: &q.gatherv, collectives.Scatterv: &q.scatterv, collectives.Alltoallv: &q.alltoallv} {
		if n := most(kind); n >= 0 {
			at.init(x, kind, n, size)
		}
	}
}

func (k *collState) barrier() error {
	if k.quick.barrier != nil {
		return k.quick.barrier.Exchange(collectives.AllToAll, 0, nil, nil)
	}
	return k.group.Barrier()
}

func (k *collState) bcast(buf []byte, root int) error {
	if root == k.t.c.rank {
		k.x.gave()
		k.uses(buf, nil)
	} else {
		k.uses(nil, buf)
	}
	if q := &k.quick.bcast; q.takes(len(buf)) {
		return q.x.Exchange(collectives.FromRoot, root, buf, buf)
	}
	return k.group.Bcast(buf, root)
}

// gather is Gather of n bytes from each rank. out is nil except at root.
func (k *collState) gather(in, out []byte, n, root int) error {
	k.uses(in, out)
	q := &k.quick.gather
	if !q.takes(n) {
		return k.group.Gather(in, out, root)
	}
	if sameStart(in, out) {
		in = out[root*n:][:n]
	}
	return q.x.Exchange(collectives.ToRoot, root, in, out)
}

// giveOwn is Gatherv on a rank other than root; only this rank knows whether its part
// is short.
func (k *collState) giveOwn(in []byte, size, root int) error {
	k.uses(in, nil)
	x, n := k.quick.gatherv.x, 0
	if x != nil {
		n = collectives.Enclose(x.mine, in)
	}
	if n == 0 {
		return k.group.Gatherv(in, nil, nil, nil, size, root)
	}
	k.group.Passed()
	return x.Exchange(collectives.ToRoot, root, x.mine[:n], nil)
}

// takeAll is Gatherv at root, where out has the length that the counts need. The other
// ranks show their parts, or announce messages.
func (k *collState) takeAll(in, out []byte, counts, displs []int, size int) error {
	k.takes(in, out)
	x, root := k.quick.gatherv.x, k.t.c.rank
	if x == nil {
		return k.group.Gatherv(in, out, counts, displs, size, root)
	}
	k.group.Passed()
	if err := x.Exchange(collectives.ToRoot, root, x.place(root), x.places()); err != nil {
		return err
	}
	if sameStart(in, out) {
		in = k.gathered.of(out, root)
	}
	return k.disclose(x, out, in, 0)
}

// disclose puts each rank's part into out, as gathered says: this rank's own, and of the
// others what descriptor number at of what they have shown names.
func (k *collState) disclose(x *exchanger, out, own []byte, at int) (err error) {
	mine := x.c.rank
	vec.Fill(k.gathered.of(out, mine), own)
	for rank := range k.gathered.parts {
		if rank != mine {
			if e := k.group.Disclose(k.gathered.of(out, rank), x.place(rank), at, rank); err == nil {
				err = e
			}
		}
	}
	return err
}

// enclose writes the parts of in for all other ranks into what this rank shows, and
// returns its length, 0 if it does not fit.
func (x *exchanger) enclose(in []byte, d *division) int {
	end, own := collectives.Head(len(d.parts)), x.c.rank
	if end+d.bytes-d.parts[own].n > len(x.mine) {
		return 0
	}
	for i, p := range d.parts {
		if i != own {
			end = collectives.Insert(x.mine, i, end, in[p.at:][:p.n])
		}
	}
	return end
}

// takeOwn is Scatterv on a rank other than root. Root shows all parts, or announces
// messages.
func (k *collState) takeOwn(out []byte, size, root int) error {
	k.uses(nil, out)
	x := k.quick.scatterv.x
	if x == nil {
		return k.group.Scatterv(nil, nil, nil, out, size, root)
	}
	k.group.Passed()
	shown := x.place(0)
	if err := x.Exchange(collectives.FromRoot, root, nil, shown); err != nil {
		return err
	}
	return k.group.Disclose(out, shown, k.t.c.rank, root)
}

// giveAll is Scatterv at root; only root knows whether the parts are short.
func (k *collState) giveAll(in []byte, counts, displs []int, out []byte, size int) error {
	if k.usesParts(in, &k.scattered, false); !sameStart(in, out) {
		k.uses(nil, out)
	}
	k.x.gave()
	x, n, root := k.quick.scatterv.x, 0, k.t.c.rank
	if x != nil {
		n = x.enclose(in, &k.scattered)
	}
	if n == 0 {
		return k.group.Scatterv(in, counts, displs, out, size, root)
	}
	k.group.Passed()
	err := x.Exchange(collectives.FromRoot, root, x.mine[:n], nil)
	if err == nil && !sameStart(in, out) {
		copy(out, k.scattered.of(in, root))
	}
	return err
}

func (k *collState) allgather(in, out []byte) error {
	k.uses(in, out)
	q, n := &k.quick.allgather, len(out)/k.t.c.size
	if !q.takes(n) {
		return k.group.Allgather(in, out)
	}
	if sameStart(in, out) {
		in = out[k.t.c.rank*n:][:n]
	}
	return q.x.Exchange(collectives.AllToAll, 0, in, out)
}

// allgatherv is Allgatherv with counts in elements of size bytes. All ranks show as
// many bytes as the largest part has.
func (k *collState) allgatherv(in, out []byte, counts, displs []int, size int) error {
	k.takes(in, out)
	q, n := &k.quick.allgatherv, slices.Max(counts)*size
	if !q.takes(n) {
		return k.group.Allgatherv(in, out, counts, displs, size)
	}
	x := q.x
	if sameStart(in, out) {
		in = portion(out, counts, displs, k.t.c.rank, size)
	}
	if regular(counts, displs) {
		return x.Exchange(collectives.AllToAll, 0, in, out[:n*len(counts)])
	}
	mine := x.mine[:n]
	copy(mine, in)
	all := view(x.short)[:n*k.t.c.size]
	if err := x.Exchange(collectives.AllToAll, 0, mine, all); err != nil {
		return err
	}
	for i := range counts {
		copy(portion(out, counts, displs, i, size), all[i*n:])
	}
	return nil
}

// regular reports whether the parts have equal lengths and follow each other.
func regular(counts, displs []int) bool {
	for i, n := range counts {
		if n != counts[0] || displs != nil && displs[i] != i*n {
			return false
		}
	}
	return true
}

// portion returns rank i's part of buf.
func portion(buf []byte, counts, displs []int, i, size int) []byte {
	if counts[i] == 0 {
		return nil // it has no place
	}
	return buf[offset(counts, displs, i)*size:][:counts[i]*size]
}

func (k *collState) alltoall(in, out []byte) error {
	k.uses(in, out)
	q, size, rank := &k.quick.alltoall, k.t.c.size, k.t.c.rank
	n := len(out) / size
	if !q.takes(n * (size - 1)) {
		return k.group.Alltoall(in, out)
	}
	x := q.x
	if size == 2 && !sameStart(in, out) {
		err := x.Exchange(collectives.AllToAll, 0, in[(1-rank)*n:][:n], out)
		copy(out[rank*n:][:n], in[rank*n:]) // where the exchange has put what this rank gives
		return err
	}
	give := others(x.mine, in, n, rank)
	all := view(x.short)[:len(give)*size]
	if err := x.Exchange(collectives.AllToAll, 0, give, all); err != nil {
		return err
	}
	for i := range size {
		if i != rank {
			copy(out[i*n:][:n], all[i*len(give)+collectives.BlockOf(rank, i)*n:])
		}
	}
	if !sameStart(in, out) {
		copy(out[rank*n:][:n], in[rank*n:])
	}
	return nil
}

// alltoallv is Alltoallv with counts in elements of size bytes, not in place. Only each
// rank itself knows whether its parts are short.
func (k *collState) alltoallv(in []byte, scounts, sdispls []int, out []byte, rcounts, rdispls []int, size int) error {
	k.usesParts(in, &k.sent, false)
	k.usesParts(out, &k.gathered, true)
	x, n, mine := k.quick.alltoallv.x, 0, k.t.c.rank
	if x != nil {
		n = x.enclose(in, &k.sent)
	}
	if n == 0 {
		return k.group.Alltoallv(in, scounts, sdispls, out, rcounts, rdispls, size)
	}
	k.group.Passed()
	if err := x.Exchange(collectives.Uneven, 0, x.mine[:n], x.places()); err != nil {
		return err
	}
	return k.disclose(x, out, k.sent.of(in, mine), mine)
}

// places returns memory for what each rank shows, of any length.
func (x *exchanger) places() []byte { return view(x.short)[:x.c.size*len(x.mine)] }

// place returns the place of one rank among these.
func (x *exchanger) place(rank int) []byte {
	n := len(x.mine)
	return view(x.short)[rank*n:][:n]
}

// scatter is Scatter of n bytes for each rank. in is nil except at root.
func (k *collState) scatter(in, out []byte, n, root int) error {
	q := &k.quick.scatter
	size, rank := k.t.c.size, k.t.c.rank
	if rank == root {
		k.x.gave()
	}
	if sameStart(in, out) {
		k.uses(in, nil)
	} else {
		k.uses(in, out)
	}
	if !q.takes(n * (size - 1)) {
		return k.group.Scatter(in, out, root)
	}
	x := q.x
	if rank == root {
		err := x.Exchange(collectives.FromRoot, root, others(x.mine, in, n, root), nil)
		if err == nil && !sameStart(in, out) {
			copy(out, in[root*n:][:n])
		}
		return err
	}
	if size == 2 {
		return x.Exchange(collectives.FromRoot, root, nil, out)
	}
	all := view(x.short)[:n*(size-1)]
	err := x.Exchange(collectives.FromRoot, root, nil, all)
	if err == nil {
		copy(out, all[collectives.BlockOf(rank, root)*n:][:n])
	}
	return err
}

// others returns all blocks of n bytes except root's, copied to memory if they are not
// adjacent.
func others(memory, all []byte, n, root int) []byte {
	low, high := all[:root*n], all[(root+1)*n:]
	switch 0 {
	case len(low):
		return high
	case len(high):
		return low
	}
	return append(append(memory[:0], low...), high...)
}

// reduce is Reduce. out is nil except at root.
func (k *collState) reduce(in, out []byte, r *reducer, root int) error {
	k.uses(in, out)
	q := &k.quick.reduce
	if !q.takes(len(in)) {
		return k.group.Reduce(in, out, r, root)
	}
	if k.t.c.rank != root {
		return q.x.Exchange(collectives.ToRoot, root, in, nil)
	}
	return q.x.combine(collectives.ToRoot, root, in, 0, out, r)
}

func (k *collState) allreduce(in, out []byte, r *reducer) error {
	k.uses(in, out)
	if q := &k.quick.allreduce; q.takes(len(in)) {
		return q.x.combine(collectives.AllToAll, 0, in, 0, out, r)
	}
	return k.group.Allreduce(in, out, r)
}

func (k *collState) reduceScatterBlock(in, out []byte, r *reducer) error {
	k.uses(in, out)
	q, n := &k.quick.reduceScatterBlock, len(in)/k.t.c.size
	if !q.takes(len(in)) {
		return k.group.ReduceScatterBlock(in, out, r)
	}
	if k.t.c.size == 2 {
		return q.x.combineHalves(in, out[:n], r)
	}
	return q.x.combine(collectives.AllToAll, 0, in, k.t.c.rank*n, out[:n], r)
}

// takesShares is takes for a ReduceScatter of elements of size bytes; see the row
// "exchange" of its table.
func (q *quick) takesShares(counts []int, size int) bool {
	return q.reduceScatter.takes(slices.Max(counts)*size*len(counts)) && !(q.oversubscribed && collectives.Sparse(counts))
}

func (k *collState) reduceScatter(in, out []byte, counts []int, r *reducer) error {
	k.uses(in, out)
	if !k.quick.takesShares(counts, r.size) {
		return k.group.ReduceScatter(in, out, counts, r)
	}
	rank := k.t.c.rank
	if len(counts) == 2 && counts[0] == counts[1] {
		return k.quick.reduceScatter.x.combineHalves(in, out[:counts[0]*r.size], r)
	}
	return k.quick.reduceScatter.x.combine(collectives.AllToAll, 0, in, offset(counts, nil, rank)*r.size, out[:counts[rank]*r.size], r)
}

// combine makes an exchange that brings the contributions of all ranks here, and
// combines the part of them that goes to out, from an offset on, in rank order: so all
// ranks that combine get the same result. in and out may begin at the same address.
func (x *exchanger) combine(f collectives.Flow, root int, in []byte, from int, out []byte, r *reducer) error {
	n, size := len(in), x.c.size
	all := view(x.short)[:n*size]
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

// combineHalves is combine of one half of in for each of two ranks, which need not show
// their own.
func (x *exchanger) combineHalves(in, out []byte, r *reducer) error {
	n, rank := len(out), x.c.rank
	both := view(x.short)[:2*n]
	if err := x.Exchange(collectives.AllToAll, 0, in[(1-rank)*n:][:n], both); err != nil {
		return err
	}
	copy(both[rank*n:], in[rank*n:][:n])
	r.fold(both[:n], both[n:])
	copy(out, both[n:])
	return nil
}
