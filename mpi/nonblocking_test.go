package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A trial is a collective call in its nonblocking and its persistent form, with a check
// of its results.
type trial struct {
	name  string
	begin func() *mpi.Request
	init  func() (*mpi.Request, error)
	check func() error
}

// trials makes one trial of each call: round k with n elements. fill, called before
// each start, fills the buffers.
func trials(w *mpi.Comm, k, n, root int) (all []trial, fill func()) {
	size, rank := w.Size(), w.Rank()
	op := mpi.OpFunc(compose)
	var fills []func()
	buffer := func(content []int64) []int64 {
		b := make([]int64, len(content))
		fills = append(fills, func() { copy(b, content) })
		return b
	}
	composed := func(n int) []affine { return make([]affine, n) }
	add := func(name string, begin func() *mpi.Request, init func() (*mpi.Request, error), check func() error) {
		all = append(all, trial{name, begin, init, check})
	}
	counts, total := make([]int, size), 0
	for r := range counts {
		counts[r] = (r + k) % 3 * n
		total += counts[r]
	}
	mine, every := values(k, rank, n), everybody(w, k, n)
	var parts, to, from []int64
	for r := range size {
		parts = append(parts, values(k, r, counts[r])...)
		to = append(to, values(k, rank*size+r, n)...)
		from = append(from, values(k, r*size+rank, n)...)
	}
	check := func(got, want []int64, where bool) func() error {
		return func() error {
			if !where {
				return nil
			}
			return equalAll("result", got, want)
		}
	}
	checkOp := func(got, want []affine, where bool) func() error {
		return func() error {
			if !where {
				return nil
			}
			return equalAll("result", got, want)
		}
	}
	atRoot := rank == root

	add("Barrier", func() *mpi.Request { return mpi.Ibarrier(w) }, func() (*mpi.Request, error) { return mpi.BarrierInit(w) }, func() error { return nil })

	b := buffer(mine)
	add("Bcast", func() *mpi.Request { return mpi.Ibcast(w, b, root) }, func() (*mpi.Request, error) { return mpi.BcastInit(w, b, root) },
		check(b, values(k, root, n), true))

	g := make([]int64, size*n)
	add("Gather", func() *mpi.Request { return mpi.Igather(w, mine, g, root) }, func() (*mpi.Request, error) { return mpi.GatherInit(w, mine, g, root) },
		check(g, every, atRoot))

	gv := make([]int64, total)
	own := values(k, rank, counts[rank])
	add("Gatherv", func() *mpi.Request { return mpi.Igatherv(w, own, gv, counts, nil, root) },
		func() (*mpi.Request, error) { return mpi.GathervInit(w, own, gv, counts, nil, root) }, check(gv, parts, atRoot))

	sc := make([]int64, n)
	add("Scatter", func() *mpi.Request { return mpi.Iscatter(w, every, sc, root) },
		func() (*mpi.Request, error) { return mpi.ScatterInit(w, every, sc, root) }, check(sc, mine, true))

	sv := make([]int64, counts[rank])
	add("Scatterv", func() *mpi.Request { return mpi.Iscatterv(w, parts, counts, nil, sv, root) },
		func() (*mpi.Request, error) { return mpi.ScattervInit(w, parts, counts, nil, sv, root) }, check(sv, own, true))

	ag := make([]int64, size*n)
	add("Allgather", func() *mpi.Request { return mpi.Iallgather(w, mine, ag) },
		func() (*mpi.Request, error) { return mpi.AllgatherInit(w, mine, ag) }, check(ag, every, true))

	av := make([]int64, total)
	add("Allgatherv", func() *mpi.Request { return mpi.Iallgatherv(w, own, av, counts, nil) },
		func() (*mpi.Request, error) { return mpi.AllgathervInit(w, own, av, counts, nil) }, check(av, parts, true))

	aa := buffer(to)
	add("Alltoall", func() *mpi.Request { return mpi.Ialltoall(w, aa, aa) }, // in place
		func() (*mpi.Request, error) { return mpi.AlltoallInit(w, aa, aa) }, check(aa, from, true))

	same := make([]int, size)
	for r := range same {
		same[r] = n
	}
	aav := make([]int64, size*n)
	add("Alltoallv", func() *mpi.Request { return mpi.Ialltoallv(w, to, same, nil, aav, same, nil) },
		func() (*mpi.Request, error) { return mpi.AlltoallvInit(w, to, same, nil, aav, same, nil) }, check(aav, from, true))

	re := composed(n)
	add("Reduce", func() *mpi.Request { return mpi.Ireduce(w, affines(k, rank, n), re, op, root) },
		func() (*mpi.Request, error) { return mpi.ReduceInit(w, affines(k, rank, n), re, op, root) },
		checkOp(re, folded(k, 0, size-1, n), atRoot))

	ar := composed(n)
	add("Allreduce", func() *mpi.Request { return mpi.Iallreduce(w, affines(k, rank, n), ar, op) },
		func() (*mpi.Request, error) { return mpi.AllreduceInit(w, affines(k, rank, n), ar, op) },
		checkOp(ar, folded(k, 0, size-1, n), true))

	rb := composed(n)
	add("ReduceScatterBlock", func() *mpi.Request { return mpi.IreduceScatterBlock(w, affines(k, rank, n*size), rb, op) },
		func() (*mpi.Request, error) { return mpi.ReduceScatterBlockInit(w, affines(k, rank, n*size), rb, op) },
		checkOp(rb, folded(k, 0, size-1, n*size)[rank*n:(rank+1)*n], true))

	rs := composed(counts[rank])
	first := sum(counts[:rank])
	add("ReduceScatter", func() *mpi.Request { return mpi.IreduceScatter(w, affines(k, rank, total), rs, counts, op) },
		func() (*mpi.Request, error) { return mpi.ReduceScatterInit(w, affines(k, rank, total), rs, counts, op) },
		checkOp(rs, folded(k, 0, size-1, total)[first:first+counts[rank]], true))

	s := composed(n)
	add("Scan", func() *mpi.Request { return mpi.Iscan(w, affines(k, rank, n), s, op) },
		func() (*mpi.Request, error) { return mpi.ScanInit(w, affines(k, rank, n), s, op) }, checkOp(s, folded(k, 0, rank, n), true))

	x := composed(n)
	add("Exscan", func() *mpi.Request { return mpi.Iexscan(w, affines(k, rank, n), x, op) },
		func() (*mpi.Request, error) { return mpi.ExscanInit(w, affines(k, rank, n), x, op) },
		func() error {
			if rank == 0 {
				return nil
			}
			return equalAll("result", x, folded(k, 0, rank-1, n))
		})
	return all, func() {
		for _, f := range fills {
			f()
		}
	}
}

