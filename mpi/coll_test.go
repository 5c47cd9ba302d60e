package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
)

// Every rank can compute the contribution of every rank, so each checks its own result
// against a plain loop.

// value is element i of the contribution of rank r to round k.
func value(k, r, i int) int64 { return int64(k*1_000_003+r*10_007+i*31) % 9973 }

func values(k, r, n int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = value(k, r, i)
	}
	return s
}

// rounds runs fn many times on 1 to 6 ranks, with lengths that ranks agree on.
func rounds(t *testing.T, fn func(w *mpi.Comm, rnd *rand.Rand, k, n int) error) {
	roundsUpTo(t, 6, []int{0, 1, 2, 3, 6, 7, 17, 100, 1000, 4100}, fn)
}

func roundsUpTo(t *testing.T, ranks int, lengths []int, fn func(w *mpi.Comm, rnd *rand.Rand, k, n int) error) {
	for n := 1; n <= ranks; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(7, uint64(n))) // the same on all ranks
			for k, length := range lengths {
				if err := fn(w, rnd, k, length); err != nil {
					return fmt.Errorf("round %d with %d elements: %w", k, length, err)
				}
			}
			return nil
		})
	}
}

func TestBcastCopiesFromTheRoot(t *testing.T) {
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root := rnd.IntN(w.Size())
		buf := values(k, w.Rank(), n)
		if err := mpi.Bcast(w, buf, root); err != nil {
			return err
		}
		return equalAll("buf", buf, values(k, root, n))
	})
}

// everybody returns the blocks of all ranks, n elements each.
func everybody(w *mpi.Comm, k, n int) []int64 {
	var all []int64
	for r := range w.Size() {
		all = append(all, values(k, r, n)...)
	}
	return all
}

func TestGatherAllgatherAndScatterMoveBlocksInRankOrder(t *testing.T) {
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root := rnd.IntN(w.Size())
		all := everybody(w, k, n)
		var recv []int64
		if w.Rank() == root {
			recv = make([]int64, len(all))
		}
		if err := mpi.Gather(w, values(k, w.Rank(), n), recv, root); err != nil {
			return err
		}
		if w.Rank() == root {
			if err := equalAll("gathered", recv, all); err != nil {
				return err
			}
		}
		every := make([]int64, len(all))
		if err := mpi.Allgather(w, values(k, w.Rank(), n), every); err != nil {
			return err
		}
		if err := equalAll("allgathered", every, all); err != nil {
			return err
		}
		part := make([]int64, n)
		if err := mpi.Scatter(w, recv, part, root); err != nil {
			return err
		}
		return equalAll("scattered", part, values(k, w.Rank(), n))
	})
}

// MPI 4.1, sections 6.5 to 6.8: MPI_IN_PLACE, here by passing one slice twice.
func TestInPlaceBlocksStayWhereTheyAre(t *testing.T) {
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root, size, rank := rnd.IntN(w.Size()), w.Size(), w.Rank()
		all := everybody(w, k, n)
		own := func() []int64 {
			s := make([]int64, size*n)
			copy(s[rank*n:], values(k, rank, n))
			return s
		}
		buf := own()
		send := buf[rank*n : (rank+1)*n]
		if rank == root {
			send = buf
		}
		if err := mpi.Gather(w, send, buf, root); err != nil {
			return err
		}
		if rank == root {
			if err := equalAll("gathered", buf, all); err != nil {
				return err
			}
		}
		buf = own()
		if err := mpi.Allgather(w, buf, buf); err != nil {
			return err
		}
		if err := equalAll("allgathered", buf, all); err != nil {
			return err
		}
		part := buf
		if rank != root {
			part = make([]int64, n)
		}
		if err := mpi.Scatter(w, buf, part, root); err != nil {
			return err
		}
		if rank == root {
			return equalAll("scattered from", buf, all)
		}
		return equalAll("scattered", part, values(k, rank, n))
	})
}

