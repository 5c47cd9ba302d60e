package nas

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant\n%s", name, got, want)
	}
}

func results() []Result {
	cg := Result{
		Problem: Problem{Kernel: "CG", Class: S, Size: Count(1400), Iterations: 15},
		Seconds: 0.0512345, Processes: 4, Active: 4, Mops: 1234.56, Operation: FloatingPoint,
		Checks: []Check{Relative("zeta", 8.597177507865, 8.5971775078648, 1e-10)},
		Phases: []PhaseTime{{"products", false, 0.25, 0.5}, {"sums", true, 0.125, 0.25}, {CommWait, true, 0.125, 0.25}},
	}
	cg.Verdict = Judge(true, cg.Checks)
	lu := Result{
		Problem: Problem{Kernel: "LU", Class: S, Size: Grid(12, 12, 12), Iterations: 50, TimeStep: 0.5},
		Seconds: 1.5, Processes: 5, Active: 4, Mops: 1000, Operation: FloatingPoint,
		Checks: []Check{Relative("residual 1", math.NaN(), 1, 1e-8), Absolute("dt", 0.5, 0.5, 1e-8)},
	}
	lu.Verdict = Judge(true, lu.Checks)
	other := Result{
		Problem:   Problem{Kernel: "MG", Class: Unknown, Size: Grid(32, 32, 32), Iterations: 2},
		Processes: 1, Active: 1, Operation: FloatingPoint,
		Checks: []Check{Computed("residual norm", 1.25)}, Details: []string{"a detail"},
	}
	other.Verdict = Judge(false, other.Checks)
	return []Result{cg, lu, other}
}

func TestReports(t *testing.T) {
	var text, js, cs bytes.Buffer
	if err := WriteCSVHeader(&cs); err != nil {
		t.Fatal(err)
	}
	all := results()
	for i := range all {
		r := &all[i]
		for _, err := range []error{
			WriteBanner(&text, r.Problem, r.Processes), WriteReport(&text, r), WriteJSON(&js, r), WriteCSV(&cs, r),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := WriteSummary(&text, all); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", text.Bytes())
	golden(t, "report.json", js.Bytes())
	golden(t, "report.csv", cs.Bytes())
}

// The labels start in column 2 and the values end in column 42, as expected by tools that parse the block.
func TestBlockColumns(t *testing.T) {
	var b bytes.Buffer
	r := results()[0]
	writeBlock(&b, &r)
	lines := strings.Split(b.String(), "\n")
	if lines[0] != "" || lines[1] != "" || lines[2] != " CG Benchmark Completed." {
		t.Errorf("heading %q", lines[:3])
	}
	for _, l := range lines[3 : len(lines)-1] {
		if len(l) != 43 || l[0] != ' ' || l[1] == ' ' || l[17] != '=' {
			t.Errorf("%q is out of form", l)
		}
	}
}

// full is a writer on which every write fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	r := results()[0]
	for i, err := range []error{
		WriteBanner(full{}, r.Problem, 1), WriteReport(full{}, &r), WriteJSON(full{}, &r),
		WriteCSVHeader(full{}), WriteCSV(full{}, &r), WriteSummary(full{}, []Result{r}),
	} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("writer %d: %v", i, err)
		}
	}
}

