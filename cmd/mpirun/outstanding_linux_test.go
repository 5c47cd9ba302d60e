package main

import (
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
)

// virtualOutstanding has eight collective operations outstanding at once on four communicators, mixed with
// messages, completes them in several ways, and prints its clock.
func virtualOutstanding(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	cs := []*mpi.Comm{world}
	for range 2 {
		d, err := world.Dup()
		if err != nil {
			return err
		}
		cs = append(cs, d)
	}
	half, err := world.Split(rank%2, -rank)
	if err != nil {
		return err
	}
	cs = append(cs, half)
	say := func(round, what int) { fmt.Printf("%d %d %d %.12f\n", rank, round, what, mpi.Wtime()) }
	noisy := mpi.OpFunc(func(in, inout []int) {
		for i := range inout {
			inout[i] += in[i]
		}
	})
	for round := range 6 {
		n := []int{1, 700, 20000}[round%3]
		mine, token := make([]int, n), []int{rank}
		sums, spread, all := make([]int, n), make([]int, n), make([]int, size)
		for i := range mine {
			mine[i] = rank
		}
		left, right := (rank+size-1)%size, (rank+1)%size
		reqs := []*mpi.Request{
			mpi.Iallreduce(cs[round%3], mine, sums, mpi.Sum),
			mpi.Ibarrier(cs[3]),
			mpi.Ibcast(cs[1], spread, round%size),
			mpi.Iallgather(world, token, all),
			mpi.Iscan(cs[2], mine, make([]int, n), noisy),
			mpi.Irecv(world, []int{0}, left, round),
			mpi.Ialltoall(cs[(round+1)%4], make([]int, 12*n), make([]int, 12*n)),
			mpi.IreduceScatterBlock(cs[2], make([]int, n*size), make([]int, n), mpi.Max),
			mpi.Isend(world, token, right, round),
			mpi.Iallreduce(cs[3], token, []int{0}, noisy),
		}
		if err := mpi.Compute(world, "ep", float64(1000*((rank*7+round*3)%5))); err != nil {
			return err
		}
		for len(reqs) > 6 { // completes them by testing and by waiting
			i, _, done, err := mpi.TestAny(reqs...)
			if !done && len(reqs)%2 == 0 {
				i, _, err = mpi.WaitAny(reqs...)
				done = true
			}
			if err != nil {
				return err
			}
			if done {
				reqs = append(reqs[:i:i], reqs[i+1:]...)
				say(round, len(reqs))
			}
		}
		if err := mpi.Allreduce(cs[1], token, []int{0}, mpi.Sum); err != nil {
			return err
		}
		say(round, -1)
		if err := mpi.WaitAll(reqs...); err != nil {
			return err
		}
		say(round, -2)
		if sums[n-1] != size*(size-1)/2 || all[right] != right {
			return fmt.Errorf("sum %d, gathered %v", sums[n-1], all)
		}
	}
	return nil
}

// TestOutstandingOperations: however many operations are outstanding, the order of their transfers depends
// only on the model.
func TestOutstandingOperations(t *testing.T) {
	for _, model := range []string{"loggp:g=100,G=2", "martini", "sync"} {
		first := ""
		for i, processors := range []string{"1", "2", "2", "1", "2"} {
			status, out, errs := virtually(t, "outstanding", "-n", "6", "--time", model, "--compute", "counted", "-x", "GOMAXPROCS="+processors)
			if status != 0 {
				t.Fatalf("%s: status %d, %s%s", model, status, out, errs)
			}
			all := strings.Join(sorted(strings.Split(out, "\n")), "\n") + errs
			if i == 0 {
				first = all
			} else if all != first {
				t.Fatalf("%s: two runs differ:\n%s\n%s", model, first, all)
			}
		}
	}
}
