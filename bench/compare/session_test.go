package compare

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/bench"
)

func TestRuntimesNeedDifferentNames(t *testing.T) {
	if err := distinct([]Runtime{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Error(err)
	}
	if err := distinct([]Runtime{{Name: "a"}, {Name: "a"}}); err == nil || !strings.Contains(err.Error(), "two runtimes are called a") {
		t.Errorf("error is %v", err)
	}
}

// A result to be continued must exist, and runtimes must have different names. A complete result is kept
// and printed, with what was left out of its plan.
func TestSession(t *testing.T) {
	ours := shell("ours", "echo row barrier 2 0 1 1.5")
	s := Session{Options: options(1), Saver: Saver{File: filepath.Join(t.TempDir(), "x.json")}, Continue: true, Format: "csv", Left: []string{"Scan"}}
	if err := s.Run(t.Context(), []Runtime{ours}, nil); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "x.json to continue; leave --resume out") {
		t.Errorf("nothing to continue: %v", err)
	}
	if err := s.Run(t.Context(), []Runtime{ours, ours}, nil); !errors.Is(err, bench.ErrInput) {
		t.Errorf("two of a name: %v", err)
	}
	s.Continue = false
	var out bytes.Buffer
	ended := false
	s.Measured = func() { ended = out.Len() == 0 }
	if err := s.Run(t.Context(), []Runtime{ours}, &out); err != nil || !ended || !strings.Contains(out.String(), "barrier,2,0,1.5") {
		t.Errorf("%v, %s", err, out.String())
	}
	if res, err := Read(s.File); err != nil || len(res.Notes) != 1 || res.Notes[0] != "left out: Scan" {
		t.Errorf("%+v, %v", res, err)
	}
}