func TestClasses(t *testing.T) {
	for in, want := range map[string]Class{"S": S, "a": A, "D": D, "e": E} {
		if got, err := ParseClass(in); err != nil || got != want {
			t.Errorf("ParseClass(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "F", "SS", "U"} {
		_, err := ParseClass(in)
		if err == nil || !strings.Contains(err.Error(), "S, W, A, B, C, D, E") {
			t.Errorf("ParseClass(%q): %v", in, err)
		}
	}
	table := Table[int]{S: 1}
	if got, err := table.Lookup("CG", S); err != nil || got != 1 {
		t.Error(got, err)
	}
	if _, err := table.Lookup("CG", W); err == nil || !strings.HasPrefix(err.Error(), `cg: unknown class "W"`) {
		t.Error(err)
	}
}

func TestCounts(t *testing.T) {
	if err := CheckCount("CG", S, 8, "a power of two", IsPowerOfTwo); err != nil {
		t.Error(err)
	}
	err := CheckCount("CG", S, 6, "a power of two", IsPowerOfTwo)
	if want := "cg class S cannot run on 6 processes; it needs a power of two: 1, 2, 4, 8, 16"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	err = CheckCount("IS", D, 1, "a power of two from 4 on", func(p int) bool { return p == 4 })
	if want := "is class D cannot run on 1 process; it needs a power of two from 4 on: 4"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	err = CheckCount("EP", S, 400, "a batch per process", func(p int) bool { return p <= 2 || p > 3 && p <= 256 || p > 300 && p <= 303 })
	if want := "ep class S cannot run on 400 processes; it needs a batch per process: 1, 2, 4 to 256, 301, 302, 303"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := CheckCount("EP", S, 0, "any", func(int) bool { return true }); err == nil {
		t.Error("0 processes are allowed")
	}
	for n, want := range map[int]int{1: 1, 3: 1, 4: 2, 15: 3, 16: 4} {
		if root, exact := SquareRoot(n); root != want || exact != (root*root == n) {
			t.Errorf("SquareRoot(%d) = %d, %v", n, root, exact)
		}
	}
	for n, want := range map[int]int{1: 0, 2: 1, 3: 1, 8: 3, 1000: 9} {
		if got := Log2(n); got != want {
			t.Errorf("Log2(%d) = %d", n, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for n := range 40 {
		for p := 1; p < 9; p++ {
			next := 0
			for j := range p {
				first, length := Split(n, p, j)
				if first != next || length < n/p || length > n/p+1 {
					t.Fatalf("Split(%d, %d, %d) = %d, %d after %d", n, p, j, first, length, next)
				}
				next = first + length
			}
			if next != n {
				t.Fatalf("Split(%d, %d) covers %d", n, p, next)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	for given, want := range map[int]bool{0: true, 15: true, 3: false} {
		cfg := Config{Iterations: given}
		if n, ok := cfg.Count(15); ok != want || n != map[bool]int{true: 15, false: given}[ok] {
			t.Errorf("Count with %d: %d, %v", given, n, ok)
		}
	}
	calls := 0
	cfg := Config{Progress: func(k, n int) { calls += 10*k + n }}
	cfg.Step(1, 1, 2)
	cfg.Step(0, 1, 2)
	(&Config{}).Step(0, 1, 2)
	if calls != 12 {
		t.Errorf("progress was told %d", calls)
	}
}

func TestChecks(t *testing.T) {
	if !Relative("", 1+1e-9, 1, 1e-8).OK || Relative("", 1+1e-7, 1, 1e-8).OK || Relative("", math.NaN(), 1, 1).OK {
		t.Error("Relative")
	}
	if !Absolute("", 1+1e-9, 1, 1e-8).OK || Absolute("", math.NaN(), 1, 1).OK {
		t.Error("Absolute")
	}
	if Judge(true, nil) != NotVerified || Judge(true, []Check{{OK: true}, {}}) != Unsuccessful {
		t.Error("Judge")
	}
	if Rate(1e6, 0) != 0 || Rate(4e6, 2) != 2 || Rate(1, math.NaN()) != 0 {
		t.Error("Rate")
	}
	if (&Result{Mops: 8}).MopsPerProcess() != 0 || Verdict(9).String() != "Verdict(9)" {
		t.Error("zero values")
	}
}

func TestTimers(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		tm := NewTimers(true, Phase{"work", false}, Phase{"talk", true}, Phase{"more talk", true})
		for i := range 3 {
			tm.Begin(i)
			tm.End(i)
		}
		tm.sum[0], tm.sum[1], tm.sum[2] = 3, 1, 2
		if world.Rank() == 1 {
			tm.sum[1] = 3
		}
		got, err := tm.Gather(world)
		if err != nil {
			return err
		}
		want := []PhaseTime{{"work", false, 3, 3}, {"talk", true, 2, 3}, {"more talk", true, 2, 2}, {CommWait, true, 4, 5}}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("phase %d: %+v, want %+v", i, got[i], want[i])
			}
		}
		tm.Reset()
		if tm.sum[0] != 0 {
			t.Error("Reset left something")
		}
		off, err := NewTimers(false, Phase{"work", false}).Gather(world)
		if off != nil {
			t.Error("timers are off and say something")
		}
		if err != nil {
			return err
		}
		var r Result
		err = r.Finish(world, tm, float64(world.Rank()), 3e6)
		if r.Seconds != 1 || r.Mops != 3 || r.Processes != 2 || r.Active != 2 || len(r.Phases) != 4 {
			t.Errorf("rank %d: finished result %+v", world.Rank(), r)
		}
		return err
	})
}

func TestTimersDoNotAllocate(t *testing.T) {
	for _, on := range []bool{false, true} {
		tm := NewTimers(on, Phase{"work", false})
		if n := testing.AllocsPerRun(10, func() { tm.Begin(0); tm.End(0) }); n != 0 {
			t.Errorf("on = %v: %v allocations", on, n)
		}
	}
}

func TestLevels(t *testing.T) {
	all := Levels()
	if all[0] != Plain || all[len(all)-1] != BestLevel() || AVX512.String() != "avx512" {
		t.Errorf("levels %v, best %v", all, BestLevel())
	}
}
