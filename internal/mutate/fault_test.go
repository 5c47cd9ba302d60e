package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const code = `package p

type T struct{ n int }

func (t *T) Add(k int) {
	if k > 0 {
		t.n += k
	}
	t.n++
}

func Add(t *T, k int) {
	t.n += k
	t.n++
}
`

func TestParse(t *testing.T) {
	list, err := parse("part", `
		# a comment
		tests: ./a -run X | ./b

		fault: first
		file: p/p.go
		in: T.Add
		rule: Nothing is
		rule: added twice.
		- t.n += k
		- }
		+ t.n -= k
		+ }
		limit: 3s

		fault: second
		file: p/p.go
		rule: It counts.
		- t.n++
		+
		tests: ./c
	`)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	f, g := list[0], list[1]
	if f.Name != "part/first" || f.Part() != "part" || f.Package() != "p" || f.Rule != "Nothing is added twice." ||
		f.Old != "t.n += k\n}" || f.New != "t.n -= k\n}" || f.Limit != 3*time.Second || fmt.Sprint(f.Tests) != "[./a -run X ./b]" || len(f.Tests) != 2 {
		t.Errorf("%+v", f)
	}
	if g.New != "" || g.Limit != usualLimit || len(g.Tests) != 1 || g.Tests[0].String() != "./c" {
		t.Errorf("%+v", g)
	}
	if all := tests(list); len(all) != 3 || all[0].String() != "./a -run X" {
		t.Errorf("tests %v", all)
	}
}

func TestParseMistakes(t *testing.T) {
	const whole = "fault: x\nfile: f.go\nrule: r.\n- a\n+ b\ntests: ./a\n"
	for want, text := range map[string]string{
		"no keyword with a value":  "fault x",
		"no keyword \"colour\"":    whole + "colour: red",
		"no file":                  strings.Replace(whole, "file: f.go\n", "", 1),
		"no line with -":           strings.Replace(whole, "- a\n", "", 1),
		"changes nothing":          strings.Replace(whole, "+ b", "+ a", 1),
		"no rule":                  strings.Replace(whole, "rule: r.\n", "", 1),
		"no tests":                 strings.Replace(whole, "tests: ./a\n", "", 1),
		"no time to be caught in":  whole + "limit: 0s",
		"faults/part.txt:7: time:": whole + "limit: soon",
	} {
		if _, err := parse("part", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct{ in, old, new, want string }{
		{"T.Add", "t.n++", "", "t.n += k\n\t}\n\t\n}\n\nfunc Add"},
		{"Add", "t.n++", "t.n--", "t.n += k\n\tt.n--\n}\n"},
		{"T.Add", "t.n += k\n}\nt.n++", "}", "if k > 0 {\n\t\t}\n}"},
		{"", "k > 0", "k >= 0", "if k >= 0 {"},
	} {
		f := Fault{Name: "p/x", File: "p.go", In: c.in, Old: c.old, New: c.new}
		if text, err := f.apply([]byte(code)); err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%q in %q: %v\n%s", c.old, c.in, err, text)
		}
	}
}

// TestStale: code that has moved on is noticed, and the error says what to do.
func TestStale(t *testing.T) {
	for _, c := range []struct{ in, old, new, want string }{
		{"", "t.n++", "t.n--", "is there 2 times"},
		{"Add", "t.n--", "t.n++", "is not there"},
		{"Add", "t.n += k\nt.n--", "", "is not there"},
		{"U.Add", "t.n++", "", "no such function"},
		{"Add", "t.n++", "t.n+++", "no Go any more"},
		{"Add", "}", "", "no Go any more"},
	} {
		f := Fault{Name: "p/x", File: "p.go", In: c.in, Old: c.old, New: c.new}
		_, err := f.apply([]byte(code))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "fault p/x is stale") || !strings.Contains(err.Error(), "faults/p.txt") {
			t.Errorf("%q in %q: %v", c.old, c.in, err)
		}
	}
	f := Fault{Name: "p/x", File: "nowhere.go", Old: "a"}
	if _, err := f.source(t.TempDir()); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("no file: %v", err)
	}
	if _, err := keysOf([]Fault{f, f}, t.TempDir()); err == nil || strings.Count(err.Error(), "stale") != 2 {
		t.Errorf("no files: %v", err)
	}
}

func TestFailing(t *testing.T) {
	for want, out := range map[string]string{
		"TestA/b/c":   "--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/b (0.0s)\n        --- FAIL: TestA/b/c (0.0s)\n--- FAIL: TestZ (0s)\n",
		"TestHang":    "panic: test timed out after 1s\n\trunning tests:\n\t\tTestHang (1s)\n",
		"fatal error": "fatal error: all goroutines are asleep - deadlock!\n",
		"a/b TestA":   "ok  \tm/x\t1s\n--- FAIL: TestA (0.0s)\nFAIL\nFAIL\tm/a/b\t1s\n--- FAIL: TestA/z (0.0s)\nFAIL\tm/c\t1s\n",
		"":            "FAIL\n",
	} {
		if got := failing([]byte(out)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	faults := []Fault{{Name: "a/1", File: "a/x.go"}, {Name: "b/1", File: "b/x.go"}, {Name: "a/2", File: "a/y.go"}}
	results := []Result{
		{Fault: "a/1", Verdict: Failed, By: "./a TestX", Took: time.Second}, {Fault: "b/1", Verdict: Late, Took: time.Second},
		{Fault: "a/2", Verdict: Survived, Took: time.Second},
	}
	want := []row{{"a", 2, 1, 1, 2 * time.Second}, {"b", 1, 1, 0, time.Second}}
	if rows := summary(faults, results); fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", rows, want)
	}
	var out strings.Builder
	if err := report(&out, faults, results); err != nil || !strings.Contains(out.String(), "a/1    failed    ./a TestX") ||
		!strings.Contains(out.String(), "all      3       2       1          3s") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
