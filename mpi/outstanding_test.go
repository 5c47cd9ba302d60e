package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// bothWays is everywhere, and again without the checks, which prevent operations from
// bypassing the transport, and their memory from being reused.
func bothWays(t *testing.T, n int, fn func(world *mpi.Comm) error) {
	t.Helper()
	everywhere(t, n, fn)
	for _, nic := range []string{"martini", "ib"} {
		t.Run(fmt.Sprintf("%s, unchecked/%d", nic, n), func(t *testing.T) { mpitest.Run(t, n, fn, mpitest.NIC(nic), mpitest.Unguarded()) })
	}
}

// MPI 4.1, section 6.12: any number of calls may be outstanding, also more than can
// have flags at once.
func TestManyNonblockingCallsAtOnce(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		bothWays(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(6, uint64(n)))
			own := rand.New(rand.NewPCG(uint64(w.Rank()), uint64(n)))
			for round := range 4 {
				var all []trial
				for k, length := range []int{1, 2, 1, 300, 1} {
					more, fill := trials(w, k+round, length, rnd.IntN(n))
					fill()
					all = append(all, more...)
				}
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				var reqs []*mpi.Request
				for i, tr := range all {
					if reqs = append(reqs, tr.begin()); i%30 == 29 {
						if err := mpi.Barrier(w); err != nil {
							return err
						}
					}
				}
				if err := complete(own, reqs); err != nil {
					return err
				}
				if err := checkTrials(all, fmt.Sprintf("round %d", round)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 6.12: a rank's part may be in place already, also in short calls.
func TestShortNonblockingCallsInPlace(t *testing.T) {
	bothWays(t, 3, func(w *mpi.Comm) error {
		rank := int32(w.Rank())
		at := func(root bool, with, without []int32) []int32 {
			if root {
				return with
			}
			return without
		}
		for range 20 {
			all, sum, part := []int32{rank, rank, rank}, []int32{rank, 1}, []int32{1, 2, 3}
			got, give, most := []int32{rank, rank, rank}, []int32{7, 8, 9}, []int32{rank}
			one := []int32{0}
			gaps := []int32{-1, -1, -1, -1, -1, -1}
			own := [][]int32{gaps[5:], gaps[1:3], nil}[rank]
			for i := range own {
				own[i] = rank
			}
			reqs := []*mpi.Request{
				mpi.Iallgather(w, all, all),
				mpi.Iallgatherv(w, gaps, gaps, []int{1, 2, 0}, []int{5, 1, 9}),
				mpi.Iallreduce(w, sum, sum, mpi.Sum),
				mpi.IreduceScatterBlock(w, part, part, mpi.Sum),
				mpi.Igather(w, at(rank == 1, got, got[:1]), got, 1),
				mpi.Iscatter(w, give, at(rank == 2, give, one), 2),
				mpi.Ireduce(w, most, most, mpi.Max, 0),
			}
			if err := mpi.WaitAll(reqs...); err != nil {
				return err
			}
			for what, ok := range map[string]bool{
				"Iallgather": equalAll("", all, []int32{0, 1, 2}) == nil, "Iallgatherv": equalAll("", gaps, []int32{-1, 1, 1, -1, -1, 0}) == nil, "Iallreduce": equalAll("", sum, []int32{3, 3}) == nil,
				"IreduceScatterBlock": part[0] == 3*(rank+1), "Igather": rank != 1 || equalAll("", got, []int32{0, 1, 2}) == nil,
				"Iscatter": rank == 2 && give[0] == 7 || one[0] == 7+rank, "Ireduce": rank != 0 || most[0] == 2,
			} {
				if !ok {
					return fmt.Errorf("%s in place: %v %v %v %v %v %v %v", what, all, sum, part, got, give, one, most)
				}
			}
		}
		return nil
	})
}

// A later call does not unpack again what a call on a layout has unpacked.
func TestCallsAfterOneOnALayout(t *testing.T) {
	bothWays(t, 2, func(w *mpi.Comm) error {
		in := []int32{1, 2, 3, 4}
		column := mpi.View(in, mpi.Vector(2, 1, 2))
		if err := mpi.WaitAll(mpi.Ibcast(w, column, 0)); err != nil {
			return err
		}
		in[0], in[2] = 5, 6
		sum := []int32{0}
		for i := range int32(3) {
			if err := mpi.WaitAll(mpi.Iallreduce(w, []int32{i}, sum, mpi.Sum), mpi.Ibarrier(w)); err != nil {
				return err
			}
			if err := equal("sum", sum[0], 2*i); err != nil {
				return err
			}
		}
		return equalAll("the layout", in, []int32{5, 2, 6, 4})
	})
}
