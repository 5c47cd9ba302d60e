package main

import (
	"os"
	"slices"
	"testing"
)

// whichPrograms are three programs in one job, and what their ranks print: rank, program, and whether that is known.
var (
	whichPrograms = []string{"-genv", playRank + "=which program", "-n", "1", os.Args[0], ":", "-n", "2", os.Args[0], ":", "-n", "1", os.Args[0], "again"}
	whichLines    = []string{"0 0 true", "1 1 true", "2 1 true", "3 2 true"}
)

// TestAppNum: ranks know which program of the job they run (MPI 4.1, section 11.10.3).
func TestAppNum(t *testing.T) {
	status, out, text := mpirun(t, whichPrograms...)
	if got := sortedLines(out); status != 0 || !slices.Equal(got, whichLines) {
		t.Errorf("status %d, %q, %s", status, got, text)
	}
}

// TestAppNumOnHosts: programs count over all hosts, not over those of which a host has ranks.
func TestAppNumOnHosts(t *testing.T) {
	w := newNetwork(t, 2)
	out, err := w.mpirun(slices.Concat([]string{"--hosts", w.names(2)}, whichPrograms)...).CombinedOutput()
	if got := sortedLines(string(out)); err != nil || !slices.Equal(got, whichLines) {
		t.Errorf("%v, %q", err, got)
	}
}
