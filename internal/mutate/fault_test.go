package main

import (
	"fmt"
	"slices"
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
		tests: -run X ./a | -tags y ./b

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
		f.Old != "t.n += k\n}" || f.New != "t.n -= k\n}" || f.Limit != 3*time.Second || fmt.Sprint(f.Tests) != "[-run X ./a -tags y ./b]" || len(f.Tests) != 2 {
		t.Errorf("%+v", f)
	}
	if g.New != "" || g.Limit != usualLimit || len(g.Tests) != 1 || g.Tests[0] != (Test{Folder: "./c"}) {
		t.Errorf("%+v", g)
	}
}

func TestTestsOfThePackageComeFirst(t *testing.T) {
	list, err := parse("part", "tests: ./a | ./b | -run X ./c | ./c | ./d\nfault: x\nfile: c/f.go\nrule: r.\n- a\n+ b\n")
	if err != nil || fmt.Sprint(list[0].Tests) != "[-run X ./c ./c ./a ./b ./d]" {
		t.Error(list, err)
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
		"not of one package":       whole + "tests: ./a ./b",
		"not defined: -race":       whole + "tests: -race ./a",
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

// TestStale: changed code is detected, and the error says what to do.
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

// TestTogether: each fault is a function body of its own, and faults outside of functions are left out.
func TestTogether(t *testing.T) {
	const code = `package p

const n = 3

func F(k int) (sum int) {
all:
	for i := range k {
		if i == n {
			break all
		}
		sum += i
	}
	return sum
}

func (t *T[K]) G() { t.n++ }
`
	list := []Fault{
		{Name: "p/const", Old: "n = 3", New: "n = 4"}, {Name: "p/less", Old: "i == n", New: "i >= n"},
		{Name: "p/none", In: "T.G", Old: "t.n++", New: "t.n--"}, {Name: "p/name", Old: "F(k int)", New: "F(k, l int)"},
		{Name: "p/zero", In: "F", Old: "sum += i", New: "continue all"},
	}
	holds := map[string]bool{}
	made, pkg, err := withSwitches([]byte(code), []*Fault{&list[0], &list[1], &list[2], &list[3], &list[4]}, holds)
	if err != nil || pkg != "p" || fmt.Sprint(holds) != "map[p/less:true p/none:true p/zero:true]" {
		t.Fatal(pkg, holds, err)
	}
	const want = `package p

const n = 3

func F(k int) (sum int) {
if mutateFault == "p/less" {

all_1:
	for i := range k {
		if i >= n {
			break all_1
		}
		sum += i
	}
	return sum
}

if mutateFault == "p/zero" {

all_4:
	for i := range k {
		if i == n {
			break all_4
		}
		continue all_4
	}
	return sum
}

all:
	for i := range k {
		if i == n {
			break all
		}
		sum += i
	}
	return sum
}

func (t *T[K]) G() {
if mutateFault == "p/none" {
 t.n-- 
return
}
 t.n++ }
`
	if string(made) != want {
		t.Errorf("%s", made)
	}
	list[0].Old = "gone"
	if _, _, err := withSwitches([]byte(code), []*Fault{&list[0]}, holds); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Error(err)
	}
	if _, _, err := together(t.TempDir(), list[:1]); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Error(err)
	}
}

func TestFailing(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/b (0.0s)\n        --- FAIL: TestA/b/c (0.0s)\n--- FAIL: TestZ (0s)\n": "TestA/b/c [TestA TestZ]",
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestHang (1s)\n":                                            "TestHang [TestHang]",
		"=== RUN   TestA\n--- PASS: TestA\n=== RUN   TestB\n=== RUN   TestB/c\nfatal error: all goroutines are asleep\n":   "TestB/c [TestB]",
		"FAIL\n": " []",
	} {
		if got := fmt.Sprint(failing([]byte(out)), " ", allFailing([]byte(out))); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestExactly(t *testing.T) {
	if got := exactly("TestA/b+c", "TestD"); got != `^TestA$/^b\+c$|^TestD$` {
		t.Error(got)
	}
}

func TestLimit(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: 20 * time.Second, time.Second: 40 * time.Second, time.Minute: 4 * time.Minute, 3 * time.Minute: 12 * time.Minute} {
		if got := (&runner{slow: 2}).limit(&Fault{Limit: 2 * time.Minute}, took); got != want {
			t.Errorf("%v: %v, want %v", took, got, want)
		}
	}
}

