package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"rhinet/internal/ptytest"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb"
	"rhinet/npb/nas"
)

// program runs npb on n ranks and returns what was printed and the status,
// after checking that all ranks agree on it and that only rank 0 prints.
func program(t *testing.T, n int, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	out, errs, codes := make([]bytes.Buffer, n), make([]bytes.Buffer, n), make([]int, n)
	mpitest.Run(t, n, func(world *mpi.Comm) error {
		r := world.Rank()
		var err error
		codes[r], err = run(world, args, &out[r], &errs[r])
		return err
	})
	for r := 1; r < n; r++ {
		if codes[r] != codes[0] {
			t.Errorf("rank %d has status %d, rank 0 has %d", r, codes[r], codes[0])
		}
		if out[r].Len()+errs[r].Len() > 0 {
			t.Errorf("rank %d prints %s%s", r, out[r].String(), errs[r].String())
		}
	}
	return out[0].String(), errs[0].String(), codes[0]
}

func TestReports(t *testing.T) {
	out, errs, code := program(t, 2, "-class", "s", "is", "CG", "-timers")
	if code != 0 || errs != "" {
		t.Errorf("status %d, stderr %q", code, errs)
	}
	if got := strings.Count(out, " Verification    =               SUCCESSFUL\n"); got != 2 {
		t.Errorf("%d kernels verified, want 2:\n%s", got, out)
	}
	is, cg := strings.Index(out, "\n IS Benchmark Completed.\n"), strings.Index(out, "\n CG Benchmark Completed.\n")
	if is < 0 || cg < is || strings.Count(out, nas.CommWait) != 2 || !strings.Contains(out, "\n Kernel Class ") {
		t.Errorf("report:\n%s", out)
	}
}

// Every kernel of the table runs on four ranks, which all kernels support.
func TestAll(t *testing.T) {
	out, errs, code := program(t, 4, "all")
	if code != 0 || errs != "" {
		t.Errorf("status %d, stderr %q", code, errs)
	}
	summary := out[strings.LastIndex(out, " Kernel Class"):]
	table, notes, _ := strings.Cut(summary, "\n\n")
	lines := strings.Split(table, "\n")[1:]
	for _, want := range []string{"FT 74 %, LU 47 %, SP 86 %, BT 73 %.\n", " SP and BT lean on a large last-level cache.\n"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q below the summary: %s", want, notes)
		}
	}
	for i, k := range npb.Kernels() {
		if i >= len(lines) || !strings.HasPrefix(lines[i], " "+strings.ToUpper(k.Name)+" ") || !strings.HasSuffix(lines[i], "  SUCCESSFUL") {
			t.Fatalf("%s is missing in the summary:\n%s", k.Name, summary)
		}
	}
	if len(lines) != len(npb.Kernels()) {
		t.Errorf("summary:\n%s", summary)
	}
}

func TestFormats(t *testing.T) {
	out, _, code := program(t, 1, "-format=json", "is", "cg")
	dec := json.NewDecoder(strings.NewReader(out))
	for _, want := range []string{"IS", "CG"} {
		var r struct {
			Kernel, Verification string
			Mops                 float64
		}
		if err := dec.Decode(&r); err != nil || r.Kernel != want || r.Verification != "SUCCESSFUL" || r.Mops <= 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if code != 0 || dec.More() {
		t.Errorf("status %d, output %s", code, out)
	}
	out, _, _ = program(t, 1, "-format", "csv", "is")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "kernel" || rows[1][0] != "IS" {
		t.Errorf("%q, %v", rows, err)
	}
}

func TestOtherIterations(t *testing.T) {
	out, _, code := program(t, 1, "-iterations", "2", "cg")
	for _, want := range []string{"Not verified", " Iterations: 2\n", " Class           =                        U\n",
		" Verification    =            NOT PERFORMED\n"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, want %q in:\n%s", code, want, out)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, tc := range []struct {
		ranks int
		args  string
		want  string
	}{
		{2, "", "npb: no kernel named; choose from ep, cg, "},
		{2, "xx", `npb: unknown kernel "xx"; choose from ep, cg, `},
		{2, "cg -class Z", `npb: unknown class "Z"; the classes are S, W, A, B, C, D, E`},
		{2, "-nonsense cg", "npb: flag provided but not defined: -nonsense; npb -help lists the flags"},
		{2, "-timers=x cg", `npb: invalid boolean value "x" for -timers: give true or false; npb -help lists the flags`},
		{2, "-iterations x cg", `npb: invalid value "x" for flag -iterations: give a whole number; npb -help lists the flags`},
		{2, "-iterations -1 cg", "npb: -iterations -1 is negative"},
		{2, "-format xml cg", `npb: unknown format "xml"; choose text, json or csv`},
		{3, "is cg", "npb: is class S cannot run on 3 processes; it needs a power of two: 1, 2, 4, 8, 16"},
	} {
		out, errs, code := program(t, tc.ranks, strings.Fields(tc.args)...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, tc.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("npb %s: status %d, stdout %q, stderr %q", tc.args, code, out, errs)
		}
	}
}

// Every command line of the table gives one line on one rank, and status 2.
func TestMoreMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	line, n := "", 0
	for next := range strings.Lines(string(text)) {
		next = strings.TrimRight(next, "\n")
		want, indented := strings.CutPrefix(next, "\t")
		if !indented {
			line = next
			continue
		}
		var args []string
		for _, a := range strings.Fields(line)[1:] {
			args = append(args, strings.ReplaceAll(a, `""`, ""))
		}
		out, errs, code := program(t, 1, args...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", line, code, out, errs, want)
		}
		n++
	}
	if n < 35 {
		t.Errorf("only %d command lines", n)
	}
}

