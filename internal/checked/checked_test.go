package checked

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// closed is a writer whose reader has gone away.
type closed struct{ err error }

func (c closed) Write([]byte) (int, error) { return 0, c.err }

func TestWhatCannotBeWrittenIsNoSuccess(t *testing.T) {
	var out, errs bytes.Buffer
	good := &Writer{W: &out}
	if n, err := good.Write([]byte("text")); n != 4 || err != nil || out.String() != "text" {
		t.Errorf("%d, %v, %q", n, err, &out)
	}
	if s := good.Status("prog", &errs, 0); s != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %q", s, &errs)
	}
	bad := &Writer{W: closed{errors.New("no room")}}
	bad.Write([]byte("a"))
	bad.W = closed{errors.New("later")}
	bad.Write([]byte("b"))
	if s := bad.Status("prog", &errs, 3); s != 3 || errs.Len() > 0 {
		t.Errorf("a status of its own becomes %d, %q", s, &errs)
	}
	if s := bad.Status("prog", &errs, 0); s != 1 || strings.TrimSpace(errs.String()) != "prog: cannot write the output: no room" {
		t.Errorf("status %d, %q", s, &errs)
	}
}
