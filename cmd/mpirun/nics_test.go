package main

import (
	"runtime"
	"strings"
	"testing"

	"rhinet/llc/nics"
)

// TestKernelsOnEveryNIC runs the kernels as processes, on each NIC that --nic can name except the default,
// which the other tests use. Those of the small class run with checks of the NIC's contract, also on the
// default.
func TestKernelsOnEveryNIC(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	npb := built(t, "rhinet/cmd/npb")
	for _, name := range append(nics.Names(), "martini:pm:throttle=global", "ib:ud:faults=some") {
		for class, kernels := range map[string][]string{"S": {"ep", "cg", "mg", "ft", "is", "lu", "sp", "bt"}, "W": {"cg", "mg", "ft", "is", "bt"}} {
			watch := ""
			switch {
			case class == "S":
				watch = "contract"
			case name == nics.Default:
				continue
			}
			status, out, errs := mpirun(t, append([]string{"-n", "4", "--quiet", "--timeout", "5m", "--nic", name, "-x", nics.DebugVariable + "=" + watch,
				npb, "-class", class}, kernels...)...)
			if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); status != 0 || got != len(kernels) {
				t.Errorf("%s: class %s, status %d, %d kernels verified, want %d; %s", name, class, status, got, len(kernels), errs)
			}
		}
	}
}

// Programs that use the communication library without MPI run as jobs like others, on every network
// interface.
func TestPeersWithoutMPI(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks are processes on Linux only")
	}
	hashtable, blockstore := built(t, "rhinet/llc/user/hashtable"), built(t, "rhinet/llc/user/blockstore")
	for _, nic := range nics.Names() {
		status, out, errs := mpirun(t, "-n", "3", "--nic", nic, hashtable)
		if status != 0 || out != "3 peers counted 60000 numbers, 1000 different ones\n" || errs != "" {
			t.Errorf("%s: status %d, %q, %q", nic, status, out, errs)
		}
		status, out, errs = mpirun(t, "-n", "4", "--nic", nic, blockstore)
		if nic == "ib:ud" || nic == "dimmnet2" || nic == "sync" || nic == "tcp" { // these cannot access the memory of peers, and report that
			if status != 1 || out != "" || !strings.Contains(errs, "blockstore: user: ") {
				t.Errorf("%s: status %d, %q, %q", nic, status, out, errs)
			}
			continue
		}
		if status != 0 || out != "2 clients kept 64 blocks of 65536 bytes at 2 servers\n" || errs != "" {
			t.Errorf("%s: status %d, %q, %q", nic, status, out, errs)
		}
	}
}
