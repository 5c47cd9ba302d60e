package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"rhinet/mpi"
)

// liveWithRings is what a rank does that communicates with all others. Rank 0 prints how many KiB of the
// job's memory it has touched.
func liveWithRings(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	for _, n := range []int{1, 300, 5000} {
		out, in := make([]int, n), make([]int, n)
		for round := range 3 {
			for shift := 1; shift < size; shift++ {
				to, from := (rank+shift)%size, (rank+size-shift)%size
				out[0], out[n-1] = rank+round, rank+round
				if _, err := mpi.Sendrecv(world, out, to, round, in, from, round); err != nil {
					return err
				}
				if in[0] != from+round || in[n-1] != from+round {
					return fmt.Errorf("%d and %d of rank %d in round %d", in[0], in[n-1], from, round)
				}
			}
		}
	}
	if rank != 0 {
		return nil
	}
	status, err := os.ReadFile("/proc/self/status")
	if found := regexp.MustCompile(`RssShmem:\s*(\d+) kB`).FindSubmatch(status); err == nil && found != nil {
		fmt.Printf("%s\n", found[1])
		return nil
	}
	return fmt.Errorf("no RssShmem: %v", err)
}

// The limit is passed to the ranks: data that exceeds the room for rings goes through the shared rings, and
// the pages of packet rings are not touched.
func TestRingMemory(t *testing.T) {
	touched := func(flags ...string) int {
		t.Helper()
		args := append([]string{"-q", "-n", "8", "--timeout", "2m", "-x", playRank + "=rings"}, flags...)
		status, out, errs := mpirun(t, append(args, os.Args[0])...)
		n, err := strconv.Atoi(regexp.MustCompile(`\d*`).FindString(out))
		if status != 0 || err != nil {
			t.Fatalf("%q: status %d, %q, %s", flags, status, out, errs)
		}
		return n
	}
	const ring = 144 // KiB, of the default network interface
	all, one, none := touched(), touched("--ring-memory", fmt.Sprint(ring<<10)), touched("--ring-memory", "1")
	if none > all-7*ring || one > all-5*ring {
		t.Errorf("rank 0 has touched %d KiB; where each has room for one ring %d, for none %d", all, one, none)
	}
	if n := touched("--ring-memory", "1", "--nic", "ib"); n > all-7*ring {
		t.Errorf("on ib %d KiB", n)
	}
}
