package compare

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rhinet/bench/peer"
)

// timed is what a kernel of ours prints with timers on.
const timed = `{"kernel":"CG","class":"S","seconds":2.5,"processes":2,"mops":7,"verification":"SUCCESSFUL","phases":[{"name":"x","mean_s":1},{"name":"communication wait","mean_s":0.5,"max_s":0.75}]}
`

func TestTimedKernels(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	s, err := readTimed(c, timed, 0)
	if err != nil || len(s) != 2 || s[0] != (Sample{Test: "CG.S", Ranks: 2, Value: 2.5, Unit: "s"}) || s[1] != (Sample{Test: "CG.S_wait", Ranks: 2, Value: 0.5, Unit: "s"}) {
		t.Errorf("%+v, %v", s, err)
	}
	alone := strings.Replace(timed, `"processes":2`, `"processes":1`, 1)
	if s, err := readTimed([]Cell{{"CG.S", 1, []int{0}}}, alone, 0); err != nil || len(s) != 1 {
		t.Errorf("one rank: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"":            "no report",
		timed + timed: "no report",
		alone:         "the report of CG.S on 1 ranks",
		strings.Replace(timed, `"class":"S"`, `"class":"A"`, 1):  "the report of CG.A on 2 ranks",
		strings.Replace(timed, "SUCCESSFUL", "UNSUCCESSFUL", 1):  "not verified: UNSUCCESSFUL",
		strings.Replace(timed, "communication wait", "other", 1): "no report",
	} {
		if _, err := readTimed(c, text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The timed section of an original is the interval between two calls of MPI_Wtime whose length is the time
// in its report.
func TestProbedKernels(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	waits := "waits 3.25 3.25 3 3.1\nwaits 0.0479 0.75 0.0125 0.02\nwaits 0.5 0.5 0.4 0.4\n"
	s, err := readProbed(c, report+waits, 0)
	if err != nil || len(s) != 2 || s[0].Value != 0.0479 || s[1].Value != 0.0125 || s[1].Test != WaitTest("CG.S") {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = readProbed(c, report+"waits 0.01 0.0521 0.0125 0.02\n", 0)
	if err != nil || s[0].Value != 0.0521 {
		t.Errorf("the longest: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		report:                              "so much passed between two calls of MPI_Wtime",
		report + "waits 3 3 1 1\n":          "says that it took 0.05 s",
		report + "waits 0.05 0.05 1 none\n": "says that it took 0.05 s",
		waits:                               "no report",
		unsaid("Time in seconds"):           `gave "" for the time`,
		unsaid("Verification") + waits:      "no report",
	} {
		if _, err := readProbed(c, text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// unsaid returns the report without the line with this label.
func unsaid(label string) string {
	var kept []string
	for line := range strings.Lines(report) {
		if !strings.Contains(line, label) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestOurWaitsAreAskedFor(t *testing.T) {
	r := OursNPB("mpirun", "npb", Setting{Name: "ib", NIC: "ib"}, true)
	if got := strings.Join(r.command([]Cell{{"CG.S", 2, []int{0}}}, 0), " "); got != "mpirun --nic ib -n 2 npb -class S -timers -format json cg" {
		t.Error(got)
	}
	r = OursNPB("mpirun", "npb", Setting{Name: "rhinet"}, false)
	if got := strings.Join(r.command([]Cell{{"CG.S", 2, []int{0}}}, 0), " "); got != "mpirun -n 2 npb -class S cg" {
		t.Error(got)
	}
}

// Originals run with the probing library of their MPI, which is compiled once for each MPI.
func TestOriginalsAreProbed(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, tool := range []string{"mpirun.openmpi", "mpicc.openmpi"} {
		script(t, filepath.Join(bin, tool), "")
	}
	script(t, filepath.Join(dir, "cg.S.x"), "")
	script(t, filepath.Join(dir, "mg.S.x"), "")
	compiled := 0
	list, _, err := References([]string{dir}, "openmpi", nil, func(mpicc string) (string, error) {
		compiled++
		return "/lib/" + mpicc, nil
	})
	if err != nil || compiled != 1 {
		t.Fatal(compiled, err)
	}
	args := strings.Join(list[0].command([]Cell{{"CG.S", 2, []int{0}}}, 0), " ")
	if want := "2 env LD_PRELOAD=/lib/mpicc.openmpi " + filepath.Join(dir, "cg.S.x"); !strings.HasSuffix(args, want) {
		t.Errorf("%s, want %s at the end", args, want)
	}
	if list[0].command([]Cell{{"LU.S", 2, []int{0}}}, 0) != nil {
		t.Error("a kernel that is not there has a command")
	}
	broken := errors.New("broken")
	if _, _, err := References([]string{dir}, "openmpi", nil, func(string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(bin, "mpicc.openmpi")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if _, _, err := References([]string{dir}, "openmpi", nil, func(string) (string, error) { return "", nil }); !errors.Is(err, ErrNoPeers) {
		t.Error(err)
	}
}

// A C program of another MPI. Its rank 1 waits 0.2 s for rank 0, which is not in an MPI call; the library
// reports how long. Like a kernel, the program prints the time of the slowest rank.
const waiting = `#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank;
	double start, took, longest;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	if (!rank) usleep(200000);
	MPI_Barrier(MPI_COMM_WORLD);
	took = MPI_Wtime() - start;
	MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!rank) printf(" CG Benchmark Completed.\n Time in seconds = %.2f\n Mop/s total = 5.5\n Verification = SUCCESSFUL\n", longest);
	MPI_Finalize();
	return 0;
}
`

// The two ranks wait no longer than the longest time of one of them, minus half of those 0.2 s.
func TestWaitsOfOtherRuntimes(t *testing.T) {
	const patience = 5 * time.Minute
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, tool := range []string{k.mpicc, k.launcher} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skipf("%s is not installed", tool)
				}
			}
			dir, work := t.TempDir(), t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			built, err := peer.CompileSource(ctx, k.mpicc, work, "cg", []byte(waiting))
			if err == nil {
				err = os.Rename(built, filepath.Join(dir, "cg.S.x"))
			}
			if err != nil {
				t.Fatal(err)
			}
			list, _, err := References([]string{dir}, "", nil, func(mpicc string) (string, error) { return peer.CompileWaits(ctx, mpicc, work) })
			if err != nil {
				t.Fatal(err)
			}
			got, err := list[0].measure(t.Context(), []Cell{{"CG.S", 2, []int{0}}}, 0, patience)
			s := got.samples
			if err != nil || len(s) != 2 || s[0].Value < 0.2 || s[1].Value <= 0 || s[1].Value > s[0].Value-0.09 {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// A comparison that is continued uses the same figures as at the beginning.
func TestResumeKeepsTheFigures(t *testing.T) {
	for _, had := range []bool{false, true} {
		opts := options(1)
		opts.Waits = had
		res, err := Run(t.Context(), []Runtime{shell("a", "echo row barrier 2 0 1 1.5")}, opts)
		if err != nil {
			t.Fatal(err)
		}
		file := Saver{filepath.Join(t.TempDir(), "a.json")}
		if err := file.Whole(res); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(file.File, []Runtime{shell("a", "")}, opts); err != nil {
			t.Error(err)
		}
		opts.Waits = !had
		if _, err := Resume(file.File, []Runtime{shell("a", "")}, opts); err == nil || !strings.Contains(err.Error(), "--waits; continue it with") && !strings.Contains(err.Error(), "--waits; continue it without") {
			t.Error(err)
		}
	}
}

// It also uses the same flags of the suite, which affect the figures.
func TestResumeKeepsTheFlags(t *testing.T) {
	t.Run("own barrier", func(t *testing.T) {
		testResume(t, OwnBarrier, "a barrier of messages", func(o *Options) *bool { return &o.OwnBarrier })
	})
	t.Run("fresh", func(t *testing.T) {
		testResume(t, Fresh, "write what they send", func(o *Options) *bool { return &o.Fresh })
	})
}

// testResume continues a comparison with a flag and without.
func testResume(t *testing.T, flag, legend string, option func(*Options) *bool) {
	for _, had := range []bool{false, true} {
		opts := options(1)
		*option(&opts) = had
		res, err := Run(t.Context(), []Runtime{shell("a", "echo row barrier 2 0 1 1.5")}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(res.Legend(), legend); told != had {
			t.Errorf("%s %t: %s", flag, had, res.Legend())
		}
		file := Saver{filepath.Join(t.TempDir(), "a.json")}
		if err := file.Whole(res); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(file.File, []Runtime{shell("a", "")}, opts); err != nil {
			t.Error(err)
		}
		*option(&opts) = !had
		word := map[bool]string{true: "with " + flag + "; continue it with the same", false: "without " + flag + "; continue it without"}[had]
		if _, err := Resume(file.File, []Runtime{shell("a", "")}, opts); err == nil || !strings.Contains(err.Error(), word) {
			t.Error(err)
		}
	}
}

// When a kernel fails, none of its figures are kept.
func TestFailedKernelLeavesNoWait(t *testing.T) {
	o := outcome{samples: timedSamples(Cell{"CG.S", 2, []int{0}}, 2, 1)}
	if o.drop(Cell{"CG.S", 2, []int{0}}); len(o.samples) != 0 {
		t.Errorf("%+v", o.samples)
	}
}

// Kernels of the small classes take milliseconds, which must be visible in the table.
func TestTableShowsShortTimes(t *testing.T) {
	res := &Result{Runtimes: []string{"a"}, Rounds: 1, Waits: true, Budget: "0s", Samples: []Sample{
		{Runtime: "a", Test: "MG.S", Ranks: 4, Value: 0.00125, Unit: seconds}, {Runtime: "a", Test: "LU.B", Ranks: 4, Value: 250, Unit: seconds}}}
	for i, want := range []string{"0.00125", "250"} {
		if got := res.table()[i][3]; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if l := res.Legend(); !strings.Contains(l, "seconds of run time") {
		t.Error(l)
	}
}
