package launch

import (
	"io"
	"strings"
	"syscall"
	"testing"

	"rhinet/internal/ptytest"
)

// Progress of rank 0 is shown at once and removed before lines of any rank, on both outputs, and at the
// launcher's end. What the terminal got is replayed up to every point where it could be seen.
func TestProgressAtTerminal(t *testing.T) {
	user, program := ptytest.Open(t, 97)
	const script = `echo "rank $RHINET_RANK: $RHINET_TERMINAL"
if [ $RHINET_RANK = 0 ]; then for i in 1 2 3; do printf 'iteration %d of many, many\r' $i >&2; sleep 0.2; done
else sleep 0.3; echo other; echo another >&2; fi`
	p := command(t, job(Part{Ranks: 2, Program: "sh", Args: []string{"-c", script}}))
	p.Stdin, p.Stdout, p.Stderr = nil, program, program
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	text, _ := io.ReadAll(user) // ends in EIO when the last program has closed its side
	if r := p.finish(t); r.status != 0 {
		t.Errorf("status %d", r.status)
	}
	for _, want := range []string{"iteration 1 of many, many\r", "iteration 3 of many, many\r"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not shown in %q", want, text)
		}
	}
	if got := strings.Join(sorted(ptytest.Render(string(text))), "|"); got != "another|other|rank 0: 97|rank 1: " {
		t.Errorf("the terminal is left with %q after %q", ptytest.Render(string(text)), text)
	}
}

// Without a terminal there is no progress, and lines are passed on when they are complete, as always.
func TestNoProgressWithoutTerminal(t *testing.T) {
	t.Setenv(envTerminal, "80")
	r := run(t, job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", `printf "a\r" >&2; sleep 0.1; printf "b\n[$RHINET_TERMINAL]\n" >&2`}}))
	if r.err != "a\rb\n[]\n" {
		t.Errorf("got %q", r.err)
	}
}
