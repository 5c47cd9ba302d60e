package mpi_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 4.2.1: partitioned requests of one tag match in the order in which
// they were made, in whichever order they are started.
func TestPartitionedRequestsOfOneTag(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		cuts := [][2]int{{24, 1}, {1, 24}, {8, 12}, {3, 4}}
		var out, in []*mpi.Request
		var sent, got [][]int
		for _, cut := range cuts {
			s, r := make([]int, 24), make([]int, 24)
			q, err1 := mpi.PsendInit(w, s, cut[0], 1-w.Rank(), 5)
			p, err2 := mpi.PrecvInit(w, r, cut[1], 1-w.Rank(), 5)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			out, in, sent, got = append(out, q), append(in, p), append(sent, s), append(got, r)
		}
		for round := range 4 {
			for k := range cuts {
				i, j := (3*k+round+w.Rank())%len(cuts), (len(cuts)-1-k+round)%len(cuts)
				if err := errors.Join(out[i].Start(), in[j].Start()); err != nil {
					return err
				}
				copy(sent[i], sequence(24, 1000*round+100*i))
				if err := out[i].PreadyRange(0, cuts[i][0]-1); err != nil {
					return err
				}
			}
			if err := errors.Join(mpi.WaitAll(in...), mpi.WaitAll(out...)); err != nil {
				return err
			}
			for i := range cuts {
				if err := equalAll(fmt.Sprint("request ", i), got[i], sequence(24, 1000*round+100*i)); err != nil {
					return err
				}
			}
		}
		for i := range cuts {
			if err := errors.Join(out[i].Free(), in[i].Free()); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, sections 7.6.2 and 11.6.2: goroutines make inter-communicators at once, whose
// leaders meet on one communicator with tags of their own.
func TestInterCommunicatorsOfGoroutines(t *testing.T) {
	onTwo(t, 4, func(w *mpi.Comm) error {
		const goroutines = 5
		var sides [goroutines]*mpi.Comm
		for g := range sides {
			var err error
			if sides[g], err = w.Split(w.Rank()/2, 0); err != nil {
				return err
			}
		}
		var wg sync.WaitGroup
		var errs [goroutines]error
		for g, side := range sides {
			wg.Go(func() {
				for range 4 {
					c, err := side.IntercommCreate(0, w, 2-w.Rank()/2*2, g)
					if err != nil {
						errs[g] = err
						return
					}
					m, err := c.Merge(w.Rank() < 2)
					sum := []int{0}
					if errs[g] = errors.Join(err, equal("rank", m.Rank(), (w.Rank()+2)%4), mpi.Allreduce(c, []int{10*g + w.Rank()/2}, sum, mpi.Sum),
						equal("sum", sum[0], 20*g+2*(1-w.Rank()/2)), m.Free(), c.Free()); errs[g] != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		return errors.Join(append(errs[:], mpi.Barrier(w))...)
	})
}
