package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rhinet/collectives"
	"rhinet/internal/tuning"
	"rhinet/mpi"
)

// liveTuned is what a rank does that prints which algorithms it uses, and checks their results.
func liveTuned(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	for _, n := range []int{1, 3, 40, 5000, 70_000} {
		if err := tunedCalls(world, n); err != nil {
			return err
		}
	}
	var names []string
	for _, op := range []string{"barrier", "bcast", "allreduce", "gatherv"} {
		name, err := world.Algorithm(op, 8)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	if rank == size-1 {
		fmt.Println(strings.Join(names, " "))
	}
	return nil
}

// tunedCalls makes calls with n values, and messages, and checks the results.
func tunedCalls(world *mpi.Comm, n int) error {
	rank, size := world.Rank(), world.Size()
	mine, all := make([]int, n), make([]int, n*size)
	fill := func() {
		for i := range mine {
			mine[i] = rank*n + i
		}
		clear(all)
	}
	whole := func(what string, got []int, want func(i int) int) error {
		for i, v := range got {
			if v != want(i) {
				return fmt.Errorf("%s of %d values: %d at %d, want %d", what, n, v, i, want(i))
			}
		}
		return nil
	}
	index := func(i int) int { return i }
	sum := func(i int) int { return n*size*(size-1)/2 + size*i }
	for root := range size {
		fill()
		if err := mpi.Gather(world, mine, all, root); err != nil {
			return err
		}
		if rank == root {
			if err := whole("Gather", all, index); err != nil {
				return err
			}
		}
		if err := mpi.Scatter(world, all, mine, root); err != nil {
			return err
		}
		if err := whole("Scatter", mine, func(i int) int { return rank*n + i }); err != nil {
			return err
		}
		if err := mpi.Reduce(world, mine, all[:n], mpi.Sum, root); err != nil {
			return err
		}
		if err := mpi.Bcast(world, all[:n], root); err != nil {
			return err
		}
		if err := whole("Reduce and Bcast", all[:n], sum); err != nil {
			return err
		}
	}
	fill()
	if err := mpi.Allgather(world, mine, all); err != nil {
		return err
	}
	if err := whole("Allgather", all, index); err != nil {
		return err
	}
	if err := mpi.Allreduce(world, mine, all[:n], mpi.Sum); err != nil {
		return err
	}
	if err := whole("Allreduce", all[:n], sum); err != nil {
		return err
	}
	if _, err := mpi.Sendrecv(world, mine, (rank+1)%size, 1, all[:n], (rank+size-1)%size, 1); err != nil {
		return err
	}
	return whole("Sendrecv", all[:n], func(i int) int { return (rank+size-1)%size*n + i })
}

// Ranks use the table, and no contents of the table change a result; here the contents are arbitrary.
func TestRanksUseTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for round, args := range []string{"-n 4", "-n 3 --nic martini:pm", "-n 3 --time loggp", "-n 2 -x RHINET_CMA=off"} {
		table := tableHere("barrier=tree@0..@0..", "barrier=tree@0..@0..@shared", "bcast=chain@0..@0..@shared", "bcast=chain@0..@0..", "gatherv=linear@0..@0..", "gatherv=linear@0..@0..@shared")
		for _, k := range collectives.Kinds() {
			names := collectives.Algorithms(k)
			for i := range 6 {
				r := collectives.Rule{Kind: k, Algorithm: names[rng.IntN(len(names))], MinBytes: rng.IntN(3000) * rng.IntN(3), Oversubscribed: i%2 == 0}
				table.Rules = append(table.Rules, r.String())
			}
		}
		table.Eager, table.Split = 1+rng.IntN(200_000), 1+rng.IntN(200_000)
		if strings.Contains(args, "loggp") {
			table.Machine, table.Model, table.NIC = nil, "loggp", "timed"
		} else if strings.Contains(args, "pm") {
			table.NIC = "martini:pm"
		}
		all := append([]string{"-q", "--timeout", "2m", "-x", playRank + "=tuned", "--tuning", tableFile(t, table)}, strings.Fields(args)...)
		status, out, errs := mpirun(t, append(all, os.Args[0])...)
		if status != 0 || !strings.HasPrefix(out, "tree chain ") || !strings.HasSuffix(out, " linear\n") {
			t.Errorf("round %d, %s: status %d, %q, %s\n%v", round, args, status, out, errs, table)
		}
	}
}

// A job with a table in a format that no mpirun of this version writes ends at Init, on all ranks.
func TestForeignTuningEndsTheJob(t *testing.T) {
	for word, want := range map[string]string{"x": "is no tuning", "eager=1;split=1;bcast=pigeon@0..@0..": "no algorithm"} {
		req, err := parse([]string{"-n", "2", "-x", playRank + "=tuned", os.Args[0]})
		if err != nil {
			t.Fatal(err)
		}
		errs, read := capture(t)
		out, _ := capture(t)
		req.job.Tuning = word
		if status := execute(req, streams{nil, out, errs}); status == 0 || !strings.Contains(read(), want) {
			t.Errorf("%s: status %d", word, status)
		}
	}
}

// For a model, the program that users have always writes the same table.
func TestTablesOfModelsAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	dir := t.TempDir()
	bench := built(t, "rhinet/cmd/bench")
	var tables [][]byte
	for _, name := range []string{"one", "two"} {
		file := filepath.Join(dir, name)
		status, _, errs := mpirun(t, "tune", "--time", "loggp", "-n", "3", "--sizes", "8,4096", "--bench", bench, "--out", file)
		text, err := os.ReadFile(file)
		if status != 0 || err != nil {
			t.Fatalf("status %d, %v, %s", status, err, errs)
		}
		tables = append(tables, text)
	}
	if !slices.EqualFunc(tables[:1], tables[1:], bytes.Equal) {
		t.Errorf("%s\n%s", tables[0], tables[1])
	}
	if table, err := tuning.Read(filepath.Join(dir, "one"), checkRules); err != nil || len(table.Rules) == 0 || table.Model != "loggp" {
		t.Errorf("%+v, %v", table, err)
	}
}
