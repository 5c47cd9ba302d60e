package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
)

// A pattern is n doubles in blocks over a slice.
type pattern struct{ n, block, stride, items int }

// drawPattern draws about n doubles in blocks: of some KiB, which the network moves in
// place, or short ones.
func drawPattern(rng *rand.Rand, n int) pattern {
	block := 1 + rng.IntN([]int{50, 1000, 5000}[rng.IntN(3)])
	s := pattern{block: block, stride: block + rng.IntN(block+1), items: 1 + rng.IntN(3)}
	s.n = max(n/block/s.items, 1) * block * s.items
	return s
}

// view lays s over a slice of its own, whose elements are all -1.
func (s pattern) view() ([]mpi.Item, []float64) {
	count := s.n / s.block / s.items
	mem := slices.Repeat([]float64{-1}, count*s.items*s.stride)
	return mpi.Views(mem, s.items, mpi.Vector(count, s.block, s.stride).Resized(0, 8*count*s.stride)), mem
}

// place is the index of double number i.
func (s pattern) place(i int) int { return i/s.block*s.stride + i%s.block }

// Whatever blocks a long message has on either side, the data is the same as by Pack
// and Unpack, and memory between the blocks does not change.
func TestBlocksMoveAsPackedOnesDo(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		rng := rand.New(rand.NewPCG(7, 7)) // the same at both ranks
		for round := range 40 {
			from := drawPattern(rng, 500+rng.IntN(60000))
			into := drawPattern(rng, from.n+rng.IntN(2000))
			for into.n < from.n {
				into.n += into.block * into.items
			}
			how := rng.IntN(4)
			out, mem := from.view()
			for i := range from.n {
				mem[from.place(i)] = float64(round + i)
			}
			packed := make([]byte, 8*from.n)
			if _, err := mpi.Pack(w, out, packed, 0); err != nil {
				return err
			}
			if w.Rank() == 0 {
				if err := sendHow(w, how, out); err != nil {
					return err
				}
				continue
			}
			in, got := into.view()
			if _, err := mpi.Recv(w, in, 0, 0); err != nil {
				return fmt.Errorf("round %d, %+v into %+v: %w", round, from, into, err)
			}
			_, want := into.view()
			flat := make([]float64, from.n)
			if _, err := mpi.Unpack(w, packed, 0, flat); err != nil {
				return err
			}
			for i, v := range flat {
				want[into.place(i)] = v
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("round %d: %+v into %+v, way %d: other elements", round, from, into, how)
			}
		}
		return nil
	})
}

// sendHow sends a message to rank 1 in one of four ways.
func sendHow(w *mpi.Comm, how int, out []mpi.Item) error {
	switch how {
	case 0:
		return mpi.Send(w, out, 1, 0)
	case 1:
		return mpi.Ssend(w, out, 1, 0)
	case 2:
		_, err := mpi.Isend(w, out, 1, 0).Wait()
		return err
	}
	_, err := mpi.Sendrecv(w, out, 1, 0, []mpi.Item{}, mpi.ProcNull, 0)
	return err
}

// Both sides send blocks at once, and a slice receives them.
func TestBlocksBothWays(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		s := pattern{n: 60_000, block: 600, stride: 1000, items: 1}
		out, mem := s.view()
		for i := range s.n {
			mem[s.place(i)] = float64(w.Rank()*s.n + i)
		}
		in, got := s.view()
		flat := make([]float64, s.n)
		peer := 1 - w.Rank()
		_, err1 := mpi.Sendrecv(w, out, peer, 1, in, peer, 1)
		_, err2 := mpi.Sendrecv(w, out, peer, 2, flat, peer, 2)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		for i, v := range flat {
			if want := float64(peer*s.n + i); v != want || got[s.place(i)] != want {
				return fmt.Errorf("element %d: %v and %v, want %v", i, v, got[s.place(i)], want)
			}
		}
		return nil
	})
}

// Partitions of a message in blocks are blocks, too; those of the peer may begin within
// one.
func TestPartitionsOfBlocks(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, partitions := range []int{2, 8, 24} {
			in := pattern{n: 192_000, block: 12_000, stride: 12_500, items: 1}
			out := pattern{n: 192_000, block: 2000, stride: 3000, items: 24}
			if w.Rank() == 0 {
				items, mem := out.view()
				for i := range out.n {
					mem[out.place(i)] = float64(i)
				}
				r, err := mpi.PsendInit(w, items, partitions, 1, 0)
				if err != nil {
					return err
				}
				if err := errors.Join(r.Start(), r.PreadyRange(0, partitions-1), mpi.WaitAll(r)); err != nil {
					return err
				}
				continue
			}
			items, mem := in.view()
			r, err := mpi.PrecvInit(w, items, 1, 0, 0)
			if err != nil {
				return err
			}
			if err := errors.Join(r.Start(), mpi.WaitAll(r)); err != nil {
				return err
			}
			_, want := in.view()
			for i := range in.n {
				want[in.place(i)] = float64(i)
			}
			if !slices.Equal(mem, want) {
				return fmt.Errorf("%d partitions: other elements", partitions)
			}
		}
		return nil
	})
}
