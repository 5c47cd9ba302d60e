package need

import (
	"runtime"
	"strings"
	"testing"
)

// A fate is the outcome of a test.
type fate struct {
	testing.TB
	how, text string
}

func (f *fate) Helper()           {}
func (f *fate) Skip(args ...any)  { f.end("skipped", args) }
func (f *fate) Fatal(args ...any) { f.end("failed", args) }

func (f *fate) end(how string, args []any) {
	f.how, f.text = how, args[0].(string)
	runtime.Goexit()
}

// fateOf returns the outcome of a test that needs a program.
func fateOf(t *testing.T, program string) (f fate, path string) {
	f = fate{TB: t, how: "passed"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = Program(&f, program)
	}()
	<-done
	return f, path
}

func TestProgram(t *testing.T) {
	for ci, want := range map[string]string{"": "skipped", "true": "failed"} {
		t.Setenv("CI", ci)
		if f, path := fateOf(t, "sh"); f.how != "passed" || !strings.HasSuffix(path, "/sh") {
			t.Errorf("sh: %s, %q", f.how, path)
		}
		if f, _ := fateOf(t, "no-such-program"); f.how != want || f.text != "no-such-program is not installed" {
			t.Errorf("CI=%q: %s, %q, want %s", ci, f.how, f.text, want)
		}
	}
}
