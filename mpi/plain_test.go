package mpi

import (
	"rhinet/collectives"
	"rhinet/llc"
)

// plain is the collective operations as the standard explains them: everything
// goes through rank 0 or the root, in rank order.
type plain struct{ c *core }

const plainTag = 1

func (g *plain) transfer(peer int, b []byte, send bool) *llc.Request {
	r := &llc.Request{Peer: g.c.global(peer), Context: g.c.id.collective(), Tag: plainTag, Buf: b}
	g.c.t.Start(r, send)
	return r
}

func (g *plain) wait(rs ...*llc.Request) error {
	for _, r := range rs {
		if ctx := g.c.coll.t.ctx; ctx != nil {
			if err := g.c.t.WaitContext(ctx, r); err != nil {
				return &Error{Class: ErrCancelled, Err: err, text: "the context ended while waiting"}
			}
		} else {
			g.c.t.Wait(r)
		}
		if r.Status.Bytes > int64(len(r.Buf)) {
			return &Error{Class: ErrTruncate, Bytes: r.Status.Bytes, Room: int64(len(r.Buf)), text: "the lengths differ between ranks"}
		}
		if r.Status.Err != nil {
			return r.Status.Err
		}
	}
	return nil
}

func (g *plain) send(peer int, b []byte) error { return g.wait(g.transfer(peer, b, true)) }
func (g *plain) recv(peer int, b []byte) error { return g.wait(g.transfer(peer, b, false)) }

func (g *plain) Barrier() error {
	if err := g.Gather([]byte{1}, make([]byte, g.c.size), 0); err != nil {
		return err
	}
	return g.Bcast(make([]byte, 1), 0)
}

func (g *plain) Bcast(buf []byte, root int) error {
	if g.c.rank != root {
		return g.recv(root, buf)
	}
	for i := range g.c.size {
		if i != root {
			if err := g.send(i, buf); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *plain) Gather(send, recv []byte, root int) error {
	n := len(recv) / g.c.size
	counts := make([]int, g.c.size)
	for i := range counts {
		counts[i] = n
	}
	return g.Gatherv(send, recv, counts, nil, 1, root)
}

// part is the bytes of part i.
func part(b []byte, counts, displs []int, elem, i int) []byte {
	from := 0
	if displs != nil {
		from = displs[i]
	} else {
		for _, k := range counts[:i] {
			from += k
		}
	}
	if counts[i] == 0 {
		return nil
	}
	return b[from*elem : (from+counts[i])*elem]
}

func (g *plain) Gatherv(send, recv []byte, counts, displs []int, elem, root int) error {
	if g.c.rank != root {
		return g.send(root, send)
	}
	for i := range g.c.size {
		p := part(recv, counts, displs, elem, i)
		if i != root {
			if err := g.recv(i, p); err != nil {
				return err
			}
		} else if !sameStart(send, recv) {
			copy(p, send)
		}
	}
	return nil
}

func (g *plain) Scatter(send, recv []byte, root int) error {
	if g.c.rank != root {
		return g.recv(root, recv)
	}
	n := len(send) / g.c.size
	for i := range g.c.size {
		p := send[i*n : (i+1)*n]
		if i != root {
			if err := g.send(i, p); err != nil {
				return err
			}
		} else if !sameStart(send, recv) {
			copy(recv, p)
		}
	}
	return nil
}

func (g *plain) Allgather(send, recv []byte) error {
	n := len(recv) / g.c.size
	if sameStart(send, recv) {
		send = recv[g.c.rank*n : (g.c.rank+1)*n]
	}
	if g.c.rank == 0 && len(recv) > 0 {
		copy(recv, send)
		send = recv
	}
	if err := g.Gather(send, recv, 0); err != nil {
		return err
	}
	return g.Bcast(recv, 0)
}

func (g *plain) Alltoall(send, recv []byte) error {
	counts := make([]int, g.c.size)
	for i := range counts {
		counts[i] = len(recv) / g.c.size
	}
	return g.Alltoallv(send, counts, nil, recv, counts, nil, 1)
}

func (g *plain) Alltoallv(send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int, elem int) error {
	if sameStart(send, recv) {
		send, scounts, sdispls = append([]byte(nil), recv...), rcounts, rdispls
	}
	var rs []*llc.Request
	for i := range g.c.size {
		if i != g.c.rank {
			rs = append(rs, g.transfer(i, part(recv, rcounts, rdispls, elem, i), false))
		}
	}
	for i := range g.c.size {
		p := part(send, scounts, sdispls, elem, i)
		if i != g.c.rank {
			rs = append(rs, g.transfer(i, p, true))
		} else {
			copy(part(recv, rcounts, rdispls, elem, i), p)
		}
	}
	return g.wait(rs...)
}

func (g *plain) Reduce(in, out []byte, r collectives.Reducer, root int) error {
	if g.c.rank != root {
		return g.send(root, in)
	}
	all := make([]byte, len(in)*g.c.size)
	if err := g.Gather(in, all, root); err != nil {
		return err
	}
	n := len(in)
	acc := all[(g.c.size-1)*n:]
	for i := g.c.size - 2; i >= 0; i-- { // inout = in(lower) op inout(higher)
		r.Reduce(all[i*n:(i+1)*n], acc)
	}
	copy(out, acc)
	return nil
}

func (g *plain) Allreduce(in, out []byte, r collectives.Reducer) error {
	if err := g.Reduce(in, out, r, 0); err != nil {
		return err
	}
	return g.Bcast(out, 0)
}

func (g *plain) ReduceScatterBlock(in, out []byte, r collectives.Reducer) error {
	if len(out) == len(in) && len(in) > 0 {
		out = out[:len(in)/g.c.size]
	}
	all := make([]byte, len(in))
	if err := g.Reduce(in, all, r, 0); err != nil {
		return err
	}
	return g.Scatter(all, out, 0)
}

func (g *plain) Scan(in, out []byte, r collectives.Reducer) error {
	all := make([]byte, len(in)*g.c.size)
	if err := g.Allgather(in, all); err != nil {
		return err
	}
	n := len(in)
	acc := all[g.c.rank*n : (g.c.rank+1)*n]
	for i := g.c.rank - 1; i >= 0; i-- {
		r.Reduce(all[i*n:(i+1)*n], acc)
	}
	copy(out, acc)
	return nil
}
