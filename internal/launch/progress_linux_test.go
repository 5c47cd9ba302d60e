package launch

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

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

// A terminal whose width is not known is treated as 80 columns wide.
func TestColumns(t *testing.T) {
	_, program := ptytest.Open(t, 0)
	if n := columns(program); n != defaultColumns {
		t.Errorf("%d columns", n)
	}
	if columns(new(bytes.Buffer)) != 0 || sameTerminal(program, new(bytes.Buffer)) || !sameTerminal(program, program) {
		t.Error("a buffer is a terminal")
	}
	if _, other := ptytest.Open(t, 0); sameTerminal(program, other) {
		t.Error("two terminals are one")
	}
}

// The rules of the console, step by step: what is added for each piece of output.
func TestConsole(t *testing.T) {
	for _, tag := range []bool{false, true} {
		var b bytes.Buffer
		k := newSink(&b, func(error) {})
		k.console.terminal = true
		zero, one := &stream{sink: k, progress: true}, &stream{sink: k}
		if tag {
			zero.prefix, one.prefix = prefix(0), prefix(1)
		}
		for i, step := range []struct {
			from     *stream
			in, want string
		}{
			{zero, "p1\r", "[0] p1\r"},
			{zero, "p2\r", erase + "[0] p2\r"},
			{one, "line\n", erase + "[1] line\n"},
			{one, "line\n", "[1] line\n"},
			{zero, "p3\r", "[0] p3\r"},
			{zero, "\nmore\n", "\n[0] more\n"}, // the end of one line and a whole one, in two pieces
			{zero, "p4\r", "[0] p4\r"},
			{zero, "a\n", erase + "[0] a\n"},
			{one, "held\r", ""}, // only rank 0 was told about the terminal
			{one, "\n", "[1] held\r\n"},
		} {
			want := step.want
			if !tag {
				want = strings.NewReplacer("[0] ", "", "[1] ", "").Replace(want)
			}
			b.Reset()
			step.from.take([]byte(step.in))
			if b.String() != want {
				t.Errorf("step %d, tags %v: %q gives %q, want %q", i, tag, step.in, b.String(), want)
			}
		}
		one.partial = append(one.partial, "name? "...)
		one.flush()
		b.Reset()
		zero.take([]byte("p5\r"))
		if b.Len() > 0 {
			t.Errorf("progress spoils a prompt: %q", b.String())
		}
		one.take([]byte("\n"))
		zero.take([]byte("p6\r"))
		m := &mux{out: newSink(io.Discard, func(error) {}), err: k}
		b.Reset()
		m.message("mpirun: done\n")
		if b.String() != erase+"mpirun: done\n" {
			t.Errorf("message over progress: %q", b.String())
		}
	}
}

// Progress after a text that might have been a prompt is shown together with it, once.
func TestProgressIsNoPrompt(t *testing.T) {
	var b lockedBuffer
	k := newSink(&b, func(error) {})
	k.console.terminal = true
	s := &stream{sink: k, progress: true, prompts: true}
	k.mu.Lock()
	s.take([]byte("name? "))
	s.take([]byte("no, 5 %\r"))
	k.mu.Unlock()
	time.Sleep(2 * promptIdle)
	if got := b.String(); got != "name? no, 5 %\r" {
		t.Errorf("shown: %q", got)
	}
}
