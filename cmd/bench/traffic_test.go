package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rhinet/bench/traffic"
	"rhinet/llc/nics"
)

// processes returns the paths of mpirun and of this program, which then
// behaves as the command.
func processes(t *testing.T) (mpirun, self string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mpirun = filepath.Join(t.TempDir(), "mpirun")
	if text, err := exec.Command("go", "build", "-o", mpirun, "rhinet/cmd/mpirun").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Setenv(asBench, "1")
	return mpirun, self
}

// everyNIC are the network interfaces on which no message may be lost.
var everyNIC = nics.Names()

// A small part of the random traffic: two seeds of each setting.
func TestTraffic(t *testing.T) {
	mpirun, _ := processes(t)
	status, out, errs := process(t, "traffic", "--mpirun", mpirun, "--seeds", "18", "--steps", "5", "--budget", "4000000", "--ranks", "2,3,5", "--timeout", "3m")
	if status != 0 || !strings.Contains(out, "seeds from 0: 18 run, 0 failed") {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
	for _, nic := range traffic.NICs() {
		if !strings.Contains(errs, " ranks, "+nic+"\n") {
			t.Errorf("%s was not used: %s", nic, errs)
		}
	}
}

// A receiver that sleeps while others exchange long messages loses nothing.
func TestFlood(t *testing.T) {
	mpirun, self := processes(t)
	for _, nic := range append(everyNIC, "martini:pm:throttle=global") {
		for ranks, args := range map[int]string{3: "flood --rounds 150 --sleep 300ms", 9: "flood --rounds 12 --sleep 300ms"} {
			job := traffic.Job{Ranks: ranks, NIC: nic, Timeout: 3 * time.Minute, Args: strings.Fields(args)}
			if err := job.Run(t.Context(), mpirun, self); err != nil {
				t.Errorf("%s: %v", nic, err)
			}
		}
	}
}

// Alltoall on more ranks than there are rings for.
func TestAlltoallOnManyRanks(t *testing.T) {
	mpirun, self := processes(t)
	job := traffic.Job{Ranks: 80, Timeout: 3 * time.Minute, Args: strings.Fields("alltoall --bytes 65536")}
	if err := job.Run(t.Context(), mpirun, self); err != nil {
		t.Error(err)
	}
}

// A failure in a job is reported with the command that repeats it.
func TestFailingTraffic(t *testing.T) {
	mpirun, self := processes(t)
	hang := traffic.Job{Ranks: 3, Timeout: time.Second, Args: strings.Fields("flood --sleep 1h")}
	err := hang.Run(t.Context(), mpirun, self)
	if !errors.Is(err, traffic.ErrHang) || !strings.Contains(err.Error(), "repeat it with: mpirun -q -n 3 --timeout 1s bench traffic flood --sleep 1h") {
		t.Errorf("a hang gave %v", err)
	}
	wrong := traffic.Job{Ranks: 2, Timeout: time.Minute, Env: []string{"RHINET_CMA=off"}, Args: []string{"flood"}}
	err = wrong.Run(t.Context(), mpirun, self)
	if !errors.Is(err, traffic.ErrViolation) || !strings.Contains(err.Error(), "RHINET_CMA=off mpirun -q -n 2") || !strings.Contains(err.Error(), "an odd number of ranks, 3 at least, not 2") {
		t.Errorf("a failure gave %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, stop)
	if err := hang.Run(ctx, mpirun, self); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt gave %v", err)
	}
	if err := hang.Run(t.Context(), filepath.Join(t.TempDir(), "none"), self); err == nil || errors.Is(err, traffic.ErrViolation) {
		t.Errorf("no mpirun gave %v", err)
	}
	status, out, errs := process(t, "traffic", "--mpirun", mpirun, "--seed", "7", "--seeds", "3", "--ranks", "2", "--timeout", "1ms")
	if status != 1 || !strings.HasPrefix(out, "seed 7: the job did not end in time") || !strings.Contains(out, "bench traffic --seed 7 ") ||
		!strings.Contains(out, "seeds from 7: 1 run, 1 failed") || !strings.Contains(errs, "bench: failed: 1 of 1") {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
	status, out, _ = process(t, "traffic", "--mpirun", mpirun, "--seeds", "2", "--ranks", "2", "--timeout", "1ms", "--keep-going")
	if status != 1 || !strings.Contains(out, "seeds from 0: 2 run, 2 failed") {
		t.Errorf("status %d, %s", status, out)
	}
}

// The plan of a seed is printed without running any ranks.
func TestTrafficPlan(t *testing.T) {
	status, out, errs := command("traffic", "--print", "--seed", "5", "--ranks", "4")
	if status != 0 || errs != "" || !strings.HasPrefix(out, "seed 5 on 4 ranks: ") || !strings.Contains(out, "lane 0 step 0: ") {
		t.Errorf("status %d, %.200s, %s", status, out, errs)
	}
}

func TestBadTraffic(t *testing.T) {
	for args, want := range map[string]string{
		"--ranks 65":           "--ranks 65: random traffic is for 1 to 64 ranks",
		"--ranks 0":            "--ranks 0: random traffic",
		"--seeds 0":            "--seeds 0 is less than 1",
		"--steps 0":            "--steps 0 is less than 1",
		"--budget 0":           "--budget 0 is less than 1",
		"--most 99999999999":   "--most 99999999999: messages have 0 to",
		"--minutes -1":         "--minutes -1 is negative",
		"--timeout 0s":         "--timeout 0s is not a positive duration",
		"--nic martini+x":      `--nic: setting "martini+x"`,
		"--nic nowhere":        "--nic nowhere: mpirun: --nic nowhere: no such network interface",
		"--seed x":             "--seed x is",
		"7":                    `unexpected argument "7"`,
		"fixed --timeout 0s":   "--timeout 0s is not a positive",
		"fixed --nic +":        "--nic: setting",
		"fixed 3":              `unexpected argument "3"`,
		"flood 3":              `unexpected argument "3"`,
		"--mpirun /no/program": "--mpirun /no/program is not a program",
	} {
		status, _, errs := command(append([]string{"traffic"}, strings.Fields(args)...)...)
		if status != statusUsage || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %q, want %q", args, status, errs, want)
		}
	}
	t.Setenv(rankVariable, "0")
	if status, _, errs := command("traffic", "fixed"); status != statusUsage || !strings.Contains(errs, "starts its own ranks") {
		t.Errorf("status %d, %s", status, errs)
	}
}