// A variant and a grid are passed to the kernels that have them, and to no others.
func TestVariantAndGrid(t *testing.T) {
	out, errs, code := program(t, 4, "-variant", "alltoallv", "-grid", "2x2", "-format", "json", "is", "ft", "mg")
	if code != 0 || errs != "" {
		t.Fatalf("status %d, stderr %q", code, errs)
	}
	dec := json.NewDecoder(strings.NewReader(out))
	for _, want := range []string{"alltoallv", "grid 2x2", ""} {
		var r struct{ Kernel, Variant, Verification string }
		if err := dec.Decode(&r); err != nil || r.Variant != want || r.Verification != "SUCCESSFUL" {
			t.Errorf("%+v, %v; want variant %q", r, err, want)
		}
	}
	if out, errs, code := program(t, 4, "-grid", "2x4", "ft"); code != exitUsage || out != "" || !strings.HasPrefix(errs, "npb: ft class S: grid 2x4 is not for 4 processes") {
		t.Errorf("status %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestHelp(t *testing.T) {
	out, errs, code := program(t, 2, "-h")
	if code != 0 || errs != "" || !strings.Contains(out, "-class") || !strings.Contains(out, "ep, cg") {
		t.Errorf("status %d, %s%s", code, out, errs)
	}
}

func TestTimerVariable(t *testing.T) {
	t.Setenv("NPB_TIMER_FLAG", "yes")
	if o, err := parse([]string{"cg"}); err != nil || !o.timers {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parse([]string{"cg", "-timers=false"}); err != nil || o.timers {
		t.Errorf("%+v, %v", o, err)
	}
}

// fake returns a kernel that ends with the given results.
func fake(name string, v nas.Verdict, allowed, err error) nas.Kernel {
	p := nas.Problem{Kernel: strings.ToUpper(name), Class: nas.S, Size: nas.Count(1), Iterations: 3}
	return nas.Kernel{
		Name:     name,
		Describe: func(nas.Class) (nas.Problem, error) { return p, nil },
		Allowed:  func(int, nas.Class) error { return allowed },
		Memory:   func(int, nas.Class) int64 { return 1 },
		Run: func(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
			for k := range 3 {
				cfg.Step(world.Rank(), k+1, 3)
			}
			r := nas.Result{Problem: p}
			if world.Rank() == 0 { // only rank 0 knows
				r.Verdict = v
			}
			return r, err
		},
	}
}

func TestSkippedAndFailed(t *testing.T) {
	var out, errs bytes.Buffer
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		o := options{class: nas.S, format: "text", all: true, kernels: []nas.Kernel{
			fake("good", nas.Successful, nil, nil),
			fake("no", nas.Successful, errors.New("no cannot run on 2"), nil),
			fake("bad", nas.Unsuccessful, nil, nil),
		}}
		w, e := &out, &errs
		if world.Rank() != 0 {
			w, e = new(bytes.Buffer), new(bytes.Buffer)
		}
		code, err := o.execute(world, w, e)
		if code != exitFailed {
			t.Errorf("rank %d: status %d", world.Rank(), code)
		}
		return err
	})
	text := out.String()
	if !strings.Contains(text, " skipped: no cannot run on 2\n") || errs.Len() > 0 {
		t.Errorf("stdout %s, stderr %s", text, errs.String())
	}
	last := text[strings.LastIndex(text, " Kernel Class"):]
	if strings.Count(last, "\n") != 3 || !strings.Contains(last, "UNSUCCESSFUL") || strings.Contains(last, " NO ") {
		t.Errorf("summary:\n%s", last)
	}
}

// The memory that a kernel needs is compared with what is available to rank 0; the error names both in one
// line, and nothing has been allocated.
func TestShortOfMemory(t *testing.T) {
	for _, tc := range []struct {
		all       bool
		available int64
		status    int
		out, errs string
	}{
		{false, 999, exitUsage, "", "npb: big class S on 2 processes needs about 1000 bytes of memory, but only 999 bytes are available; free some, or choose a smaller class\n"},
		{true, 999, exitOK, " skipped: big class S on 2 processes needs about 1000 bytes of memory, but only 999 bytes are available; free some, or choose a smaller class\n", ""},
		{false, 1000, exitOK, "", ""},
		{false, -1, exitOK, "", ""},
	} {
		var out, errs [2]bytes.Buffer
		ran := false
		mpitest.Run(t, 2, func(world *mpi.Comm) error {
			big := fake("big", nas.Successful, nil, nil)
			big.Memory = func(procs int, _ nas.Class) int64 { return 500 * int64(procs) }
			run := big.Run
			big.Run = func(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
				if world.Rank() == 0 {
					ran = true
				}
				return run(world, cfg)
			}
			r := world.Rank()
			o := options{class: nas.S, format: "text", all: tc.all, kernels: []nas.Kernel{big},
				available: func() int64 { return tc.available - int64(r) }} // only that of rank 0 counts
			status, err := o.execute(world, &out[r], &errs[r])
			if status != tc.status {
				t.Errorf("%+v: rank %d has status %d", tc, r, status)
			}
			return err
		})
		short := tc.out != "" || tc.errs != ""
		if ran == short || errs[0].String() != tc.errs || short && out[0].String() != tc.out {
			t.Errorf("%+v: ran %v, stdout %q, stderr %q", tc, ran, out[0].String(), errs[0].String())
		}
	}
	for n, want := range map[int64]string{1023: "1023 bytes", 1536: "1536 bytes (1.5 KiB)", 3 << 20: "3145728 bytes (3.0 MiB)", 5 << 30: "5368709120 bytes (5.0 GiB)"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// A communicator that fails ends the program before anything is printed.
func TestNoWordFromRank0(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out bytes.Buffer
		o := options{class: nas.S, format: "text", kernels: []nas.Kernel{fake("good", nas.Successful, nil, nil)}}
		if _, err := o.execute(world.WithContext(ctx), &out, &out); !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("rank %d: %v, %q", world.Rank(), err, out.String())
		}
		return nil
	})
}

