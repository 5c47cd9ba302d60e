package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

func TestCommandLists(t *testing.T) {
	status, out, _ := run(t, "--list", "llc/seq/seq.go")
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
		"no regular expression":       {"--only", "("},
		"nothing is named so":         {"--only", "nothing is named so"},
		"no fault is in ./nowhere":    {"./llc", "./nowhere"},
		"none of":                     {"--only", "engine/", "./collectives"},
		"--slow 0":                    {"--slow", "0"},
		"--jobs 0 is not above 0":     {"--jobs", "0"},
		"flag provided but not":       {"--many"},
		"usage: mutate [flags] [FILE": {"--help"},
		"no record of mutate":         {"--record", bad, "--only", "^engine/tail-moves-back$"},
	} {
		if status, _, trouble := run(t, args...); status != 2 || !strings.Contains(trouble, want) {
			t.Errorf("%v: status %d, %s", args, status, trouble)
		}
	}
}

// tiny is a module with one package and faults with every outcome, by file name.
var tiny = map[string]string{
	"go.mod": "module tiny\n\ngo 1.26\n",
	"one/one.go": `package one

var limit = 3

var kept *int

func One() int { return 1 }

func Unused() int { return 7 }

func Add(n int) (sum int) {
loop:
	for i := range n {
		if i == limit {
			break loop
		}
		sum += i
	}
	return sum
}

// OnStack allocates nothing.
func OnStack(n int) int {
	p := &n
	return *p
}
`,
	"one/one_test.go": `package one

import (
	"os"
	"testing"
	"time"
)

func trace(t *testing.T) {
	file, err := os.OpenFile(os.Getenv("TINY_TRACE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	file.WriteString(t.Name() + os.Getenv("MUTATE_FAULT") + "\n")
}

func TestAdd(t *testing.T) {
	trace(t)
	if Add(9) != 3 {
		t.Error("not three")
	}
}

func TestOnStack(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { OnStack(3) }); n != 0 {
		t.Error(n)
	}
}

func TestOne(t *testing.T) {
	trace(t)
	switch One() {
	case 1:
	case 2:
		time.Sleep(time.Hour)
	case 3:
		much := make([]byte, 256<<20)
		for i := range much {
			much[i] = 1
		}
		time.Sleep(time.Hour)
		much[0] = 2
	case 5:
		go func() { panic("nobody's") }()
		time.Sleep(time.Hour)
	default:
		t.Run("sub", func(t *testing.T) { t.Error("not one") })
	}
}

func TestLong(t *testing.T) {
	if !testing.Short() && Unused() == 9 {
		t.Error("nine")
	}
}
`,
	"internal/mutate/faults/tiny.txt": `tests: ./one

fault: wrong
file: one/one.go
in: One
rule: It is one.
- 1
+ 4

fault: label
file: one/one.go
in: Add
rule: It ends.
- sum += i
+ continue loop

fault: constant
file: one/one.go
rule: It is three.
- limit = 3
+ limit = 2

fault: escapes
file: one/one.go
in: OnStack
rule: It stays on the stack.
- p := &n
+ p := &n
+ kept = p

fault: unseen
file: one/one.go
in: Unused
rule: It is seven.
- 7
+ 8
`,
}

// module writes tiny and returns its root.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range tiny {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, name, text)
	}
	return root
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// transcript is the command's output without times and compiler messages.
func transcript(out string) string {
	out, _, _ = strings.Cut(out, "\n\n")
	return regexp.MustCompile(`(?m)  [0-9.ms]+$`).ReplaceAllString(out, "")
}

// TestCommand runs the list of the tiny module twice: the second time the recorded tests come first.
func TestCommand(t *testing.T) {
	root := module(t)
	t.Chdir(root)
	traced := filepath.Join(root, "trace")
	t.Setenv("TINY_TRACE", traced)
	status, out, trouble := run(t)
	if want := `1 of 5  tiny/wrong  failed  one TestOne/sub
2 of 5  tiny/label  failed  one TestAdd
3 of 5  tiny/constant  failed  one TestAdd (own build)
4 of 5  tiny/escapes  failed  one TestOnStack (own build)
5 of 5  tiny/unseen  survived   (own build)`; status != 1 || !strings.Contains(trouble, "of 5 faults 1 survived") || withoutNotes(transcript(out)) != want {
		t.Errorf("status %d, %s\n%s", status, trouble, out)
	}
	if !strings.Contains(out, "with all faults built in, but none switched on, ./one fails and is left out: TestOnStack\n") {
		t.Errorf("a test that the common build breaks is used:\n%s", out)
	}
	caught := filepath.Join(root, filepath.FromSlash(caughtFile))
	const list = `tiny/constant failed one TestAdd
tiny/escapes failed one TestOnStack
tiny/label failed one TestAdd
tiny/wrong failed one TestOne/sub
`
	if got := read(t, caught); got != list {
		t.Errorf("remembered:\n%s", got)
	}
	write(t, traced, "")
	if status, out, trouble = run(t, "--only", "wrong", "one"); status != 0 || trouble != "" {
		t.Errorf("status %d, %s\n%s", status, trouble, out)
	}
	if got := read(t, traced); got != "TestOne\nTestOnetiny/wrong\n" {
		t.Errorf("with a test that is remembered, there ran\n%s", got)
	}
	// A wrong entry costs time, and is corrected.
	write(t, caught, strings.Replace(list, "TestOne/sub", "TestAdd", 1)+"tiny/gone late one TestGone\n")
	if status, out, trouble = run(t, "--only", "wrong", "./..."); status != 0 || read(t, caught) != list {
		t.Errorf("status %d, %s\n%s%s", status, trouble, out, read(t, caught))
	}
	write(t, caught, "tiny/wrong\n")
	if status, _, trouble = run(t); status != 2 || !strings.Contains(trouble, "no fault, verdict, package and test") {
		t.Errorf("status %d, %s", status, trouble)
	}
}

