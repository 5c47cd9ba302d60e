package output

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"rhinet/internal/ptytest"
)

// A terminal whose width is not known is treated as 80 columns wide.
func TestColumns(t *testing.T) {
	_, program := ptytest.Open(t, 0)
	if n := Columns(program); n != defaultColumns {
		t.Errorf("%d columns", n)
	}
	if Columns(new(bytes.Buffer)) != 0 || sameTerminal(program, new(bytes.Buffer)) || !sameTerminal(program, program) {
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
		zero, one := &Stream{sink: k, progress: true}, &Stream{sink: k}
		if tag {
			zero.prefix, one.prefix = prefix(0), prefix(1)
		}
		for i, step := range []struct {
			from     *Stream
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
		m := &Mux{out: newSink(io.Discard, func(error) {}), err: k}
		b.Reset()
		m.Message("mpirun: done\n")
		if b.String() != erase+"mpirun: done\n" {
			t.Errorf("message over progress: %q", b.String())
		}
	}
}

// Progress after a text that might have been a prompt is shown together with it, once.
func TestProgressIsNoPrompt(t *testing.T) {
	var b bytes.Buffer
	k := newSink(&b, func(error) {})
	k.console.terminal = true
	s := &Stream{sink: k, progress: true, prompts: true}
	k.mu.Lock()
	s.take([]byte("name? "))
	s.take([]byte("no, 5 %\r"))
	k.mu.Unlock()
	time.Sleep(2 * promptIdle)
	k.mu.Lock()
	defer k.mu.Unlock()
	if got := b.String(); got != "name? no, 5 %\r" {
		t.Errorf("shown: %q", got)
	}
}
