package results

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stand makes a results command for a new folder whose tools are shell
// scripts; every run of bench is noted in the file log.
func stand(t *testing.T, script string) (r *production, errs *bytes.Buffer, log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	tool := filepath.Join(dir, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\nprintf '%s\\n' \"$*\" >>"+log+"\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	errs = new(bytes.Buffer)
	tools := map[string]string{"bench": tool, "mpirun": tool, "npb": "/path/of/npb"}
	return &production{out: new(bytes.Buffer), errs: errs, dir: t.TempDir(), tools: tools}, errs, log
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var threeSteps = []step{
	{file: "a.json", args: words("bench nic a")},
	{file: "b.json", args: words("mpirun -n 2 npb all")},
	{file: "c.md", args: words("bench compare"), keeps: true},
}

func TestResultsAreMadeOnce(t *testing.T) {
	r, errs, log := stand(t, "echo done\n")
	if err := r.produce(t.Context(), threeSteps); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(r.dir, "c.json")
	want := "nic a\n-n 2 /path/of/npb all\ncompare --out " + out + " --mpirun " + r.tools["mpirun"] + "\n"
	if got := read(t, log); got != want {
		t.Errorf("the commands were %q, want %q", got, want)
	}
	if got := read(t, r.dir, "commands.txt"); got != "a.json: bench nic a\nb.json: mpirun -n 2 npb all\nc.md: bench compare --out c.json\n" {
		t.Errorf("the folder says %q", got)
	}
	if got := read(t, r.dir, "b.json"); got != "done\n" {
		t.Errorf("a file holds %q", got)
	}
	errs.Reset()
	if err := r.produce(t.Context(), threeSteps); err != nil || read(t, log) != want || strings.Count(errs.String(), "is there") != 3 {
		t.Errorf("again: %v, commands %q, errors %q", err, read(t, log), errs)
	}
}

// A step that fails leaves no file; the next run continues with it, using the results that its comparison
// had saved.
func TestResultsGoOnAfterAFailure(t *testing.T) {
	r, errs, log := stand(t, "[ $1 = compare ] && [ ! -e $3.part ] && { touch $3.part; echo broken >&2; exit 1; }\necho done\n")
	err := r.produce(t.Context(), threeSteps)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(r.dir, "c.md")) || !strings.Contains(err.Error(), "goes on") || !strings.Contains(errs.String(), "broken") {
		t.Fatalf("error is %v, errors %q", err, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, "c.md*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := r.produce(t.Context(), threeSteps); err != nil || !strings.HasSuffix(read(t, log), "--resume\n") || strings.Count(read(t, log), "nic a") != 1 {
		t.Errorf("%v, commands %q", err, read(t, log))
	}
}

// Files that another command made are neither used nor overwritten.
func TestResultsKeepTheirHandsOff(t *testing.T) {
	r, _, log := stand(t, "echo done\n")
	file := filepath.Join(r.dir, "b.json")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.produce(t.Context(), threeSteps); err == nil || !strings.Contains(err.Error(), file+" is not from bench results") {
		t.Errorf("error is %v", err)
	}
	for text, want := range map[string]string{"b.json: bench nic b\n": "was made by another command, bench nic b", "hello\n": `the line "hello"`} {
		if err := os.WriteFile(filepath.Join(r.dir, "commands.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.produce(t.Context(), threeSteps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
	if _, err := os.Stat(log); err == nil {
		t.Errorf("commands ran: %q", read(t, log))
	}
	if read(t, file) != "mine" {
		t.Error("the file is overwritten")
	}
	// The same is true for files that are made again each time.
	made := []step{{file: "b.json", args: words("bench report"), again: true}}
	if err := os.WriteFile(filepath.Join(r.dir, "commands.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.produce(t.Context(), made); err == nil || !strings.Contains(err.Error(), file+" is not from bench results") || read(t, file) != "mine" {
		t.Errorf("error is %v, the file holds %q", err, read(t, file))
	}
	// A comparison that another command began is not continued either.
	r, _, log = stand(t, "echo done\n")
	other := filepath.Join(r.dir, "c.json.part")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.produce(t.Context(), threeSteps); err == nil || !strings.Contains(err.Error(), other+" is not from bench results") {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(log); err == nil {
		t.Errorf("commands ran: %q", read(t, log))
	}
}

func TestResultsAreInterrupted(t *testing.T) {
	r, _, _ := stand(t, "kill -9 $$\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.produce(ctx, threeSteps); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error is %v", err)
	}
}

// Every set of the plan is made by a command of its own, into a file of its own.
func TestPlanOfResults(t *testing.T) {
	for _, short := range []bool{false, true} {
		r := Options{Dir: "d", Short: short, Peers: []string{"openmpi"}, References: []string{"x", "y"}, MPI: "mpich"}
		files := map[string]bool{}
		for _, s := range r.steps() {
			if files[s.file] || s.takes <= 0 || len(s.args) < 2 {
				t.Errorf("step %+v", s)
			}
			files[s.file] = true
			if s.file == "npb.md" && !strings.Contains(s.command(), "--reference-mpi mpich --format markdown --reference x --reference y") {
				t.Errorf("command %s", s.command())
			}
		}
		for _, want := range []string{"calibrate.txt", "compare.md", "pmb.md", "nic-push.json", "pm-pingpong.json", "npb-S-2.json", "report.txt"} {
			if !files[want] {
				t.Errorf("short %v: no %s", short, want)
			}
		}
	}
}

func TestALogThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "commands.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := &production{errs: new(bytes.Buffer), dir: dir}
	if err := p.produce(t.Context(), threeSteps); err == nil || !strings.HasSuffix(err.Error(), "; take another folder") {
		t.Errorf("error is %v", err)
	}
}
