package launch

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func TestLinesAreNeverTorn(t *testing.T) {
	for _, tag := range []bool{false, true} {
		j := job(self(t, 8, "lines=500"))
		j.Tag = tag
		r := run(t, j)
		r.want(t, 0)
		next := make([]int, 8)
		for line := range strings.Lines(r.out) {
			var rank int
			if tag {
				var own int
				if n, err := fmt.Sscanf(line, "[%d] %1d", &rank, &own); n != 2 || own != rank {
					t.Fatalf("line %q: %v", line, err)
				}
				_, line, _ = strings.Cut(line, " ")
			} else {
				rank = int(line[0] - '0')
			}
			if want := fmt.Sprint(rank) + strings.Repeat("x", next[rank]%50) + "-end\n"; line != want {
				t.Fatalf("rank %d: line %q, want %q", rank, line, want)
			}
			next[rank]++
		}
		for rank, n := range next {
			if n != 500 {
				t.Errorf("rank %d: %d lines", rank, n)
			}
		}
	}
}

func TestLongLines(t *testing.T) {
	const n = 2_000_000
	r := run(t, job(self(t, 3, fmt.Sprintf("long=%d", n))))
	lines := sorted(r.out)
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for rank, line := range lines {
		if line != strings.Repeat(fmt.Sprint(rank), n) {
			t.Errorf("line of rank %d is torn", rank)
		}
	}
}

func TestBytesArriveAsTheyAre(t *testing.T) {
	for _, text := range []string{`no end`, `a\nb`, `\x00\xff\x80\n\x00`, `\n\n`, `\r\n`, ``} {
		t.Run(text, func(t *testing.T) {
			r := run(t, job(self(t, 2, "0:raw="+text)))
			var want string
			fmt.Sscanf(`"`+text+`"`, "%q", &want)
			if r.out != want {
				t.Errorf("got %q, want %q", r.out, want)
			}
		})
	}
}

func TestUnfinishedLinesComeLastAndInOrder(t *testing.T) {
	r := run(t, job(self(t, 3, "1:sleep=50ms", "raw=line\\nrest ", "env=RHINET_RANK")))
	if strings.Count(r.out, "rest RHINET_RANK=") != 3 {
		t.Errorf("got %q", r.out)
	}
	r = run(t, job(self(t, 3, "0:sleep=50ms", "0:raw=a", "1:raw=b", "2:raw=line\\nc")))
	if r.out != "line\nabc" {
		t.Errorf("got %q", r.out)
	}
}

func TestTagsEndUnfinishedLines(t *testing.T) {
	j := job(self(t, 2, "raw=a\\nb", "err=e"))
	j.Tag = true
	r := run(t, j)
	if got := strings.Join(sorted(r.out), "|"); got != "[0] a|[0] b|[1] a|[1] b" {
		t.Errorf("got %q", r.out)
	}
	if got := strings.Join(sorted(r.err), "|"); got != "[0] e|[1] e" {
		t.Errorf("got %q on standard error", r.err)
	}
}

func TestBothOutputsStayApart(t *testing.T) {
	r := run(t, job(self(t, 1, "print=out", "err=err")))
	if r.out != "out\n" || r.err != "err\n" {
		t.Errorf("got %q and %q", r.out, r.err)
	}
}

func TestMessageBeginsItsOwnLine(t *testing.T) {
	p := Part{Ranks: 1, Program: "sh", Args: []string{"-c", "printf unfinished >&2; exit 3"}}
	r := run(t, job(p))
	r.want(t, 3, "unfinished\nmpirun: rank 0 (sh, pid ")
}

// A process that has left its group and keeps a pipe open does not delay the end.
func TestEscapedProcessDoesNotHoldTheJob(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid")
	}
	p := Part{Ranks: 1, Program: "sh", Args: []string{"-c", setsid + " sleep 3 & echo done; sleep 0.05"}}
	r := run(t, job(p))
	r.quick(t)
	if r.out != "done\n" {
		t.Errorf("got %q", r.out)
	}
}

// newStream returns a stream whose output is kept.
func newStream(rank int, tag bool) (*stream, *bytes.Buffer) {
	var b bytes.Buffer
	s := &stream{sink: newSink(&b, func(error) {})}
	if tag {
		s.prefix = prefix(rank)
	}
	return s, &b
}

func TestStreamHoldsWhatIsUnfinished(t *testing.T) {
	s, b := newStream(3, true)
	for _, step := range []struct{ in, want string }{
		{"a", ""},
		{"b\nc", "[3] ab\n"},
		{"\n", "[3] ab\n[3] c\n"},
		{"d\ne\nf", "[3] ab\n[3] c\n[3] d\n[3] e\n"},
	} {
		s.take([]byte(step.in))
		if b.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.in, b, step.want)
		}
	}
	s.end()
	if want := "[3] ab\n[3] c\n[3] d\n[3] e\n[3] f\n"; b.String() != want {
		t.Errorf("at the end %q, want %q", b, want)
	}
}

func TestEndlessLineIsPassedOn(t *testing.T) {
	s, b := newStream(0, true)
	chunk := bytes.Repeat([]byte{'x'}, chunkBytes)
	for range holdBytes/chunkBytes + 1 {
		s.take(chunk)
	}
	if b.Len() < holdBytes {
		t.Fatalf("%d bytes passed on", b.Len())
	}
	s.take([]byte("y\nz\n"))
	if text := b.Bytes(); !bytes.HasSuffix(text, []byte("xy\n[0] z\n")) || bytes.Count(text, []byte("[0] ")) != 2 {
		t.Errorf("ends in %q with %d prefixes", text[len(text)-12:], bytes.Count(text, []byte("[0] ")))
	}
	if cap(s.partial) > keepBytes {
		t.Errorf("a buffer of %d bytes is kept", cap(s.partial))
	}
}

func TestForwardingDoesNotAllocate(t *testing.T) {
	s, b := newStream(0, true)
	b.Grow(1 << 20)
	line := []byte("a line as programs print it\nand half")
	s.take(line)
	if n := testing.AllocsPerRun(100, func() { s.take(line); b.Reset() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
