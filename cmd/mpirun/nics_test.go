package main

import (
	"runtime"
	"strings"
	"testing"

	"rhinet/llc/nics"
)

// TestKernelsOnEveryNIC runs the kernels as processes, on each NIC that --nic
// can name but the default, which the other tests use; those of the small class
// under a watch of the NIC's contract, on the default as well.
func TestKernelsOnEveryNIC(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	for _, name := range append(nics.Names(), "martini:pm:throttle=global") {
		for class, kernels := range map[string][]string{"S": {"cg", "mg", "ft", "is", "lu"}, "W": {"cg", "mg", "ft", "is", "bt"}} {
			watch := ""
			switch {
			case class == "S":
				watch = "contract"
			case name == nics.Default:
				continue
			}
			status, out, errs := mpirun(t, append([]string{"-n", "4", "--quiet", "--timeout", "1m", "--nic", name, "-x", nics.DebugVariable + "=" + watch,
				"../npb", "-class", class}, kernels...)...)
			if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); status != 0 || got != len(kernels) {
				t.Errorf("%s: class %s, status %d, %d kernels verified, want %d; %s", name, class, status, got, len(kernels), errs)
			}
		}
	}
}
