package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
)

// A layout is the parts of a buffer, one for each rank, often empty.
type layout struct {
	counts, displs []int
	end            int // elements that the buffer needs
}

// scattered draws parts of up to n elements in any order, with gaps.
func scattered(rnd *rand.Rand, ranks, n int) layout {
	l := layout{counts: make([]int, ranks), displs: make([]int, ranks)}
	for _, r := range rnd.Perm(ranks) {
		if rnd.IntN(3) > 0 {
			l.counts[r] = rnd.IntN(n + 1)
		}
		l.displs[r] = l.end + rnd.IntN(3)
		l.end = l.displs[r] + l.counts[r]
	}
	return l
}

// packed returns l with parts that follow each other: nil displs.
func (l layout) packed() layout {
	p := layout{counts: l.counts}
	for _, n := range l.counts {
		p.end += n
	}
	return p
}

// part returns rank r's part of buf.
func part[T any](l layout, buf []T, r int) []T {
	at := 0
	if l.displs != nil {
		at = l.displs[r]
	} else {
		for _, n := range l.counts[:r] {
			at += n
		}
	}
	return buf[at : at+l.counts[r]]
}

// gathered returns a buffer with the values of all ranks in their parts.
func (l layout) gathered(k int) []int64 {
	all := make([]int64, l.end)
	for r, n := range l.counts {
		copy(part(l, all, r), values(k, r, n))
	}
	return all
}

var partLengths = []int{0, 1, 5, 64, 2100}

// mostRanks is the largest world of these tests.
func mostRanks() int {
	if testing.Short() {
		return 4
	}
	return 9
}

// eachLayout runs fn on 1 to 9 ranks with many layouts that ranks agree on.
func eachLayout(t *testing.T, fn func(w *mpi.Comm, k, root int, l layout) error) {
	roundsUpTo(t, mostRanks(), partLengths, func(w *mpi.Comm, rnd *rand.Rand, k, n int) error {
		root, l := rnd.IntN(w.Size()), scattered(rnd, w.Size(), n)
		if err := fn(w, k, root, l); err != nil {
			return err
		}
		return fn(w, k, root, l.packed())
	})
}

