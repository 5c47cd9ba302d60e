package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asBench makes the test binary run as the command, because a process may initialise MPI only once.
const asBench = "RHINET_TEST_AS_BENCH"

func TestMain(m *testing.M) {
	if os.Getenv(asBench) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// process runs the command in a process of its own.
func process(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asBench+"=1")
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func command(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

// Wrong input gives one line that names what is wrong, and status 2.
func TestBadInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "no command"},
		{"pong", `unknown command "pong"`},
		{"pingpong --sizes 1,x", `size "x"`},
		{"pingpong --format xml", `unknown format "xml"; the formats are table, csv, json, go`},
		{"pingpong --time 0s", "--time 0s"},
		{"pingpong --fast", "unknown flag: --fast; bench pingpong --help lists the flags"},
		{"pingpong -sizes 8", "unknown flag -sizes; long flags begin with two dashes, and bench pingpong --help lists the flags"},
		{"pingpong -s 8", "unknown shorthand flag: 's' in -s; bench pingpong --help"},
		{"pingpong 8", `unexpected argument "8"; sizes are given with --sizes`},
		{"calibrate 8", `unexpected argument "8"; bench calibrate --help lists the flags`},
		{"compare pingpong", `unexpected argument "pingpong"; tests are given with --tests, and commands are npb, pmb`},
		{"compare --rounds x", "--rounds x is not a whole number"},
		{"compare --within 5", "--within 5 is not a duration, such as 100ms or 5m"},
		{"compare --short=x", "--short x is neither true nor false"},
		{"compare --out", "flag needs an argument: --out; bench compare --help lists the flags"},
		{"compare --out /nowhere/x.json --peers= --mpirun true", "--out: cannot write to folder /nowhere: no such file or directory"},
		{"compare pmb --ranks a", "--ranks a is not whole numbers separated by commas"},
		{"pingpong", "mpirun -n 2"},
		{"allreduce --sizes 10", "Allreduce takes multiples of 4"},
		{"compare --format xml", "table, markdown, csv, json, go"},
		{"compare --rounds 0", "--rounds 0 is less than 1"},
		{"compare --time -1s", "bench: --time -1s is not a positive duration, such as 100ms\n"},
		{"compare --limit 0s", "bench: --limit 0s is not a positive duration, such as 100ms\n"},
		{"compare npb --limit 0s", "bench: --limit 0s is not"},
		{"compare --tests pinpong", `unknown test "pinpong"`},
		{"compare --peers lam", `unknown runtime "lam"`},
		{"compare --resume", "--resume needs --out"},
		{"compare --ours a,a", "named twice"},
		{"compare --resume --out none.json --peers= --mpirun true", "--resume: there is no none.json to continue; leave --resume out to make it"},
		{"compare pmb Pong", `unknown test "Pong"`},
		{"compare pmb --ranks 1", "--ranks 1 is too few; the suite is compared on 2 or more"},
		{"compare npb --ranks 0", "--ranks 0 is less than 1"},
		{"compare pmb --sizes x", `size "x"`},
		{"compare pmb --time 0s", "bench: --time 0s is not a positive duration, such as 100ms\n"},
		{"compare pmb --peers lam", `unknown runtime "lam"`},
		{"compare npb --kernels gc", `unknown kernel "gc"`},
		{"compare npb --classes Z", `unknown class "Z"`},
		{"compare npb --ranks 3 --kernels cg", "a power of two"},
		{"compare npb --reference /nowhere", "--reference: open /nowhere: no such file or directory; name a folder"},
		{"compare npb --reference-mpi lam --reference .", `unknown runtime "lam"`},
		{"compare npb --npb /nowhere --mpirun true", "--npb /nowhere is not a program"},
		{"compare npb --rounds 0", "--rounds 0"},
		{"pmb PongPing", `unknown test "PongPing"; the tests are PingPong, PingPing`},
		{"pmb Bcast --off-cache=-7", "--off-cache -7 is negative"},
		{"pmb --sizes x", `size "x"`},
		{"pmb --format xml", "imb, csv, json"},
		{"pmb --window 0", "--window 0 is not above zero"},
		{"pmb --npmin 0", "--npmin 0 is not above zero"},
		{"pmb --repetitions 0", "--repetitions 0 is not above zero"},
		{"pmb --time 0s", "--time 0s is not above zero"},
		{"pmb --off-cache=x", "--off-cache x is not a whole number"},
		{"pmb PingPong", "mpirun -n 2"},
		{"pmb --algorithms PingPong", `no collective operation "PingPong"`},
		{"pmb --algorithms Bcast", "mpirun -n 2"},
		{"pmb --algorithms Bcast --check", "leave --check and --multi out"},
		{"pmb --algorithms Bcast --format json", "imb, csv"},
		{"pmb --algorithms Reduce --sizes 2", "Reduce takes multiples of 4"},
		{"pmb Reduce -sizes 2", "Reduce takes multiples of 4"},
		{"report", "no result file named"},
		{"report x.json", "nothing to write"},
		{"report none.json -o page.html", "none.json"},
		{"report x.json -o y --plot-format gif", "svg, pdf, png, eps"},
		{"watch", "--baseline FILE"},
		{"watch x", "unexpected argument \"x\"; bench watch --help lists the flags, and commands are calls\n"},
		{"watch --baseline none.json", "--update makes it"},
		{"watch --baseline x --tries 0", "bench: --tries 0 is less than 1\n"},
		{"watch --baseline x --limit 0s", "bench: --limit 0s is not a positive duration, such as 100ms\n"},
		{"watch tally Bcast", "tally takes"},
		{"watch piece match", "piece takes"},
		{"watch piece match 8", `unknown piece "match"; the pieces are message 8, `},
		{"watch tally Pong 8 1", `unknown test "Pong"`},
		{"watch tally Bcast 8 x", `"x" repetitions is no number above zero`},
		{"watch tally Bcast x 1", `the size "x" is not a number of bytes`},
		{"watch piece self 0", "the pieces are"},
		{"connected --time 0s", "bench: --time 0s is not a positive duration, such as 100ms\n"},
		{"watch tally PingPong 8 1", "mpirun -n 2"},
		{"results", "name one folder"},
		{"results a b", "name one folder"},
		{"results a --peers lam", `unknown runtime "lam"`},
		{"results a --peers= --reference /nowhere", "--reference"},
		{"results a --peers= --mpirun /nowhere", "--mpirun /nowhere is not a program"},
		{"results main.go --peers= --mpirun true", "main.go is there, and is not a folder"},
		{"pm scan --sizes 8", "--rings"},
		{"barrier --sizes 8", "Barrier has no message; leave --sizes out"},
		{"help foo", `no command "foo"; bench --help lists the commands`},
		{"completion tcsh", "completion tcsh: no script for this shell; there is bash, fish, powershell, zsh"},
		{"completion", "completion names no shell; there is bash, "},
		{"results /proc/none --peers= --mpirun true", "/proc/none"},
		{"compare --within -1s", "--within"},
		{"compare --out . --peers= --mpirun true", "--out: . is there, and is not a file"},
		{"calibrate --format xml", "the formats are text, json"},
		{"compare --out /nowhere/at/all.json", "--out"},
	} {
		status, out, errs := process(t, strings.Fields(c.args)...)
		if status != statusUsage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("bench %s: status %d, output %q, errors %q; want %q", c.args, status, out, errs, c.want)
		}
	}
}

