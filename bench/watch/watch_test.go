package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func record(allocs, syscalls, usec float64) *Record {
	return &Record{Schema: Schema, Costs: []Cost{{Test: "PingPong", Ranks: 2, Bytes: 8, Allocs: allocs, Syscalls: syscalls, Low: usec * 0.9, Median: usec, High: usec * 1.1}}}
}

func TestWhatCostsMoreIsFound(t *testing.T) {
	before := record(0, 0.1, 1)
	for _, c := range []struct {
		now  *Record
		want string
	}{
		{record(0.1, 0.3, 1.2), ""},
		{record(1, 0.1, 1), "1.00 allocations, 0.00 before"},
		{record(0, 2.1, 1), "2.10 system calls, 0.10 before"},
		{record(0, 0.1, 2), "2.000 µs [1.800 2.200], before 1.000 [0.900 1.100]"},
	} {
		found, notes := Compare(before, c.now, true)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || found[0].Text != c.want) || len(notes) > 0 {
			t.Errorf("found %v, notes %v; want %q", found, notes, c.want)
		}
	}
}

func TestWhatCannotBeComparedIsSaid(t *testing.T) {
	before, now := record(0, -1, 1), record(0, 9, 9)
	now.Host.CPU = "another"
	now.Costs = append(now.Costs, Cost{Test: "new"})
	found, notes := Compare(before, now, true)
	if text := strings.Join(notes, "; "); len(found) > 0 || !strings.Contains(text, "times are not compared") || !strings.Contains(text, "system calls are not compared") || !strings.Contains(text, "new, 0 ranks, 0 bytes: not in the record") {
		t.Errorf("found %v, notes %v", found, notes)
	}
}

// A record without costs of jobs has an empty list of them, not null.
func TestRecordWithoutCosts(t *testing.T) {
	var b bytes.Buffer
	if err := new(Record).Encode(&b); err != nil || !strings.Contains(b.String(), `"costs": []`) || strings.Contains(b.String(), "null") {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestRecordReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := record(1, 2, 3).Encode(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "record.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(b.String())
	if r, err := Read(file); err != nil || len(r.Costs) != 1 || r.Costs[0] != record(1, 2, 3).Costs[0] {
		t.Errorf("read back %+v, %v", r, err)
	}
	for _, text := range []string{"x", `{"schema":"rhinet-watch-0"}`} {
		write(text)
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), file+" is no record of bench watch") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read(file + "none"); err == nil {
		t.Error("a missing file reads")
	}
}

func options(script string) Options {
	return Options{
		Tests: []Test{{"Bcast", 2, 8}}, Tries: 2, Limit: 20 * time.Second,
		Command: func(_ Test, reps int) []string { return []string{"sh", "-c", script, "sh", fmt.Sprint(reps)} },
	}
}

// The system calls counted are those caused by more repetitions, of the program and of what it starts;
// those that happen once do not count. Here a repetition is (with its warm-up) the shell's umask, twice, in
// a subshell: a few calls.
func TestSystemCallsOfARepetitionAreCounted(t *testing.T) {
	o := options(`(i=0; while [ $i -lt $(($1 * 2)) ]; do umask 22; i=$((i+1)); done); echo tally 0.5 1.5`)
	r, notes, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Skip(notes)
	}
	c := r.Costs[0]
	if c.Syscalls < 0.99 || c.Syscalls > 4.01 || c.Allocs != 0.5 || c.Median != 1.5 {
		t.Errorf("cost is %+v", c)
	}
	r, _, err = Run(t.Context(), options(`umask 22; (umask 22); echo tally 0 1`))
	if err != nil || r.Costs[0].Syscalls > 0.01 {
		t.Errorf("what happens once costs %+v, %v", r, err)
	}
}

func TestFailingCommands(t *testing.T) {
	for script, want := range map[string]string{
		"echo broken >&2; exit 3": "broken",
		"echo nothing":            "no tally",
	} {
		if _, _, err := Run(t.Context(), options(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	if n, err := trace(t.Context(), []string{"sh", "-c", "exit 3"}); err == nil {
		t.Errorf("a traced command that fails gives %d", n)
	}
	if _, err := trace(t.Context(), []string{"/nowhere"}); err == nil {
		t.Error("a missing command passes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := trace(ctx, []string{"sleep", "60"}); err == nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errNoTrace) {
		t.Errorf("a traced command that hangs gives %v", err)
	}
}

func TestTallyReadsBack(t *testing.T) {
	if a, u, err := ParseTally("noise\n" + FormatTally(0.25, 3)); err != nil || a != 0.25 || u != 3 {
		t.Errorf("%v, %v, %v", a, u, err)
	}
}

func TestMergeKeepsTheLeast(t *testing.T) {
	r := record(1, 2, 3)
	r.Merge(record(0.5, 3, 2))
	r.Merge(&Record{Costs: []Cost{{Test: "another"}}})
	if c := r.Costs[0]; c.Allocs != 0.5 || c.Syscalls != 2 || c.Median != 2 {
		t.Errorf("cost is %+v", c)
	}
	r.Merge(record(9, -1, 9))
	if c := r.Costs[0]; c.Syscalls != 2 {
		t.Errorf("what is not counted is taken for the least: %+v", c)
	}
}

// Each step of a run is announced before it begins, tests before works.
func TestProgress(t *testing.T) {
	var told []string
	o := Options{
		Tests: Quick()[:2], Works: []Work{{Name: "echo", Base: []string{"true"}, Full: []string{"true"}, Per: 1}},
		Tries: 1, Limit: time.Minute, Counter: &Counter{name: "none", args: []string{"false"}},
		Command:  func(Test, int) []string { return []string{"echo", strings.TrimSpace(FormatTally(0, 1))} },
		Progress: func(done, all int, what string) { told = append(told, fmt.Sprintf("%d/%d %s", done, all, what)) },
	}
	if _, _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(told, "; "), "0/3 PingPong, 2 ranks, 8 bytes; 1/3 PingPong, 2 ranks, 4096 bytes; 2/3 echo"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
