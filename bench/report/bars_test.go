package report

import (
	"math"
	"strings"
	"testing"

	"rhinet/bench/compare"
)

// A comparison of kernels by their times has two figures for each class and number of ranks.
func TestBarsOfKernels(t *testing.T) {
	res := &compare.Result{Schema: compare.Schema, Runtimes: []string{"martini", "ib", "other"}, Ours: 2, Rounds: 6, Budget: "0s", Waits: true}
	for round := range 6 {
		for i, name := range res.Runtimes {
			for _, kernel := range []string{"CG.A", "EP.A", "CG.B"} {
				if name == "other" && kernel == "EP.A" {
					continue
				}
				run := float64(1+i) * (1 + 0.01*float64(round))
				res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: kernel, Ranks: 4, Value: run, Unit: "s"})
				if kernel != "CG.B" {
					res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: compare.WaitTest(kernel), Ranks: 4, Value: run / 4, Unit: "s"})
				}
			}
		}
	}
	r, err := New("", []Source{{File: "kernels.json", Result: res}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.Parts[0].Figures {
		names = append(names, f.Name)
		svg, err := f.SVG()
		if err != nil || !strings.Contains(string(svg), ">CG<") || !strings.Contains(string(svg), ">martini<") || f.drawn != 3 {
			t.Errorf("%s: %d series, %v", f.Name, f.drawn, err)
		}
	}
	if got := strings.Join(names, " "); got != "run-time-class-A--4-ranks wait-time-class-A--4-ranks run-time-class-B--4-ranks" {
		t.Error(got)
	}
	if row := r.Parts[0].Rows[0]; row[3].Text != "1.03 s" && row[3].Text != "1.02 s" {
		t.Errorf("run time %q", row[3].Text)
	}
	res.Waits = false
	if figures, err := kernelBars(res, res.Compared()); len(figures) != 0 || err != nil {
		t.Errorf("rates have %d figures of times, %v", len(figures), err)
	}
}

// There is no bar for a value that is not known.
func TestUnknownBars(t *testing.T) {
	b := newBars([]string{"a", "b"})
	if b.add("g", func(int) float64 { return math.NaN() }); !b.empty() {
		t.Errorf("%+v", b)
	}
	if b.add("h", func(i int) float64 { return float64(3 * i) }); b.empty() || b.values[1][0] != 0 || b.values[1][1] != 3 {
		t.Errorf("%+v", b)
	}
}
