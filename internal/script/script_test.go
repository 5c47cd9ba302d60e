package script

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const transcript = `# about adding
add 1 2
----
3

# two commands, one output
add 1 by=4
say loud
----
5
LOUD
`

func handle(c *Command) string {
	switch c.Name {
	case "add":
		n := c.ArgInt(0) + c.Int("by", 0)
		if !c.Has("by") {
			n += c.ArgInt(1)
		}
		return fmt.Sprintln(n)
	case "say":
		if c.Has("loud") {
			return "LOUD"
		}
	}
	return ""
}

func TestPlayKeepsWhatIsRight(t *testing.T) {
	if got := play(t, "x", transcript, handle); got != transcript {
		t.Fatalf("got\n%s", got)
	}
}

func TestPlayReplacesWhatIsWrong(t *testing.T) {
	wrong := "add 1 2\n----\n4\nand more\n\nadd 2 2\n"
	want := "add 1 2\n----\n3\n\nadd 2 2\n----\n4\n"
	if got := play(t, "x", wrong, handle); got != want {
		t.Fatalf("got\n%s", got)
	}
	if line, w, g := difference(wrong, want); line != 3 || w != "4" || g != "3" {
		t.Fatal(line, w, g)
	}
	if line, _, g := difference("a\n", "a\nb\n"); line != 2 || g != "b" {
		t.Fatal(line, g)
	}
}

// recorder is a testing.TB that notes failures instead of failing.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(f string, a ...any) {
	r.failed = fmt.Sprintf(f, a...)
}
func (r *recorder) Fatalf(f string, a ...any) {
	r.failed = fmt.Sprintf(f, a...)
	panic(r)
}
func (r *recorder) Fatal(a ...any) {
	r.failed = fmt.Sprint(a...)
	panic(r)
}

func try(t *testing.T, f func(tb testing.TB)) string {
	r := &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != r {
			panic(p)
		}
	}()
	f(r)
	return r.failed
}

func TestRunComparesAndRewrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(path, []byte("add 1 1\n----\n3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := try(t, func(tb testing.TB) { Run(tb, path, handle) }); got == "" {
		t.Fatal("a wrong transcript passed")
	}
	*rewrite = true
	defer func() { *rewrite = false }()
	Run(t, path, handle)
	*rewrite = false
	Run(t, path, handle)
}

func TestMistakesStopTheTest(t *testing.T) {
	for _, text := range []string{"add", "add x 1", "add 1 by=z"} {
		r := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			play(r, "file", text, handle)
		}()
		if r.failed == "" {
			t.Errorf("%q passed", text)
		}
	}
	r := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }()
		Run(r, "/no/such/file", handle)
	}()
	if r.failed == "" {
		t.Error("a missing file passed")
	}
}
