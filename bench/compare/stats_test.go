package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func sample(round int, runtime string, v float64) Sample {
	return Sample{Round: round, Runtime: runtime, Test: "pingpong", Ranks: 2, Bytes: 8, Value: v}
}

// Ratios are computed within a round, so that a machine that becomes slower between rounds does not affect
// them.
func TestRatiosArePairedWithinARound(t *testing.T) {
	res := &Result{Runtimes: []string{"ours", "x", "y"}, Rounds: 3, Samples: []Sample{
		sample(0, "ours", 1), sample(0, "x", 2), sample(0, "y", 4),
		sample(1, "ours", 10), sample(1, "x", 20), sample(1, "y", 40),
		sample(2, "ours", 3), sample(2, "x", 6),
	}}
	lines := res.Lines()
	if len(lines) != 1 {
		t.Fatalf("got %d lines, want 1", len(lines))
	}
	l := lines[0]
	if l.Ratios[0] != (Ratio{0.5, 0.5, 0.5, 0.5, 0.5, 3, 0}) || l.Ratios[1] != (Ratio{0.25, 0.25, 0.25, 0.25, 0.25, 2, 0}) {
		t.Errorf("ratios are %+v", l.Ratios)
	}
	if l.Medians[0] != 3 {
		t.Errorf("median is %v, want 3", l.Medians[0])
	}
	if b := l.Best(); b.Median != 0.5 {
		t.Errorf("ratio to the better one is %v, want 0.5", b.Median)
	}
}

func TestUnmeasuredRuntimeShowsAsDash(t *testing.T) {
	res := &Result{Runtimes: []string{"ours", "x"}, Rounds: 1, Samples: []Sample{sample(0, "ours", 1)}, Notes: []string{"x did not end"}}
	if l := res.Lines()[0]; !math.IsNaN(l.Medians[1]) || !math.IsNaN(l.Best().Median) {
		t.Errorf("line is %+v", l)
	}
	for _, format := range []string{"table", "markdown", "csv", "go"} {
		var out bytes.Buffer
		if err := res.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "ingpong") || format != "go" && !strings.Contains(out.String(), "-") {
			t.Errorf("%s: %s", format, out.String())
		}
		if (format == "table" || format == "markdown") && !strings.Contains(out.String(), "x did not end") {
			t.Errorf("%s does not carry the note: %s", format, out.String())
		}
	}
}

func TestResultFileReadsBack(t *testing.T) {
	res := &Result{Schema: Schema, Runtimes: []string{"ours"}, Rounds: 1, Samples: []Sample{sample(0, "ours", 1.5)}}
	var out bytes.Buffer
	if err := res.Write(&out, "json"); err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != Schema || len(back.Samples) != 1 || back.Samples[0] != res.Samples[0] {
		t.Errorf("read back %+v", back)
	}
}

func TestSelectNamesTheTests(t *testing.T) {
	if _, err := Select(Full(), []string{"pinpong"}); err == nil || !strings.Contains(err.Error(), "PingPong") {
		t.Errorf("error is %v", err)
	}
	cells, err := Select(Full(), []string{"hello", "barrier"})
	if err != nil || len(cells) != 6 {
		t.Errorf("hello and barrier give %v, %v", cells, err)
	}
}

func TestWrongNamesListTheRightOnes(t *testing.T) {
	if _, err := Peers(t.Context(), []string{"lam"}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "openmpi, mpich") {
		t.Errorf("error is %v", err)
	}
	if err := CheckFormat("xml"); err == nil || !strings.Contains(err.Error(), Formats) {
		t.Errorf("error is %v", err)
	}
}