// A comparison in every rank would start the number of ranks squared.
func TestComparisonUnderMpirunIsRefused(t *testing.T) {
	t.Setenv(rankVariable, "0")
	status, out, errs := command("compare", "--short")
	if status != statusUsage || !strings.Contains(errs, "run it without mpirun") || out != "" {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

// If the folder for temporary files does not exist, the error names the variable that sets another one.
func TestNoPlaceToWorkIn(t *testing.T) {
	t.Setenv("TMPDIR", "/no/where")
	status, out, errs := command("compare", "--peers=", "--mpirun", "true")
	if status != 1 || !strings.Contains(errs, "/no/where") || !strings.Contains(errs, "TMPDIR names another place") || strings.Count(errs, "\n") != 1 || out != "" {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

// If all ranks find the same error, rank 0 reports it; another rank does so only if it is still running
// later.
func TestFirstRankSpeaks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"pong", "nic push", "pm scan", "nic trace push", "calibrate", "report x -o y", "watch --baseline x"} {
		for _, rank := range []string{"0", "1"} {
			t.Run(args+", rank "+rank, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(self, strings.Fields(args)...)
				cmd.Env = append(os.Environ(), asBench+"=1", rankVariable+"="+rank)
				start := time.Now()
				out, err := cmd.CombinedOutput()
				if err == nil || cmd.ProcessState.ExitCode() != statusUsage || strings.Count(string(out), "\n") != 1 {
					t.Errorf("%v: %q", err, out)
				}
				if d := time.Since(start); rank != "0" && d < spoken {
					t.Errorf("speaks after %v", d)
				}
			})
		}
	}
}

func TestMissingPeersIsStatus3(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	status, _, errs := command("compare", "--short")
	if status != statusMissing || !strings.Contains(errs, "apt-get install") {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

// A failed comparison leaves an older result unchanged.
func TestFailureKeepsTheOldResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	command("compare", "--out", file)
	if text, _ := os.ReadFile(file); string(text) != "old" {
		t.Errorf("file holds %q", text)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOneRankMeasures(t *testing.T) {
	status, out, errs := process(t, "barrier", "--time", "1ms", "--format", "csv")
	if status != 0 || !strings.Contains(out, "Barrier,1,0,") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
	status, out, errs = process(t, "pmb", "bcast", "-sizes=8", "-repetitions", "2", "-off_cache=100000", "-check")
	if status != 0 || !strings.Contains(out, "# Benchmarking Bcast") || !strings.Contains(out, "            8            2 ") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
	if status, out, _ = process(t, "pmb", "-list"); status != 0 || !strings.Contains(out, "Reduce_scatter") {
		t.Errorf("status %d, output %q", status, out)
	}
}

// Whoever has interrupted a command reads that, and not how its parts were told.
func TestTextOfErrors(t *testing.T) {
	for want, err := range map[string]error{
		"interrupted": context.Canceled, "Bcast on 2 ranks: interrupted": fmt.Errorf("Bcast on 2 ranks: %w", context.Canceled),
		"no such test": usage(errors.New("no such test")),
	} {
		if got := text(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The help says which commands mpirun starts.
func TestHelpSaysWhatMpirunStarts(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run([]string{"--help"}, &out, &errs); status != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %s", status, &errs)
	}
	for _, part := range []string{"allreduce, barrier, connected, exchange, layouts, pingpong, pmb and rma are programs\nfor the ranks of a job, which mpirun starts.", "  mpirun -n 2 bench pingpong --sizes 8,1024\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the help lacks %q:\n%s", part, &out)
		}
	}
}
