package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rhinet/internal/hosts"
	"rhinet/mpi"
)

// virtualAcross makes calls that have a goroutine each, and waits for one that has none.
func virtualAcross(world *mpi.Comm) error {
	me := world.Rank()
	group, err := world.Split(me%2, me)
	if err != nil {
		return err
	}
	inter, err := group.IntercommCreate(0, world, 1-me%2, 3)
	if err != nil {
		return err
	}
	for range 100 {
		var all []*mpi.Request
		for range 6 {
			all = append(all, mpi.Iallgather(inter, make([]int, 500), make([]int, 500*inter.RemoteSize())))
		}
		if err := mpi.Allreduce(inter, []int{me}, []int{0}, mpi.Sum); err != nil {
			return err
		}
		if err := mpi.WaitAll(all...); err != nil {
			return err
		}
	}
	return nil
}

// virtualLate has all ranks wait until a goroutine of rank 0, which is in no call for longer than that is doubted,
// makes one.
func virtualLate(world *mpi.Comm) error {
	if world.Rank() > 0 {
		_, err := mpi.Recv(world, []int{0}, 0, 5)
		return err
	}
	sent := make(chan error)
	go func() {
		time.Sleep(5 * time.Second)
		var err error
		for to := range world.Size() {
			err = errors.Join(err, mpi.Send(world, []int{1}, to, 5))
		}
		sent <- err
	}()
	_, err := mpi.Recv(world, []int{0}, 0, 5)
	return errors.Join(err, <-sent)
}

// TestDoubtfulStalls: that all ranks wait while a goroutine is in no call is told once, and only if none makes a call
// soon.
func TestDoubtfulStalls(t *testing.T) {
	for part, times := range map[string]int{"across": 0, "late": 1} {
		status, _, errs := virtually(t, part, "-n", "4", "--time", "loggp")
		if told := strings.Count(errs, "unless a goroutine outside of MPI goes on, the job hangs"); status != 0 || told != times {
			t.Errorf("%s: status %d, told %d times, want %d: %s", part, status, told, times, errs)
		}
	}
}

// TestMessagesOnMartini: a ping-pong of an MPI program takes the time of the experiment P12, in which two
// programs on two hosts use the layers without MPI.
func TestMessagesOnMartini(t *testing.T) {
	text, err := os.ReadFile("../../results/2026-11-22-model/mpi.csv")
	if err != nil {
		t.Fatal(err)
	}
	for model, series := range map[string]string{"martini:pm": "rhinet", "martini:vp": "rhinet-vp", "martini:vpush": "hw-vpush", "martini:pm:pm.rma=on": "zerocopy"} {
		for _, bytes := range []int{8, 1024, 65536} {
			_, row, found := strings.Cut(string(text), fmt.Sprintf("\nmpi,pingpong-%s,2,%d,", series, bytes))
			var want, got float64
			fmt.Sscanf(row, "%f", &want)
			status, out, errs := virtually(t, fmt.Sprint("pingpong ", bytes), "-n", "2", "-q", "--time", model)
			fmt.Sscanf(out, "%f\n%f", new(float64), &got) // the first ping-pong fills the TLBs
			if got /= 1e3; status != 0 || !found || math.Abs(got/want-1) > 0.04 {
				t.Errorf("%s, %d bytes: %.3f us, want %.3f; status %d, %s", model, bytes, got, want, status, errs)
			}
		}
	}
}

// TestTopology: a longer path takes more time, and so does a larger value of a parameter.
func TestTopology(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net")
	if err := os.WriteFile(file, []byte("switch s\nhost a b\nlink a s 100\nlink b s 100\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, args := range [][]string{{"pair"}, {"one:2"}, {"line:2x1"}, {file}, {file, "--set", "host.call=5000"}} {
		status, out, errs := virtually(t, "pingpong 8", append([]string{"-n", "2", "--time", "martini", "--topology"}, args...)...)
		var ns float64
		fmt.Sscanf(out, "%f\n%f", new(float64), &ns)
		if status != 0 || ns <= last || !strings.Contains(errs, "virtual time on martini") || !strings.Contains(errs, " on "+args[0]+"; compute none") {
			t.Errorf("%v: %f ns after %f; status %d, %s", args, ns, last, status, errs)
		}
		last = ns
	}
}

// TestKernelsInVirtualTime runs the kernels, which verify their results.
func TestKernelsInVirtualTime(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	npb := built(t, "rhinet/cmd/npb")
	status, out, errs := mpirun(t, "-n", "4", "-q", "--timeout", "2m", "--time", "fattree:k=2,taper=2", "--compute", "counted", "-x", "RHINET_DEBUG=contract",
		npb, "-class", "S", "cg", "mg", "ft", "is", "lu", "ep", "bt", "sp")
	if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); status != 0 || got != 8 {
		t.Errorf("status %d, %d kernels verified; %s", status, got, errs)
	}
	status, out, errs = mpirun(t, "-n", "3", "-q", "--timeout", "2m", "--time", "martini:vp", "-x", "RHINET_DEBUG=contract", npb, "-class", "S", "ep")
	if status != 0 || !strings.Contains(out, "SUCCESSFUL") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	// One rank computes at the rate of the host: the kernels declare all of their operations.
	kernels := []string{"cg", "mg", "ft", "is", "lu", "ep", "bt", "sp"}
	status, out, errs = mpirun(t, append([]string{"-q", "--timeout", "2m", "--time", "loggp", "--compute", "counted", npb, "-class", "S"}, kernels...)...)
	rates, err := hosts.Rates(hosts.Default)
	_, texts, _ := strings.Cut(out, " Mop/s total ")
	for i, text := range strings.Split(texts, " Mop/s total ") {
		var mops float64
		_, text, _ = strings.Cut(text, "=")
		fmt.Sscan(text, &mops)
		if want := rates[kernels[i]] / 1e6; math.Abs(mops/want-1) > 1e-4 {
			t.Errorf("%s: %v Mop/s, the host has %v, %v; status %d, %s", kernels[i], mops, want, err, status, errs)
		}
	}
}