func TestAttempts(t *testing.T) {
	f := &Fault{Tests: []Test{{Folder: "./a"}, {Run: "X", Folder: "./b"}}}
	got := slices.Concat(alone(f, []string{"b TestX/y", "b TestA", "gone TestB", "b TestX/y", "a"}), whole(f, true), whole(f, false))
	want := []attempt{
		{f.Tests[1], "TestA TestX/y", true}, {f.Tests[1], "TestA TestX/y", false},
		{f.Tests[0], "", true}, {f.Tests[1], "", true}, {f.Tests[0], "", false}, {f.Tests[1], "", false},
	}
	if !slices.Equal(got, want) || len(alone(f, nil)) != 0 {
		t.Errorf("%v, want %v", got, want)
	}
	if a, b := want[0].pattern(), want[3].pattern(); a != "^TestA$|^TestX$/^y$" || b != "X" {
		t.Error(a, b)
	}
}

func TestLikely(t *testing.T) {
	list := []Fault{{Name: "p/1", File: "a/x.go"}, {Name: "p/2", File: "a/y.go"}, {Name: "p/3", File: "b/z.go"}, {Name: "p/4", File: "a/z.go"}}
	m := &memory{last: map[string]Result{"p/1": {By: "a Test1"}, "p/2": {By: "b Test2"}, "p/3": {By: "b Test3"}}}
	for i, want := range []string{"[a Test1]", "[b Test2]", "[b Test3]", "[a Test1 b Test2]"} {
		if got := fmt.Sprint(m.likely(&list[i], list)); got != want {
			t.Errorf("%s: %s, want %s", list[i].Name, got, want)
		}
	}
}

func TestChosen(t *testing.T) {
	list := []Fault{{Name: "p/1", File: "a/x.go"}, {Name: "p/2", File: "a/b/y.go"}, {Name: "p/3", File: "ab/z.go"}}
	for places, want := range map[string]string{
		"": "123", "./a": "1", "a/": "1", "./a/...": "12", "a/x.go ab": "13", "./...": "123", "a/b/y.go": "2",
	} {
		faults, err := chosen(list, "", strings.Fields(places))
		got := ""
		for _, f := range faults {
			got += f.Name[2:]
		}
		if got != want {
			t.Errorf("%q finds %q, not %q: %v", places, got, want, err)
		}
	}
}

func TestSummary(t *testing.T) {
	faults := []Fault{{Name: "a/1", File: "a/x.go"}, {Name: "b/1", File: "b/x.go"}, {Name: "a/2", File: "a/y.go"}, {Name: "c/1", File: "c/z.go"}}
	results := []Result{
		{Fault: "a/1", Verdict: Failed, By: "./a TestX", Took: time.Second}, {Fault: "b/1", Verdict: Late, Took: time.Second},
		{Fault: "a/2", Verdict: Survived, Took: time.Second}, {},
	}
	want := []row{{"a", 2, 1, 0, 0, 1, 0, 2 * time.Second}, {"b", 1, 0, 1, 0, 0, 0, time.Second}, {"c", 1, 0, 0, 0, 0, 1, 0}, {"all", 4, 1, 1, 0, 1, 1, 3 * time.Second}}
	if rows := summary(faults, results); !slices.Equal(rows, want) {
		t.Errorf("%v, want %v", rows, want)
	}
	var out strings.Builder
	if err := report(&out, faults, results); err != nil || !strings.Contains(out.String(), "a/1    failed    ./a TestX") ||
		!strings.Contains(out.String(), "all      4       1       1     0       1         1        3s") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
