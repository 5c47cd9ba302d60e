package launch

import (
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