func TestGathervPutsEachPartInItsPlace(t *testing.T) {
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root, size := rnd.IntN(w.Size()), w.Size()
		counts, displs := make([]int, size), make([]int, size)
		end := 0
		for r := range counts {
			counts[r] = rnd.IntN(n + 1)
			displs[r] = end + rnd.IntN(3)
			end = displs[r] + counts[r]
		}
		for _, packed := range []bool{false, true} {
			want := make([]int64, end)
			at := 0
			for r := range counts {
				if !packed {
					at = displs[r]
				}
				at += copy(want[at:], values(k, r, counts[r]))
			}
			recv, places := make([]int64, end), displs
			if packed {
				places = nil
			}
			var err error
			if w.Rank() == root {
				err = mpi.Gatherv(w, values(k, root, counts[root]), recv, counts, places, root)
			} else {
				err = mpi.Gatherv(w, values(k, w.Rank(), counts[w.Rank()]), nil, nil, nil, root)
			}
			if err != nil {
				return err
			}
			if w.Rank() == root {
				if err := equalAll("recv", recv, want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func TestAlltoallTransposes(t *testing.T) {
	rounds(t, func(w *mpi.Comm, _ *rand.Rand, k, n int) error {
		size, rank := w.Size(), w.Rank()
		send, want := make([]int64, 0, size*n), make([]int64, 0, size*n)
		for r := range size {
			send = append(send, values(k, rank*size+r, n)...)
			want = append(want, values(k, r*size+rank, n)...)
		}
		recv := make([]int64, len(send))
		if err := mpi.Alltoall(w, send, recv); err != nil {
			return err
		}
		if err := equalAll("recv", recv, want); err != nil {
			return err
		}
		if err := mpi.Alltoall(w, send, send); err != nil {
			return err
		}
		return equalAll("in place", send, want)
	})
}

func TestAlltoallvMovesEachPartFromAndToItsPlace(t *testing.T) {
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		size, rank := w.Size(), w.Rank()
		count := make([][]int, size) // count[a][b]: from a to b
		for a := range count {
			count[a] = make([]int, size)
			for b := range count[a] {
				count[a][b] = rnd.IntN(n + 1)
			}
		}
		var send, want []int64
		var scounts, sdispls, rcounts, rdispls []int
		for r := range size {
			gap := make([]int64, r%2)
			scounts, rcounts = append(scounts, count[rank][r]), append(rcounts, count[r][rank])
			send = append(send, gap...)
			sdispls = append(sdispls, len(send))
			send = append(send, values(k, rank*size+r, count[rank][r])...)
			rdispls = append(rdispls, len(want))
			want = append(want, values(k, r*size+rank, count[r][rank])...)
		}
		for _, places := range [][]int{rdispls, nil} {
			recv := make([]int64, len(want))
			if err := mpi.Alltoallv(w, send, scounts, sdispls, recv, rcounts, places); err != nil {
				return err
			}
			if err := equalAll("recv", recv, want); err != nil {
				return err
			}
		}
		// in place: a rank sends to each rank as much as it receives from it
		same := make([]int, size)
		for r := range same {
			same[r] = (rank + r) % (n + 1)
		}
		var buf, swapped []int64
		for r := range size {
			buf = append(buf, values(k, rank*size+r, same[r])...)
			swapped = append(swapped, values(k, r*size+rank, same[r])...)
		}
		if err := mpi.Alltoallv(w, buf, nil, nil, buf, same, nil); err != nil {
			return err
		}
		return equalAll("in place", buf, swapped)
	})
}

// An affine is a map x -> A*x+B modulo a prime. compose, their composition, is an
// operation that does not commute: it applies that of the lowest rank first.
type affine struct{ A, B uint64 }

const prime = 1_000_003

func compose(in, inout []affine) {
	for i, f := range in {
		g := inout[i]
		inout[i] = affine{f.A * g.A % prime, (f.B*g.A + g.B) % prime}
	}
}

func affines(k, r, n int) []affine {
	s := make([]affine, n)
	for i := range s {
		s[i] = affine{uint64(value(k, r, i)) + 2, uint64(value(k, i, r)) + 1}
	}
	return s
}

// folded is the combination of ranks first to last.
func folded(k, first, last, n int) []affine { return foldedBy(compose, k, first, last, n) }

func foldedBy(op func(in, inout []affine), k, first, last, n int) []affine {
	out := affines(k, last, n)
	for r := last - 1; r >= first; r-- {
		op(affines(k, r, n), out)
	}
	return out
}

// MPI 4.1, section 6.9: the operation is associative; without commutativity
// operands are combined in rank order.
func TestReductionsKeepRankOrder(t *testing.T) {
	op := mpi.OpFunc(compose)
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root, size, rank := rnd.IntN(w.Size()), w.Size(), w.Rank()
		want := folded(k, 0, size-1, n)
		out := make([]affine, n)
		if err := mpi.Reduce(w, affines(k, rank, n), out, op, root); err != nil {
			return err
		}
		if rank == root {
			if err := equalAll("Reduce", out, want); err != nil {
				return err
			}
		}
		clear(out)
		if err := mpi.Allreduce(w, affines(k, rank, n), out, op); err != nil {
			return err
		}
		if err := equalAll("Allreduce", out, want); err != nil {
			return err
		}
		if err := mpi.Scan(w, affines(k, rank, n), out, op); err != nil {
			return err
		}
		if err := equalAll("Scan", out, folded(k, 0, rank, n)); err != nil {
			return err
		}
		if err := mpi.ReduceScatterBlock(w, affines(k, rank, n*size), out, op); err != nil {
			return err
		}
		return equalAll("ReduceScatterBlock", out, folded(k, 0, size-1, n*size)[rank*n:(rank+1)*n])
	})
}

