package traffic

import (
	"encoding/binary"
	"fmt"

	"rhinet/mpi"
)

// A calling is one rank's part of a collective call.
type calling struct {
	*Call
	c    *mpi.Comm
	root int
	keys func(n int) key
}

// run makes the call and checks its results.
func (c *Call) run(comm *mpi.Comm, keys func(n int) key) error {
	k := &calling{c, comm, c.Root % comm.Size(), keys}
	do := map[string]func() error{
		"barrier": func() error { return mpi.Barrier(comm) }, "bcast": k.bcast,
		"reduce": k.reduce, "allreduce": k.allreduce, "scan": k.scan, "reducescatterblock": k.reduceScatterBlock,
		"gather": k.gather, "allgather": k.allgather, "gatherv": k.gatherv, "allgatherv": k.allgatherv,
		"scatter": k.scatter, "alltoall": k.alltoall, "alltoallv": k.alltoallv,
	}[c.Name]
	if do == nil {
		return fmt.Errorf("no collective operation %q", c.Name)
	}
	if err := do(); err != nil {
		return fmt.Errorf("%v, on %d ranks: %w", c, comm.Size(), err)
	}
	return nil
}

// part returns part number n, with the given size.
func (k *calling) part(n, bytes int) []byte {
	b := make([]byte, bytes)
	k.keys(n).fill(b)
	return b
}

// mine is this rank's part.
func (k *calling) mine() []byte { return k.part(k.c.Rank(), k.Bytes) }

// is checks that b is part number n.
func (k *calling) is(b []byte, n int) error {
	if at := k.keys(n).differs(b); at >= 0 {
		return fmt.Errorf("byte %d of %d of part %d is wrong", at, len(b), n)
	}
	return nil
}

// parts checks that b holds the parts of all ranks in order, of count bytes each.
func (k *calling) parts(b []byte, count func(rank int) int) error {
	for r := range k.c.Size() {
		if err := k.is(b[:count(r)], r); err != nil {
			return err
		}
		b = b[count(r):]
	}
	return nil
}

func (k *calling) even(int) int { return k.Bytes }

// uneven returns the size of a rank's part where parts differ.
func (k *calling) uneven(rank int) int { return k.Bytes / (1 + rank%3) }

func (k *calling) bcast() error {
	b := make([]byte, k.Bytes)
	if k.c.Rank() == k.root {
		b = k.mine()
	}
	if err := mpi.Bcast(k.c, b, k.root); err != nil {
		return err
	}
	return k.is(b, k.root)
}

