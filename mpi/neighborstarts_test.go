package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
)

// neighborRestarts makes persistent operations of all kinds on a torus, in each of which the
// ranks send their neighbors other numbers.
func neighborRestarts(c *mpi.Comm, count int) (all []*restarted, err error) {
	for op := range count {
		n := []int{1, 3, 20000}[op%3]
		send, recv := make([]int, 4*n), make([]int, 4*n)
		counts, displs := slices.Repeat([]int{n}, 4), []int{3 * n, 2 * n, n, 0}
		p := &restarted{}
		value := func(rank, edge, start int) int { return ((op*100+start)*10+edge)*10 + rank }
		gathered, place := false, func(k int) int { return k * n }
		switch op % 5 {
		case 0:
			gathered = true
			p.r, err = mpi.NeighborAllgatherInit(c, send[:n], recv)
		case 1:
			gathered, place = true, func(k int) int { return displs[k] }
			p.r, err = mpi.NeighborAllgathervInit(c, send[:n], recv, counts, displs)
		case 2:
			p.r, err = mpi.NeighborAlltoallInit(c, send, recv)
		case 3:
			place = func(k int) int { return displs[k] }
			p.r, err = mpi.NeighborAlltoallvInit(c, send, counts, nil, recv, counts, displs)
		case 4:
			var out, in []mpi.Part
			for k := range 4 {
				out = append(out, mpi.PartOf(send[k*n:][:n]))
				in = append(in, mpi.PartOf(mpi.View(recv[k*n:][:n], mpi.Contiguous(n))))
			}
			p.r, err = mpi.NeighborAlltoallwInit(c, out, in)
		}
		if err != nil {
			return nil, err
		}
		p.fill = func(start int) {
			clear(recv)
			for i := range send {
				send[i] = value(c.Rank(), i/n, start)
			}
		}
		p.check = func(start int) error {
			for k := range 4 {
				below, above, err := c.CartShift(k/2, 1)
				from, edge := []int{below, above}[k%2], k^1
				if gathered {
					edge = 0
				}
				got := recv[place(k):][:n]
				want := slices.Repeat([]int{value(from, edge, start)}, n)
				if err := errors.Join(err, equalAll(fmt.Sprintf("operation %d, start %d, part %d", op, start, k), got, want)); err != nil {
					return err
				}
			}
			return nil
		}
		all = append(all, p)
	}
	return all, nil
}

// MPI 4.1, sections 6.13 and 8.8: ranks start persistent operations of neighbors in different orders, each
// again as soon as it is complete.
func TestPersistentCallsToNeighborsInDifferentOrders(t *testing.T) {
	for _, n := range []int{2, 4} {
		everywhere(t, n, func(w *mpi.Comm) error {
			c, _, _, err := onTorus(w, 1)
			if err != nil {
				return err
			}
			own := rand.New(rand.NewPCG(uint64(w.Rank()), uint64(n)))
			for _, count := range []int{2, 10} {
				all, err := neighborRestarts(c, count)
				if err != nil {
					return err
				}
				own.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				if err := repeat(all, own, 5); err != nil {
					return err
				}
				for _, p := range all {
					if err := p.r.Free(); err != nil {
						return err
					}
				}
			}
			return c.Free()
		})
	}
}

// MPI 4.1, section 8.8: the calls that block or not, and the starts of persistent ones, are of
// different operations, whichever comes first at a rank.
func TestPersistentCallsToNeighborsBesideOthers(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		edge := []mpi.Edge{{Source: 1 - w.Rank(), Dest: 1 - w.Rank()}}
		in, out := slices.Clone(edge), slices.Clone(edge)
		in[0].Dest, out[0].Source = w.Rank(), w.Rank()
		c, err := w.DistGraphCreateAdjacent(in, out)
		if err != nil {
			return err
		}
		for _, n := range []int{1, 20000} {
			of := func(v int) []int { return slices.Repeat([]int{10*v + w.Rank()}, n) }
			one, two, three := make([]int, n), make([]int, n), make([]int, n)
			p, err := mpi.NeighborAllgatherInit(c, of(1), one)
			if err == nil && w.Rank() == 0 {
				err = p.Start()
			}
			if err != nil {
				return err
			}
			r := mpi.IneighborAllgather(c, of(2), two)
			err = mpi.NeighborAllgather(c, of(3), three)
			if w.Rank() == 1 {
				err = errors.Join(err, p.Start())
			}
			theirs := func(v int) []int { return slices.Repeat([]int{10*v + 1 - w.Rank()}, n) }
			if err := errors.Join(err, mpi.WaitAll(p, r), p.Free(), equalAll("persistent", one, theirs(1)),
				equalAll("nonblocking", two, theirs(2)), equalAll("blocking", three, theirs(3))); err != nil {
				return err
			}
		}
		return c.Free()
	})
}
