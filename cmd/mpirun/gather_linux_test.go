package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/netnstest"
	"rhinet/internal/profiles"
)

// Ranks on several hosts are observed as well as those on one: calls, traffic between hosts, messages with
// consistent times at both ends, and profiles.
func TestObservedRanksOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 2)
	dir := t.TempDir()
	stats, trace, heap := filepath.Join(dir, "stats.json"), filepath.Join(dir, "trace.json"), filepath.Join(dir, "heap.pprof")
	out, err := w.mpirun("--hosts", w.names(2), "-n", "4", "--timeout", "5m", "--stats="+stats, "--trace", trace, "--profile", "heap:"+heap, "../npb", "-class", "S", "is").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := readStats(t, stats)
	far := 0
	for _, p := range s.Traffic {
		if p.From < 2 && p.To >= 2 && p.Messages > 0 {
			far++
		}
	}
	for rank := range 4 {
		if r := s.Ranks[rank]; r.State != "finalized" || r.Seconds <= 0 || callOf(s, rank, "Finalize").Count != 1 {
			t.Errorf("rank %d: %+v", rank, r)
		}
	}
	if far == 0 {
		t.Errorf("nothing between hosts: %+v", s.Traffic)
	}
	checkTrace(t, trace, 4)
	p, err := profiles.Read(heap)
	if err != nil {
		t.Fatal(err)
	}
	ranks := map[string]bool{}
	for _, s := range p.Sample {
		ranks[fmt.Sprint(s.NumLabel["rank"])] = true
	}
	if got := slices.Sorted(maps.Keys(ranks)); !slices.Equal(got, []string{"[0]", "[1]", "[2]", "[3]"}) {
		t.Errorf("profile of ranks %v", got)
	}
	w.empty()
}

// checkTrace checks that a trace has the given number of ranks, and messages from the first half of them to
// the second.
func checkTrace(t *testing.T, file string, ranks int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		TraceEvents []struct {
			Phase string  `json:"ph"`
			PID   int     `json:"pid"`
			ID    uint64  `json:"id"`
			At    float64 `json:"ts"` // microseconds
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	events := all.TraceEvents
	slices, begins, far := map[int]int{}, map[uint64]int{}, 0
	for _, e := range events {
		switch e.Phase {
		case "X":
			slices[e.PID]++
			if e.At < 0 || e.At > 3600e6 {
				t.Errorf("an event of rank %d at %v us of the job", e.PID-1, e.At)
			}
		case "s":
			begins[e.ID] = e.PID
		}
	}
	for _, e := range events {
		if from := begins[e.ID]; e.Phase == "f" && from > 0 && from <= ranks/2 && e.PID > ranks/2 {
			far++
		}
	}
	if len(slices) != ranks || far == 0 {
		t.Errorf("events by process: %v, %d messages between hosts", slices, far)
	}
}

// The ranks of a lost host are not reported; the others are.
func TestRanksOfALostHostAreNotReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stats.json")
	status, _, errs := onHosts(t, "-n", "2", "--stats="+file, "sh", "-c", "test $RHINET_RANK = 1 && kill -9 $PPID; exec sleep 60")
	if status != 1 || !strings.Contains(errs, "host b is lost") {
		t.Fatalf("status %d, %s", status, errs)
	}
	if s := readStats(t, file); s.Ranks[0].State != "not in MPI" || s.Ranks[1].State != "not reported" {
		t.Errorf("%+v", s.Ranks)
	}
}

// Profiles come from hosts as the ranks have written them; missing ones are reported.
func TestProfilesOfHosts(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	file := filepath.Join(dir, "cpu.pprof")
	status, _, errs := onHosts(t, "-n", "2", "--profile", "cpu:"+file, "sh", "-c", `test $RHINET_RANK = 1 || echo part >${RHINET_PROFILE#cpu:}/rank-0.pprof; test -d ${RHINET_PROFILE#cpu:}`)
	if status != 0 || errs != "mpirun: no profile of rank 0, rank 1: a rank writes it when it ends with Finalize or an error\n" {
		t.Errorf("status %d, %q", status, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "rhinet-profile-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A profile that cannot be read on its host fails the job with its name; those of the other ranks are written.
func TestUnreadableProfileOfAHost(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	heap := filepath.Join(dir, "one.pprof")
	if status, _, errs := mpirun(t, "-n", "1", "--profile", "heap:"+heap, "-x", playRank+"=observed profile", os.Args[0]); status != 0 {
		t.Fatalf("status %d, %s", status, errs)
	}
	file := filepath.Join(dir, "heap.pprof")
	status, _, errs := onHosts(t, "-n", "2", "--profile", "heap:"+file, "sh", "-c", `at=${RHINET_PROFILE#heap:}/rank-$RHINET_RANK.pprof; if test $RHINET_RANK = 1; then mkdir $at; else cp `+heap+` $at; fi`)
	if status != 1 || !strings.HasPrefix(errs, "mpirun: the profile is not whole: rank 1 on host b: read ") || !strings.HasSuffix(errs, "is a directory\n") {
		t.Errorf("status %d, %q", status, errs)
	}
	if p, err := profiles.Read(file); err != nil || len(p.Sample) == 0 || !slices.Equal(p.Sample[0].NumLabel["rank"], []int64{0}) {
		t.Errorf("the profile of rank 0: %v", err)
	}
}
