package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// run runs the command and returns its status and what it printed.
func run(t *testing.T, args ...string) (status int, out, trouble string) {
	t.Helper()
	var o, e bytes.Buffer
	status = command(t.Context(), args, &o, &e)
	return status, o.String(), e.String()
}

// TestCommandCatches runs two faults of the lists, which a fast test of their
// package catches, and lets the record answer the second time.
func TestCommandCatches(t *testing.T) {
	record := filepath.Join(t.TempDir(), "caught.jsonl")
	for round, mark := range []string{"failed", "recorded: failed"} {
		status, out, trouble := run(t, "--only", "^engine/tail-(moves-back|runs-ahead)$", "--record", record)
		if status != 0 || trouble != "" || strings.Count(out, mark+"  llc/seq Test") != 2 {
			t.Errorf("round %d: status %d\n%s%s", round, status, out, trouble)
		}
		if !strings.Contains(out, "llc/seq") || strings.Contains(out, "without any fault") != (round == 0) {
			t.Errorf("round %d:\n%s", round, out)
		}
	}
}

func TestCommandLists(t *testing.T) {
	status, out, _ := run(t, "--list", "--only", "llc/seq/seq.go")
	if status != 0 || !strings.Contains(out, "engine/tail-moves-back") || !strings.Contains(out, "Window.Check") || strings.Contains(out, "port/") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestCommandMistakes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("no JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"no regular expression": {"--only", "("},
		"finds none of":         {"--only", "nothing is named so"},
		"not above 0":           {"--slow", "0"},
		"unexpected":            {"everything"},
		"flag provided but not": {"--many"},
		"no record of mutate":   {"--record", bad, "--only", "^engine/tail-moves-back$"},
	} {
		if status, _, trouble := run(t, args...); status != 2 || !strings.Contains(trouble, want) {
			t.Errorf("%v: status %d, %s", args, status, trouble)
		}
	}
}

// module makes a module with one package, whose test fails, hangs, or eats memory if
// One does not return 1, and returns its root.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"one.go": "package m\n\nfunc One() int { return 1 }\n\nfunc Unused() int { return 7 }\n",
		"one_test.go": `package m
import ("testing"; "time")
func TestOne(t *testing.T) {
	switch One() {
	case 1:
	case 2:
		time.Sleep(time.Hour)
	case 3:
		for all := [][]byte{}; ; {
			b := make([]byte, 1<<20)
			for i := range b { b[i] = 1 }
			all = append(all, b)
		}
	default:
		t.Run("sub", func(t *testing.T) { t.Error("not one") })
	}
}
`} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestVerdicts runs faults of every fate.
func TestVerdicts(t *testing.T) {
	r := runner{module(t), 1, 1 << 30}
	for _, c := range []struct {
		in, old, new string
		want         Verdict
		by           string
	}{
		{"Unused", "7", "8", Survived, ""},
		{"One", "1", "4", Failed, "m TestOne/sub"},
		{"One", "1", "2", Late, "m TestOne"},
		{"One", "return 1", "return One", Broken, "m"},
		{"One", "1", "3", Greedy, ""},
	} {
		f := &Fault{Name: "m/x", File: "one.go", In: c.in, Old: c.old, New: c.new, Tests: []Test{{"."}}, Limit: time.Minute}
		if c.want == Late {
			f.Limit = time.Second
		}
		if c.want == Greedy && mostMemoryIsWatched() != nil {
			continue
		}
		res, err := r.fault(t.Context(), f)
		if err != nil || res.Verdict != c.want || res.By != c.by {
			t.Errorf("%s for %s: %s by %q, %v\n%s", c.new, c.old, res.Verdict, res.By, err, res.output)
		}
	}
	text, err := os.ReadFile(filepath.Join(r.root, "one.go"))
	if err != nil || !strings.Contains(string(text), "return 1 ") {
		t.Errorf("the source was touched: %s, %v", text, err)
	}
	if err := r.healthy(t.Context(), Test{"."}, time.Minute); err != nil {
		t.Error(err)
	}
	if err := r.healthy(t.Context(), Test{"./nowhere"}, time.Minute); err == nil {
		t.Error("tests that are not there pass")
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if err := r.healthy(over, Test{"."}, time.Minute); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("interrupted: %v", err)
	}
}

// mostMemoryIsWatched says why a test that takes too much memory is not noticed here.
func mostMemoryIsWatched() error {
	_, err := os.Stat("/proc/self/stat")
	return err
}