func TestErrorsOfARun(t *testing.T) {
	boom := errors.New("boom")
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		o := options{class: nas.S, format: "text", kernels: []nas.Kernel{fake("good", nas.Successful, nil, boom)}}
		if _, err := o.execute(world, new(bytes.Buffer), new(bytes.Buffer)); !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), "good: ") {
			t.Errorf("kernel: %v", err)
		}
		o.kernels = []nas.Kernel{fake("good", nas.Successful, nil, nil)}
		closed, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			return err
		}
		closed.Close()
		for _, o.format = range []string{"text", "json", "csv"} {
			if _, err := o.execute(world, closed, new(bytes.Buffer)); !errors.Is(err, os.ErrClosed) {
				t.Errorf("closed output, %s: %v", o.format, err)
			}
		}
		return nil
	})
}

func TestProgress(t *testing.T) {
	var line bytes.Buffer
	out := &output{format: "json", w: new(bytes.Buffer), progress: &progress{w: &line, columns: 80}}
	step := out.begin(nas.Problem{Kernel: "CG"}, 2)
	step(1, 15)
	step(2, 15)
	if got := line.String(); got != " CG iteration 1 of 15\x1b[K\r" {
		t.Errorf("progress %q", got)
	}
	line.Reset()
	out.result(nas.Result{})
	if line.String() != "\x1b[K\r" {
		t.Errorf("the progress line stays: %q", line.String())
	}
	line.Reset()
	out.progress.columns = 6
	out.begin(nas.Problem{Kernel: "BT"}, 2)(1, 15) // the first progress of each kernel is shown
	if got := line.String(); got != " BT i\x1b[K\r" {
		t.Errorf("progress in 6 columns: %q", got)
	}
	out.progress = nil
	if out.begin(nas.Problem{}, 1) != nil {
		t.Error("progress without a terminal")
	}
}

// A progress line is shown on terminals, and on pipes that lead to one according to mpirun.
func TestWhoSeesProgress(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as terminals are
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	_, terminal := ptytest.Open(t, 0)
	for _, c := range []struct {
		name      string
		w         io.Writer
		announced string
		columns   int
	}{
		{"a pipe", w, "", 0}, {"a pipe to a terminal", w, "97", 97}, {"nonsense", w, "wide", 0}, {"no width", w, "0", 0},
		{"a file", file, "97", 0}, {"a terminal", terminal, "", defaultColumns}, {"a device", device, "", 0}, {"a buffer", new(bytes.Buffer), "97", 0},
	} {
		got := 0
		if p := newProgress(c.w, c.announced); p != nil {
			got = p.columns
		}
		if got != c.columns {
			t.Errorf("%s: %d columns, want %d", c.name, got, c.columns)
		}
	}
	file.Close()
	if newProgress(file, "97") != nil {
		t.Error("a closed file is a terminal")
	}
}
