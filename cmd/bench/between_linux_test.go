package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rhinet/bench/compare"
	"rhinet/internal/netnstest"
)

// Where hosts cannot be emulated, the error is one sentence.
func TestComparisonWithoutNamespaces(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	status, out, errs := process(t, "compare", "--hosts", "--short")
	if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "bench: hosts cannot be made of network namespaces here, which takes root and iproute2: ") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// This runtime and Open MPI run between hosts. MPICH does, too, but takes minutes on busy processors.
func TestComparisonBetweenHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	netnstest.Libfabric(t)
	netnstest.Network(t, 1).Close()
	var peers []string
	if compare.Installed([]string{"openmpi"}) == nil {
		peers = append(peers, "openmpi")
	}
	file := filepath.Join(t.TempDir(), "hosts.json")
	status, out, errs := process(t, "compare", "--hosts", "--short", "--tests", "PingPong,hello", "--rounds", "1", "--time", "1ms", "--quiet", "--peers", strings.Join(peers, ","), "--out", file)
	res, err := compare.Read(file)
	if status != 0 || err != nil {
		t.Fatalf("status %d, %v, %q, %q", status, err, out, errs)
	}
	notes, found := strings.Join(res.Notes, "\n"), map[string]int{}
	for _, s := range res.Samples {
		found[s.Runtime]++
	}
	if found[res.Runtimes[0]] != 4 { // two sizes, and time and memory of a job
		t.Errorf("%+v", res.Samples)
	}
	for _, name := range peers { // peers may be too slow on busy processors
		if found[name] == 0 && (!strings.Contains(notes, name+": ") || !strings.Contains(notes, "did not end within")) {
			t.Errorf("nothing of %s: %q", name, notes)
		}
	}
	if len(res.Runtimes) != 1+len(peers) || !strings.Contains(out, "note: hosts are network namespaces of one machine") {
		t.Errorf("%q", out)
	}
}
