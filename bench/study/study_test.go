package study

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/npb/nas"
)

// fake makes a script the process of each cell: it prints what a job would print, and counts its runs.
func fake(t *testing.T) (r Runner, jobs func() int) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := `echo run >> ` + log + `
case $1 in
ft) echo ft cannot run >&2; exit 3;;
lu) echo nothing;;
*) echo "{\"mops\":$(($2*50)),\"seconds\":2,\"compute\":0.375,\"waits\":0.5,\"packets\":7,\"bytes\":70,\"bus\":0.5,\"link\":0.25}";;
esac
`
	r = Runner{Dir: filepath.Join(dir, "study"), Jobs: 2, Command: func(ctx context.Context, c Cell, model string) *exec.Cmd {
		return exec.CommandContext(ctx, "/bin/sh", "-c", script, model, c.Kernel, strconv.Itoa(c.Nodes))
	}}
	r.Plan = Plan{Series: AllSeries(), Kernels: []string{"cg", "bt"}, Classes: []string{"S"}, Compute: "counted"}
	r.Nodes, r.Squares, _ = Counts([]int{1, 2, 4})
	return r, func() int {
		text, _ := os.ReadFile(log)
		return strings.Count(string(text), "run")
	}
}

// Cells that have been run are not run again; a changed one belongs to another study.
func TestResumes(t *testing.T) {
	r, jobs := fake(t)
	var results []Result
	run := func() error {
		results = nil
		return r.Run(t.Context(), func(res Result) { results = append(results, res) })
	}
	for range 2 {
		if err := run(); err != nil {
			t.Fatal(err)
		}
		if want := 2 + 2*4 + 4; jobs() != want || len(results) != want {
			t.Errorf("%d jobs, %d results, want %d", jobs(), len(results), want)
		}
	}
	rows := r.Rows(results)
	if rows[0].Cell != (Cell{alone, "cg", "S", 1}) || rows[0].SpeedUp != 1 || len(rows) != len(results) {
		t.Errorf("%+v", rows[0])
	}
	if x := rows[1]; x.Nodes != 2 || x.SpeedUp != 2 || x.Compute != 0.375 || x.Waits != 0.5 || x.Bus != 0.5 || x.Link != 0.25 || x.Packets != 7 || x.Bytes != 70 {
		t.Errorf("%+v", x)
	}
	for _, r := range rows {
		if r.Used <= 0 || r.Used > 60 {
			t.Errorf("%v took %v s of a processor", r.Cell, r.Used)
		}
	}
	for _, format := range []string{"csv", "table", "json"} {
		if err := Write(new(bytes.Buffer), format, rows); err != nil {
			t.Error(err)
		}
	}
	var text bytes.Buffer
	if err := r.Summary(&text, rows); err != nil || !strings.Contains(text.String(), "vpush") || strings.Count(text.String(), "2.00") != 4 {
		t.Errorf("%v: %s", err, &text)
	}
	text.Reset()
	several := slices.DeleteFunc(slices.Clone(results), func(res Result) bool { return res.Nodes == 1 }) // has nothing to be compared with
	if err := r.Summary(&text, r.Rows(several)); err != nil || strings.Contains(text.String(), "0.00") {
		t.Errorf("%v: %s", err, &text)
	}
	if err := r.Plots(r.Dir, rows); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"cg-S.svg", "bt-S.svg"} {
		if _, err := os.Stat(filepath.Join(r.Dir, name)); err != nil {
			t.Error(err)
		}
	}
	for i := range rows {
		rows[i].Used = 90
	}
	rows[0].Used = 0 // as in results from before it was recorded
	text.Reset()
	if err := r.Summary(&text, rows); err != nil || !strings.Contains(text.String(), "Processor time of 13 of 14 jobs: 19.5 minutes (S 19.5)") {
		t.Errorf("%v: %s", err, &text)
	}
	if text := rows[0].cells(); text[len(text)-1] != "" || len(text) != len(header()) {
		t.Errorf("%q", text)
	}
	r.Settings = []string{"host.call=1"}
	if err := run(); err == nil || !strings.Contains(err.Error(), "is of another study") {
		t.Error(err)
	}
	if err := os.WriteFile(r.cells().File(r.Cells()[0]), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Error(err)
	}
}