// withoutNotes removes the command's notes on tests.
func withoutNotes(out string) string {
	return regexp.MustCompile(`(?m)^with.*\n`).ReplaceAllString(out, "")
}

// TestCommandRecords: a fault that was caught according to a record is not run again.
func TestCommandRecords(t *testing.T) {
	t.Chdir(module(t))
	record := filepath.Join(t.TempDir(), "caught.jsonl")
	for _, mark := range []string{"failed", "recorded: failed"} {
		status, out, trouble := run(t, "--only", "wrong|label", "--jobs", "2", "--record", record)
		if status != 0 || trouble != "" || strings.Count(out, mark+"  one Test") != 2 {
			t.Errorf("status %d\n%s%s", status, out, trouble)
		}
	}
}

// TestCommandIsInterrupted: the tables show what was not run.
func TestCommandIsInterrupted(t *testing.T) {
	t.Chdir(module(t))
	over, stop := context.WithCancel(t.Context())
	stop()
	var out, trouble bytes.Buffer
	if status := command(over, nil, &out, &trouble); status != 1 || !strings.Contains(trouble.String(), "interrupted") ||
		!strings.Contains(out.String(), "all      5       0       0     0       0         5        0s") {
		t.Errorf("status %d, %s\n%s", status, &trouble, &out)
	}
}

// TestVerdicts runs faults with every outcome.
func TestVerdicts(t *testing.T) {
	root := module(t)
	var list []Fault
	cases := []struct {
		in, old, new string
		want         Verdict
		by           string
		own          bool
	}{
		{"Unused", "7", "8", Survived, "", true},
		{"Unused", "7", "9", Failed, "one TestLong", true}, // which does not run with -short
		{"One", "1", "4", Failed, "one TestOne/sub", false},
		{"One", "1", "5", Failed, "one TestOne", false},
		{"One", "1", "2", Late, "one TestOne", false},
		{"One", "1", "3", Greedy, "one TestOne", false},
		{"One", "return 1", "return One", Broken, "one", true},
	}
	for i, c := range cases {
		f := Fault{Name: fmt.Sprint("m/", i), File: "one/one.go", In: c.in, Old: c.old, New: c.new, Tests: []Test{{Folder: "./one"}}, Limit: time.Minute}
		if c.want == Late {
			f.Limit = time.Second
		}
		list = append(list, f)
	}
	r, broken := runnerOf(t, root, list[:len(list)-1]), runnerOf(t, root, list[len(list)-1:])
	for i, c := range cases {
		if c.want == Greedy && mostMemoryIsWatched() != nil {
			continue
		}
		of := r
		if c.want == Broken {
			of = broken
		}
		res, err := of.fault(t.Context(), &list[i], nil)
		if err != nil || res.Verdict != c.want || res.By != c.by || res.Own != c.own {
			t.Errorf("%s for %s: %s by %q, own %v, %v\n%s", c.new, c.old, res.Verdict, res.By, res.Own, err, res.output)
		}
	}
	if text := read(t, filepath.Join(root, "one/one.go")); text != tiny["one/one.go"] {
		t.Errorf("the source was touched: %s", text)
	}
}

// runnerOf returns a runner of list that allows tests 128 MiB.
func runnerOf(t *testing.T, root string, list []Fault) *runner {
	t.Helper()
	r, err := newRunner(root, 1, 128<<20, list, func(b *binary, names []string) { t.Errorf("%v fails without any fault: %v", b.Test, names) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// TestSickTests: tests that fail without any fault catch nothing, and the command reports them.
func TestSickTests(t *testing.T) {
	root := module(t)
	t.Chdir(root)
	write(t, filepath.Join(root, "one", "sick_test.go"), "package one\n\nimport \"testing\"\n\nfunc TestSick(t *testing.T) { t.Fatal(\"ill\") }\n")
	status, out, trouble := run(t, "--only", "wrong|constant")
	if status != 1 || !strings.Contains(trouble, "without any fault these tests fail: one TestSick") || strings.Count(out, "left out: TestSick") != 2 ||
		!strings.Contains(out, "failed  one TestOne/sub") || !strings.Contains(out, "failed  one TestAdd") {
		t.Errorf("status %d, %s\n%s", status, trouble, out)
	}
	write(t, filepath.Join(root, "one", "sick_test.go"), "package one\n\nimport \"os\"\n\nfunc init() { os.Exit(3) }\n")
	if status, _, trouble = run(t, "--only", "wrong"); status != 1 || !strings.Contains(trouble, "without any fault, go test ./one: failed") {
		t.Errorf("status %d, %s", status, trouble)
	}
}

// mostMemoryIsWatched returns why a test that takes too much memory is not detected here.
func mostMemoryIsWatched() error {
	_, err := os.Stat("/proc/self/stat")
	return err
}