func TestAllgathervPutsEachPartInItsPlaceEverywhere(t *testing.T) {
	eachLayout(t, func(w *mpi.Comm, k, _ int, l layout) error {
		rank, want := w.Rank(), l.gathered(k)
		recv := make([]int64, l.end)
		if err := mpi.Allgatherv(w, values(k, rank, l.counts[rank]), recv, l.counts, l.displs); err != nil {
			return err
		}
		if err := equalAll("recv", recv, want); err != nil {
			return err
		}
		// in place, indicated by the whole buffer or by the part in it
		for _, whole := range []bool{true, false} {
			clear(recv)
			send := part(l, recv, rank)
			copy(send, values(k, rank, l.counts[rank]))
			if whole {
				send = recv
			}
			if err := mpi.Allgatherv(w, send, recv, l.counts, l.displs); err != nil {
				return err
			}
			if err := equalAll("in place", recv, want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestScattervTakesEachPartFromItsPlace(t *testing.T) {
	eachLayout(t, func(w *mpi.Comm, k, root int, l layout) error {
		rank, all := w.Rank(), l.gathered(k)
		recv := make([]int64, l.counts[rank])
		var err error
		if rank == root {
			err = mpi.Scatterv(w, all, l.counts, l.displs, recv, root)
		} else {
			err = mpi.Scatterv(w, nil, nil, nil, recv, root)
		}
		if err != nil {
			return err
		}
		if err := equalAll("recv", recv, values(k, rank, l.counts[rank])); err != nil {
			return err
		}
		if rank == root {
			recv = all
		} else {
			clear(recv)
		}
		if err := mpi.Scatterv(w, all, l.counts, l.displs, recv, root); err != nil {
			return err
		}
		if rank == root {
			return equalAll("send in place", all, l.gathered(k))
		}
		return equalAll("recv, root in place", recv, values(k, rank, l.counts[rank]))
	})
}

// MPI 4.1, section 6.5: the counts at root must be those of the senders.
func TestWrongCountsAtTheRootAreAnError(t *testing.T) {
	t.Parallel() // it mostly waits
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			if err := mpi.Gatherv(w, make([]int, 3), nil, nil, nil, 0); err != nil {
				return err
			}
			return is(mpi.Scatterv(w, nil, nil, nil, make([]int, 2), 0), mpi.ErrTruncate,
				"mpi: Scatterv on world root 0: 24 bytes arrived from rank 0 where 16 belong; all ranks must call it with the same lengths")
		}
		err := mpi.Gatherv(w, make([]int, 3), make([]int, 5), []int{3, 2}, nil, 0)
		if err := is(err, mpi.ErrTruncate, "mpi: Gatherv on world root 0: 24 bytes arrived from rank 1 where 16 belong; all ranks must call it with the same lengths"); err != nil {
			return err
		}
		return mpi.Scatterv(w, make([]int, 5), []int{2, 3}, nil, make([]int, 2), 0)
	})
}

// MPI 4.1, sections 6.12.3 and 6.12.4: the same holds for calls that do not block, also
// if each rank expects the part to go another way.
func TestWrongCountsAtTheRootOfCallsThatDoNotBlock(t *testing.T) {
	t.Parallel() // it mostly waits
	const long = 5000
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, n := range []int{3, long} {
			gather, scatter := mpi.Igatherv[int], mpi.Iscatterv[int]
			if w.Rank() == 1 {
				if _, err := gather(w, make([]int, n), nil, nil, nil, 0).Wait(); err != nil {
					return err
				}
				_, err := scatter(w, nil, nil, nil, make([]int, 2), 0).Wait()
				if err := is(err, mpi.ErrTruncate, fmt.Sprintf("mpi: Iscatterv on world root 0: %d bytes arrived from rank 0 where 16 belong; all ranks must call it with the same lengths", 8*n)); err != nil {
					return err
				}
				continue
			}
			_, err := gather(w, make([]int, 3), make([]int, 5), []int{3, 2}, nil, 0).Wait()
			if err := is(err, mpi.ErrTruncate, fmt.Sprintf("mpi: Igatherv on world root 0: %d bytes arrived from rank 1 where 16 belong; all ranks must call it with the same lengths", 8*n)); err != nil {
				return err
			}
			if _, err := scatter(w, make([]int, n+2), []int{2, n}, nil, make([]int, 2), 0).Wait(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Operands are combined in rank order, whatever the operation.
func TestReduceScatterGivesEachRankItsPart(t *testing.T) {
	ops := []mpi.Op{mpi.OpFunc(compose), mpi.OpFunc(add, mpi.Commutative)}
	eachLayout(t, func(w *mpi.Comm, k, _ int, l layout) error {
		if l.displs != nil { // the parts of in are always packed
			l = l.packed()
		}
		for i, op := range ops {
			rank := w.Rank()
			want := part(l, foldedBy([]func(in, inout []affine){compose, add}[i], k, 0, w.Size()-1, l.end), rank)
			in, out := affines(k, rank, l.end), make([]affine, l.counts[rank])
			if err := mpi.ReduceScatter(w, in, out, l.counts, op); err != nil {
				return err
			}
			if err := equalAll("out", out, want); err != nil {
				return err
			}
			if err := equalAll("in", in, affines(k, rank, l.end)); err != nil {
				return err
			}
			for _, out := range [][]affine{in, in[:l.counts[rank]]} {
				copy(in, affines(k, rank, l.end))
				if err := mpi.ReduceScatter(w, in, out, l.counts, op); err != nil {
					return err
				}
				if err := equalAll("in place", in[:l.counts[rank]], want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// add commutes; compose does not.
func add(in, inout []affine) {
	for i, f := range in {
		inout[i] = affine{(inout[i].A + f.A) % prime, inout[i].B ^ f.B}
	}
}

func TestExscanCombinesTheRanksBelow(t *testing.T) {
	op := mpi.OpFunc(compose)
	roundsUpTo(t, mostRanks(), partLengths, func(w *mpi.Comm, _ *rand.Rand, k, n int) error {
		in, out := affines(k, w.Rank(), n), affines(k, 99, n)
		want := out // rank 0's out does not change
		if w.Rank() > 0 {
			want = folded(k, 0, w.Rank()-1, n)
		}
		want = append([]affine{}, want...)
		if err := mpi.Exscan(w, in, out, op); err != nil {
			return err
		}
		if err := equalAll("out", out, want); err != nil {
			return err
		}
		if w.Rank() == 0 {
			want = in
		}
		if err := mpi.Exscan(w, in, in, op); err != nil {
			return err
		}
		return equalAll("in place", in, want)
	})
}

// The displacement of a part without elements is ignored, whatever it is.
func TestAPartOfNothingLiesNowhere(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, nowhere := range []int{-5, 1000, 1 << 62} {
			counts, displs := []int{1, 0}, []int{0, nowhere}
			mine := make([]int, counts[w.Rank()])
			for i := range mine {
				mine[i] = 7
			}
			for root := range w.Size() {
				all := make([]int, 1)
				if err := mpi.Gatherv(w, mine, all, counts, displs, root); err != nil {
					return err
				}
				if w.Rank() == root && all[0] != 7 {
					return equal("gathered", all[0], 7)
				}
				if err := mpi.Scatterv(w, []int{7}, counts, displs, mine, root); err != nil {
					return err
				}
			}
			all := make([]int, 1)
			if err := mpi.Allgatherv(w, mine, all, counts, displs); err != nil {
				return err
			}
			if err := mpi.Allgatherv(w, all, all, counts, displs); err != nil {
				return err
			}
			none, away := []int{0, 0}, []int{nowhere, nowhere}
			if err := mpi.Alltoallv(w, all, none, away, all[:0], none, away); err != nil {
				return err
			}
			if err := equal("gathered everywhere", all[0], 7); err != nil {
				return err
			}
		}
		return nil
	})
}