// A cell that fails is named, and the others are run.
func TestFailures(t *testing.T) {
	r, _ := fake(t)
	r.Kernels, r.Nodes = []string{"ft", "lu", "cg"}, []int{2}
	n := 0
	err := r.Run(t.Context(), func(Result) { n++ })
	if err == nil || n != 4 || !strings.Contains(err.Error(), "ft.S.2.pm: exit status 3: ft cannot run") || !strings.Contains(err.Error(), "lu.S.2.vp: the job printed no result") {
		t.Errorf("%d results, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx, func(Result) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPlan(t *testing.T) {
	if powers, squares, err := Counts([]int{1, 2, 4, 8, 16}); err != nil || !slices.Equal(powers, []int{1, 2, 4, 8, 16}) || !slices.Equal(squares, []int{1, 4, 9, 16}) {
		t.Error(powers, squares, err)
	}
	if _, _, err := Counts([]int{3}); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	for _, p := range []Plan{{Kernels: []string{"x"}}, {Classes: []string{"Q"}}} {
		if err := p.Check(); !errors.Is(err, bench.ErrInput) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := Pick([]string{"x"}); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	if s, err := Pick([]string{"vp"}); err != nil || len(s) != 1 || s[0].Model != "martini:vp" {
		t.Error(s, err)
	}
	if s, err := Pick([]string{"fattree", "loggp"}); err != nil || len(s) != 2 || s[1].Model != "loggp" {
		t.Error(s, err)
	}
	if all, err := Pick(nil); err != nil || len(all) != 4 {
		t.Error(all, err)
	}
}

// A kernel is run and verified, and its figures depend only on the cell.
func TestMeasure(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first Result
	for i, n := range []int{1, 2} {
		runtime.GOMAXPROCS(n)
		res, err := Measure(Cell{Kernel: "is", Class: "S", Nodes: 4}, "martini:vpush", "counted:pentium3", []string{"host.call=200"})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = res
		} else if res != first {
			t.Errorf("%+v, with two processors %+v", first, res)
		}
	}
	if sum := first.Compute + first.Calls + first.Waits; first.Mops <= 0 || first.Seconds <= 0 || first.Packets < 100 || first.Bytes < 1000 || first.Bus <= 0 || first.Link <= 0 ||
		first.Bus > 1 || first.Link > 1 || sum < 0.999999 || sum > 1.000001 {
		t.Errorf("%+v", first)
	}
}

func TestMeasureRefuses(t *testing.T) {
	cell := Cell{Kernel: "is", Class: "S", Nodes: 2}
	for want, err := range map[string]error{
		`no kernel "xy"`:          second(Measure(Cell{Kernel: "xy"}, "martini:vp", "counted:pentium3", nil)),
		"Q":                       second(Measure(Cell{Kernel: "is", Class: "Q"}, "martini:vp", "counted:pentium3", nil)),
		"a power of two":          second(Measure(Cell{Kernel: "is", Class: "S", Nodes: 3}, "martini:vp", "counted:pentium3", nil)),
		"no model of a network":   second(Measure(cell, "pigeon", "counted:pentium3", nil)),
		`unknown parameter "x"`:   second(Measure(cell, "martini:vp", "counted:pentium3", []string{"x=1"})),
		"switch.slack":            second(Measure(cell, "martini:vp", "counted:pentium3", []string{"switch.slack=8000"})),
		"it begins with counted:": second(Measure(cell, "martini:vp", "none", nil)),
		"no host is called":       second(Measure(cell, "martini:vp", "counted:toaster", nil)),
	} {
		if !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	// A kernel for which the host has no rate fails on all ranks.
	if err := second(Measure(cell, "martini:vp", "counted:cg=1e6", nil)); err == nil {
		t.Error("operations without a rate")
	}
	for want, k := range map[string]nas.Result{
		"not verified": {Processes: 2, Mops: 1, Checks: []nas.Check{{OK: true}, {}}},
		"0 checks":     {Processes: 2, Mops: 1},
		"1 processes":  {Processes: 1, Mops: 1, Checks: []nas.Check{{OK: true}}},
		"0 Mop/s":      {Processes: 2, Checks: []nas.Check{{OK: true}}},
	} {
		if err := (&Result{Cell: cell}).read(&k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func second(_ Result, err error) error { return err }
