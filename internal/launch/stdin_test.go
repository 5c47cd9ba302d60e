package launch

import (
	"os"
	"strings"
	"testing"
)

func TestInputGoesToRankZero(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString("one\ntwo")
		w.Close()
	}()
	j := job(self(t, 3, "stdin"))
	j.Stdin = r
	res := run(t, j)
	res.want(t, 0)
	if got := strings.Join(sorted(res.out), "|"); got != `"" <nil>|"" <nil>|"one\ntwo" <nil>` {
		t.Errorf("got %q", res.out)
	}
}

func TestNoInput(t *testing.T) {
	if r := run(t, job(self(t, 1, "stdin"))); r.out != "\"\" <nil>\n" {
		t.Errorf("got %q", r.out)
	}
}