// checkTrials checks all trials.
func checkTrials(all []trial, what string) error {
	for _, tr := range all {
		if err := tr.check(); err != nil {
			return fmt.Errorf("%s of %s: %w", what, tr.name, err)
		}
	}
	return nil
}

// MPI 4.1, section 6.12: any number of nonblocking calls may be outstanding, are begun
// in the same order, are completed in any order, and may be in progress during blocking
// calls.
func TestNonblockingCallsGiveWhatBlockingOnesDo(t *testing.T) {
	for n := 1; n <= 9; n += 1 + n/5 {
		bothWays(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(5, uint64(n)))
			own := rand.New(rand.NewPCG(uint64(w.Rank()), uint64(n)))
			for k, length := range []int{0, 1, 5, 700, 3000} {
				all, fill := trials(w, k, length, rnd.IntN(n))
				fill()
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				var reqs []*mpi.Request
				for i, tr := range all {
					reqs = append(reqs, tr.begin())
					if i%5 == 3 {
						got := []int{0}
						if err := mpi.Allreduce(w, []int{i}, got, mpi.Sum); err != nil {
							return err
						}
						if err := equal("sum", got[0], i*n); err != nil {
							return err
						}
					}
				}
				if err := complete(own, reqs); err != nil {
					return err
				}
				if err := checkTrials(all, fmt.Sprintf("%d elements", length)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 6.13: a persistent call can be started several times, together with
// others.
func TestPersistentCallsRepeat(t *testing.T) {
	for n := 1; n <= 5; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			for k, length := range []int{1, 40, 900} {
				all, fill := trials(w, k, length, k%n)
				var reqs []*mpi.Request
				for _, tr := range all {
					r, err := tr.init()
					if err != nil {
						return fmt.Errorf("%s: %w", tr.name, err)
					}
					reqs = append(reqs, r)
				}
				for round := range 4 {
					fill()
					if err := mpi.StartAll(reqs...); err != nil {
						return err
					}
					if err := mpi.WaitAll(reqs...); err != nil {
						return err
					}
					if err := checkTrials(all, fmt.Sprintf("start %d", round)); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 6.12 and 3.7.4: a nonblocking call makes progress while its ranks
// wait in other calls; here ranks that must forward a message wait for another one that
// is sent only when the first has arrived.
func TestNonblockingCallsGetOnInOtherCalls(t *testing.T) {
	for n := 2; n <= 8; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			buf, in := values(1, w.Rank(), 3000), []int{0}
			r := mpi.Ibcast(w, buf, 0)
			if w.Rank() == n-1 {
				if _, err := r.Wait(); err != nil {
					return err
				}
				for dst := range n - 1 {
					if err := mpi.Send(w, []int{dst}, dst, 0); err != nil {
						return err
					}
				}
			} else if _, err := mpi.Recv(w, in, n-1, 0); err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			return equalAll("buffer", buf, values(1, 0, 3000))
		})
	}
}

// MPI 4.1, section 6.12: operations on one communicator are independent of those on
// others, and of messages; WaitAny accepts both.
func TestRequestsOfAllKindsWaitTogether(t *testing.T) {
	bothWays(t, 3, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		for round := range 10 {
			sums, in := []int{0, 0}, []int{0}
			right, left := (w.Rank()+1)%3, (w.Rank()+2)%3
			reqs := []*mpi.Request{
				mpi.Irecv(w, in, left, 0),
				mpi.Iallreduce(w, []int{round}, sums[:1], mpi.Sum),
				mpi.Iallreduce(d, []int{1}, sums[1:], mpi.Sum),
				mpi.Isend(w, []int{w.Rank()}, right, 0),
				mpi.Ibarrier(d),
			}
			for range reqs {
				i, _, err := mpi.WaitAny(reqs...)
				if err != nil || i == mpi.Undefined {
					return fmt.Errorf("WaitAny: %v, %v", i, err)
				}
			}
			if err := equalAll("results", append(sums, in[0]), []int{3 * round, 3, left}); err != nil {
				return err
			}
		}
		return d.Free()
	})
}

// MPI 4.1, section 6.8: each part of Alltoallw has its own type.
func TestAlltoallwMovesPartsOfDifferentTypes(t *testing.T) {
	for n := 1; n <= 6; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			rank := w.Rank()
			for _, blocking := range []bool{true, false} {
				send, recv := make([]mpi.Part, n), make([]mpi.Part, n)
				floats, ints := make([][]float64, n), make([][]int32, n)
				for r := range n {
					if (rank+r)%2 == 0 { // both agree
						send[r] = mpi.PartOf([]float64{float64(rank), float64(r)})
						floats[r] = make([]float64, 2)
						recv[r] = mpi.PartOf(floats[r])
					} else if (rank+r)%4 == 1 {
						send[r] = mpi.PartOf(make([]int32, rank+1))
						ints[r] = make([]int32, r+1)
						for i := range ints[r] {
							ints[r][i] = 5
						}
						recv[r] = mpi.PartOf(ints[r])
					}
				}
				var err error
				if blocking {
					err = mpi.Alltoallw(w, send, recv)
				} else {
					_, err = mpi.Ialltoallw(w, send, recv).Wait()
				}
				if err != nil {
					return err
				}
				for r := range n {
					if floats[r] != nil && (floats[r][0] != float64(r) || floats[r][1] != float64(rank)) {
						return fmt.Errorf("from %d: %v", r, floats[r])
					}
					for _, v := range ints[r] {
						if v != 0 {
							return fmt.Errorf("from %d: %v", r, ints[r])
						}
					}
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 6.9.7.
func TestReduceLocalCombinesOnOneRank(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		in, inout := []int{1, 2, 3}, []int{10, 20, 30}
		if err := mpi.ReduceLocal(w, in, inout, mpi.Sum); err != nil {
			return err
		}
		if err := equalAll("sum", inout, []int{11, 22, 33}); err != nil {
			return err
		}
		a, b := affines(1, 0, 3), affines(1, 1, 3)
		if err := mpi.ReduceLocal(w, a, b, mpi.OpFunc(compose)); err != nil {
			return err
		}
		if err := equalAll("composed", b, folded(1, 0, 1, 3)); err != nil {
			return err
		}
		var none *mpi.Comm
		if mpi.OpCommutative(mpi.OpFunc(compose)) || !mpi.OpCommutative(mpi.Max) || !mpi.OpCommutative(mpi.OpFunc(compose, mpi.Commutative)) || mpi.OpCommutative(nil) {
			return errors.New("OpCommutative is wrong")
		}
		return errors.Join(
			mpi.ReduceLocal(w, in[:0], inout[:0], mpi.Sum),
			is(mpi.ReduceLocal(w, in, inout[:2], mpi.Sum), mpi.ErrCount, "mpi: ReduceLocal on world: in has 3 elements and inout 2; they must be equally long"),
			is(mpi.ReduceLocal(w, in, in, mpi.Sum), mpi.ErrBuffer, "mpi: ReduceLocal on world: in and inout overlap; they must be apart"),
			is(mpi.ReduceLocal(w, in, inout, nil), mpi.ErrOp, ""),
			is(mpi.ReduceLocal(w, []*int{nil}, []*int{nil}, mpi.Sum), mpi.ErrType, ""),
			is(mpi.ReduceLocal(none, in, inout, mpi.Sum), mpi.ErrComm, ""))
	})
}

// Wrong arguments are errors that name the call that was made; they are returned with
// the request, or at once if the request is persistent.
func TestMisusedNonblockingCallsAreErrors(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		second := func(_ any, err error) error { return err }
		var none *mpi.Comm
		buf := []int{1, 2, 3}
		for _, row := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{second(mpi.Ibcast(w, buf, 2).Wait()), mpi.ErrRoot, "mpi: Ibcast on world root 2: there is no rank 2; ranks are 0 to 1"},
			{second(mpi.BcastInit(w, buf, -1)), mpi.ErrRoot, "mpi: BcastInit on world root -1: there is no rank -1; ranks are 0 to 1"},
			{second(mpi.Iallreduce(w, buf, buf[:2], mpi.Sum).Wait()), mpi.ErrCount, "mpi: Iallreduce on world: in has 3 elements and out 2; they must be equally long"},
			{second(mpi.Iallreduce(w, buf, buf, nil).Wait()), mpi.ErrOp, "mpi: Iallreduce on world: the operation is nil; pass Sum, another of the predefined ones, or an OpFunc"},
			{second(mpi.Iallgather(w, buf, buf[1:]).Wait()), mpi.ErrCount, ""},
			{second(mpi.AlltoallInit(w, buf, make([]int, 3))), mpi.ErrCount, "mpi: AlltoallInit on world: 3 elements cannot be cut into 2 equal parts; use Alltoallv"},
			{second(mpi.Ibcast(w, []string{""}, 0).Wait()), mpi.ErrType, ""},
			{second(mpi.Ibarrier(none).Wait()), mpi.ErrComm, "mpi: Ibarrier: the communicator is nil; Split, Create, CartCreate and GraphCreate give nil to the ranks that they leave out"},
			{second(mpi.BarrierInit(none)), mpi.ErrComm, ""},
			{mpi.Alltoallw(w, nil, nil), mpi.ErrCount, "mpi: Alltoallw on world: 0 parts to send and 0 to receive for 2 ranks; give one for each rank, empty ones too"},
			{mpi.Alltoallw(none, nil, nil), mpi.ErrComm, ""},
			{mpi.Alltoallw(w, make([]mpi.Part, 2), []mpi.Part{mpi.PartOf([]string{""}), {}}), mpi.ErrType, ""},
			{second(mpi.Ialltoallw(w, nil, nil).Wait()), mpi.ErrCount, ""},
		} {
			if err := is(row.err, row.class, row.text); err != nil {
				return err
			}
		}
		mine := []mpi.Part{{}, {}}
		mine[w.Rank()] = mpi.PartOf(buf)
		if err := is(mpi.Alltoallw(w, mine, make([]mpi.Part, 2)), mpi.ErrCount, "mpi: Alltoallw on world: the caller sends itself 24 bytes and expects 0"); err != nil {
			return err
		}
		r := mpi.Ibarrier(w)
		if err := is(r.Cancel(), mpi.ErrRequest, "mpi: Cancel on world: Ibarrier cannot be cancelled, only receives; use a communicator WithContext to end its wait"); err != nil {
			return err
		}
		_, err := r.Wait()
		return err
	})
}

// A context ends the wait for a nonblocking call, and thereby the use of the
// communicator for collective calls.
func TestAContextEndsANonblockingCall(t *testing.T) {
	bothWays(t, 2, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			ctx, cancel := context.WithCancel(context.Background())
			r := mpi.Ibarrier(d.WithContext(ctx))
			cancel()
			if _, err := r.Wait(); is(err, mpi.ErrCancelled, "") != nil {
				return fmt.Errorf("got %v", err)
			}
			if err := is(mpi.Barrier(d), mpi.ErrComm, ""); err != nil {
				return err
			}
		}
		return mpi.Barrier(w)
	})
}

// Finalize names a nonblocking call that was never completed.
func TestFinalizeReportsForgottenNonblockingCalls(t *testing.T) {
	err := mpitest.World(1, func(w *mpi.Comm) error {
		mpi.Ibarrier(w)
		return nil
	})
	if !errors.Is(err, mpi.ErrPending) || !strings.Contains(err.Error(), "Ibarrier on world (") || !strings.Contains(err.Error(), "nonblocking_test.go:") {
		t.Errorf("got %v", err)
	}
}