// words returns a part as numbers.
func (k *calling) words(n int) []uint64 {
	b := k.part(n, k.Bytes)
	w := make([]uint64, len(b)/8)
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

// sum checks that got is the sum of the parts of ranks 0 to last, from word number at on.
func (k *calling) sum(got []uint64, last, at int) error {
	want := make([]uint64, k.Bytes/8)
	for r := range last + 1 {
		for i, w := range k.words(r) {
			want[i] += w
		}
	}
	for i := range got {
		if got[i] != want[at+i] {
			return fmt.Errorf("word %d of %d is wrong", i, len(got))
		}
	}
	return nil
}

func (k *calling) reduce() error {
	in := k.words(k.c.Rank())
	out := make([]uint64, len(in))
	if err := mpi.Reduce(k.c, in, out, mpi.Sum, k.root); err != nil || k.c.Rank() != k.root {
		return err
	}
	return k.sum(out, k.c.Size()-1, 0)
}

func (k *calling) allreduce() error {
	in := k.words(k.c.Rank())
	out := make([]uint64, len(in))
	if err := mpi.Allreduce(k.c, in, out, mpi.Sum); err != nil {
		return err
	}
	return k.sum(out, k.c.Size()-1, 0)
}

func (k *calling) scan() error {
	in := k.words(k.c.Rank())
	out := make([]uint64, len(in))
	if err := mpi.Scan(k.c, in, out, mpi.Sum); err != nil {
		return err
	}
	return k.sum(out, k.c.Rank(), 0)
}

func (k *calling) reduceScatterBlock() error {
	each := k.Bytes / 8 / k.c.Size()
	in, out := k.words(k.c.Rank())[:each*k.c.Size()], make([]uint64, each)
	if err := mpi.ReduceScatterBlock(k.c, in, out, mpi.Sum); err != nil {
		return err
	}
	return k.sum(out, k.c.Size()-1, each*k.c.Rank())
}

func (k *calling) gather() error {
	var all []byte
	if k.c.Rank() == k.root {
		all = make([]byte, k.Bytes*k.c.Size())
	}
	if err := mpi.Gather(k.c, k.mine(), all, k.root); err != nil || all == nil {
		return err
	}
	return k.parts(all, k.even)
}

func (k *calling) allgather() error {
	all := make([]byte, k.Bytes*k.c.Size())
	if err := mpi.Allgather(k.c, k.mine(), all); err != nil {
		return err
	}
	return k.parts(all, k.even)
}

// counts returns the sizes of uneven parts and their sum.
func (k *calling) counts() (list []int, total int) {
	for r := range k.c.Size() {
		list = append(list, k.uneven(r))
		total += list[r]
	}
	return list, total
}

func (k *calling) gatherv() error {
	counts, total := k.counts()
	var all []byte
	if k.c.Rank() == k.root {
		all = make([]byte, total)
	} else {
		counts = nil
	}
	if err := mpi.Gatherv(k.c, k.mine()[:k.uneven(k.c.Rank())], all, counts, nil, k.root); err != nil || all == nil {
		return err
	}
	return k.parts(all, k.uneven)
}

func (k *calling) allgatherv() error {
	counts, total := k.counts()
	all := make([]byte, total)
	if err := mpi.Allgatherv(k.c, k.mine()[:k.uneven(k.c.Rank())], all, counts, nil); err != nil {
		return err
	}
	return k.parts(all, k.uneven)
}

func (k *calling) scatter() error {
	var all []byte
	if k.c.Rank() == k.root {
		for r := range k.c.Size() {
			all = append(all, k.part(r, k.Bytes)...)
		}
	}
	b := make([]byte, k.Bytes)
	if err := mpi.Scatter(k.c, all, b, k.root); err != nil {
		return err
	}
	return k.is(b, k.c.Rank())
}

// cell returns the number of the part that goes from one rank to another.
func (k *calling) cell(from, to int) int { return from*k.c.Size() + to }

// each returns the size of one part of an exchange of all ranks with all.
func (k *calling) each() int { return k.Bytes / k.c.Size() }

func (k *calling) alltoall() error {
	n, me := k.c.Size(), k.c.Rank()
	var out []byte
	for r := range n {
		out = append(out, k.part(k.cell(me, r), k.each())...)
	}
	in := make([]byte, n*k.each())
	if err := mpi.Alltoall(k.c, out, in); err != nil {
		return err
	}
	for r := range n {
		if err := k.is(in[r*k.each():(r+1)*k.each()], k.cell(r, me)); err != nil {
			return err
		}
	}
	return nil
}

func (k *calling) alltoallv() error {
	n, me := k.c.Size(), k.c.Rank()
	size := func(from, to int) int { return k.each() / (1 + (from+2*to)%3) }
	var out, in []byte
	var scounts, sdispls, rcounts, rdispls []int
	for r := range n {
		scounts, sdispls = append(scounts, size(me, r)), append(sdispls, len(out))
		rcounts, rdispls = append(rcounts, size(r, me)), append(rdispls, len(in))
		out = append(out, k.part(k.cell(me, r), size(me, r))...)
		in = append(in, make([]byte, size(r, me))...)
	}
	if err := mpi.Alltoallv(k.c, out, scounts, sdispls, in, rcounts, rdispls); err != nil {
		return err
	}
	for r := range n {
		if err := k.is(in[rdispls[r]:rdispls[r]+rcounts[r]], k.cell(r, me)); err != nil {
			return err
		}
	}
	return nil
}
