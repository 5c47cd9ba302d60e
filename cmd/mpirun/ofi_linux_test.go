package main

import (
	"os"
	"strings"
	"testing"

	"rhinet/internal/netnstest"
)

// TestProgramsOnLibfabric runs kernels whose ranks communicate over libfabric; mpirun builds them with it.
// Programs built without it say so.
func TestProgramsOnLibfabric(t *testing.T) {
	status, _, errs := mpirun(t, "-n", "2", "--nic", "ofi", "-x", playRank+"=meet Finalize", os.Args[0])
	if status != 1 || !strings.Contains(errs, "build it with -tags ofi") {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := mpirun(t, "--nic", "ofi:provider=carrier", "sh"); status != 2 || !strings.Contains(errs, `no provider "carrier"; it is tcp, rxm, verbs, efa`) {
		t.Errorf("status %d, %s", status, errs)
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	status, out, errs := mpirun(t, "-n", "2", "-q", "--timeout", "2m", "--nic", "ofi", "-x", "RHINET_DEBUG=contract", "../npb", "-class", "S", "is", "cg", "mg")
	if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); status != 0 || got != 3 {
		t.Errorf("status %d, %d kernels verified; %s", status, got, errs)
	}
}

// TestProgramsOnTCP runs kernels whose ranks communicate over TCP alone, as between hosts.
func TestProgramsOnTCP(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	status, out, errs := mpirun(t, "-n", "4", "-q", "--timeout", "2m", "--nic", "tcp", "-x", "RHINET_DEBUG=contract", "../npb", "-class", "S", "is", "ep")
	if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); status != 0 || got != 2 {
		t.Errorf("status %d, %d kernels verified; %s", status, got, errs)
	}
}