func TestReductionsInPlace(t *testing.T) {
	op := mpi.OpFunc(compose)
	rounds(t, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root, size, rank := rnd.IntN(w.Size()), w.Size(), w.Rank()
		want := folded(k, 0, size-1, n)
		buf := affines(k, rank, n)
		if err := mpi.Reduce(w, buf, buf, op, root); err != nil {
			return err
		}
		if rank == root {
			if err := equalAll("Reduce", buf, want); err != nil {
				return err
			}
		} else if err := equalAll("Reduce elsewhere", buf, affines(k, rank, n)); err != nil {
			return err
		}
		buf = affines(k, rank, n)
		if err := mpi.Allreduce(w, buf, buf, op); err != nil {
			return err
		}
		if err := equalAll("Allreduce", buf, want); err != nil {
			return err
		}
		buf = affines(k, rank, n)
		if err := mpi.Scan(w, buf, buf, op); err != nil {
			return err
		}
		if err := equalAll("Scan", buf, folded(k, 0, rank, n)); err != nil {
			return err
		}
		whole := folded(k, 0, size-1, n*size)[rank*n : (rank+1)*n]
		buf = affines(k, rank, n*size)
		if err := mpi.ReduceScatterBlock(w, buf, buf, op); err != nil {
			return err
		}
		if err := equalAll("ReduceScatterBlock", buf[:n], whole); err != nil {
			return err
		}
		buf = affines(k, rank, n*size)
		if err := mpi.ReduceScatterBlock(w, buf, buf[:n], op); err != nil {
			return err
		}
		return equalAll("ReduceScatterBlock into a part", buf[:n], whole)
	})
}

// The result of Allreduce is the same on all ranks and in all runs, also where rounding
// makes the order matter.
func TestAllreduceOfFloatsIsTheSameEverywhereAndAlways(t *testing.T) {
	for _, tr := range transports {
		for n := 2; n <= 7; n++ {
			first := map[int][]float64{}
			for range 3 {
				results := make([][][]float64, n)
				everywhereOn(t, tr.option, n, func(w *mpi.Comm) error {
					for _, length := range []int{1, 7, 3000} {
						rnd := rand.New(rand.NewPCG(3, uint64(w.Rank())))
						in, out := make([]float64, length), make([]float64, length)
						for i := range in {
							in[i] = rnd.NormFloat64() * 1e10
						}
						if err := mpi.Allreduce(w, in, out, mpi.Sum); err != nil {
							return err
						}
						results[w.Rank()] = append(results[w.Rank()], out)
					}
					return nil
				})
				for i := range results[0] {
					if first[i] == nil {
						first[i] = results[0][i]
					}
					for r := range results {
						if err := equalAll(fmt.Sprintf("%d ranks: rank %d", n, r), results[r][i], first[i]); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
}

// A rank leaves a barrier only after all have entered it.
func TestNobodyLeavesABarrierEarly(t *testing.T) {
	for n := 1; n <= 6; n++ {
		var entered [6]int
		everywhere(t, n, func(w *mpi.Comm) error {
			base := entered[w.Rank()]
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			for k := 1; k <= 20; k++ {
				entered[w.Rank()] = base + k
				if err := mpi.Barrier(w); err != nil {
					return err
				}
				for r := range n {
					if entered[r] != base+k {
						return fmt.Errorf("rank %d is in round %d, not %d", r, entered[r], base+k)
					}
				}
				if err := mpi.Barrier(w); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
