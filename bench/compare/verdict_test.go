package compare

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Only if the confidence interval does not contain 1 is something called faster; with few rounds this never
// happens.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		ratios     []float64
		time, rate string
	}{
		{[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, "?", "?"},
		{nil, "?", "?"},
		{[]float64{0.5, 0.52, 0.51, 0.5, 0.53, 0.5}, "faster", "slower"},
		{[]float64{1.5, 1.52, 1.51, 1.5, 1.53, 1.5}, "slower", "faster"},
		{[]float64{0.9, 0.95, 1.1, 1.05, 0.97, 1.02}, "equal", "equal"},
	} {
		r := summarise(c.ratios)
		if got := r.Verdict(false); got != c.time {
			t.Errorf("%v as times: %s, want %s (%+v)", c.ratios, got, c.time, r)
		}
		if got := r.Verdict(true); got != c.rate {
			t.Errorf("%v as rates: %s, want %s", c.ratios, got, c.rate)
		}
	}
}

func TestIntervalIsDeterministicAndHoldsTheMedian(t *testing.T) {
	v := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100}
	r := summarise(v)
	if r != summarise(v) {
		t.Error("two summaries of the same ratios differ")
	}
	if r.Median != 5.5 || r.From < 1 || r.From > 4 || r.To < 7 || r.To > 100 {
		t.Errorf("summary is %+v", r)
	}
	if r.Outliers != 1 {
		t.Errorf("%d outliers, want the 100 alone", r.Outliers)
	}
}

// If there are several of ours, each is compared with the better of the peers. For rates, larger is better.
func TestEachOfOursAgainstTheBetterPeer(t *testing.T) {
	res := &Result{Runtimes: []string{"a", "b", "x", "y"}, Ours: 2}
	for round := range 6 {
		for name, v := range map[string]float64{"a": 4, "b": 2, "x": 8, "y": 1} {
			res.Samples = append(res.Samples, Sample{Round: round, Runtime: name, Test: "CG.S", Ranks: 1, Value: v, Unit: mops})
		}
	}
	l := res.Lines()[0]
	if l.Better[0].Median != 0.5 || l.Better[1].Median != 0.25 || !l.Rate() || l.Rival() != 2 {
		t.Errorf("ratios to the better peer are %+v", l.Better)
	}
	var out bytes.Buffer
	if err := res.Write(&out, "table"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Mop/s, more is better", "b / faster peer", "0.25 [0.25 0.25] slower"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("table lacks %q:\n%s", want, out.String())
		}
	}
}

func TestGoBenchmarkFormat(t *testing.T) {
	res := &Result{Runtimes: []string{"ours"}, Samples: []Sample{sample(0, "ours", 1.5), {Runtime: "ours", Test: Memory, Ranks: 2, Value: 3}}}
	var out bytes.Buffer
	if err := res.Write(&out, "go"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"BenchmarkPingpong/ranks=2/bytes=8/runtime=ours 1 1500 ns/op\n", "BenchmarkHello_memory/ranks=2/bytes=0/runtime=ours 1 3 KiB\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRemarksNameLoadOutliersAndFewRounds(t *testing.T) {
	res := &Result{Runtimes: []string{"ours", "x"}, Interrupted: true}
	res.Host.Load = "1.70 0 0"
	for round := range 5 {
		v := 1.0
		if round == 4 {
			v = 50
		}
		res.Samples = append(res.Samples, sample(round, "ours", v), sample(round, "x", 1))
	}
	text := fmt.Sprint(res.Remarks())
	for _, want := range []string{"1.70 runnable", "1 of 5 paired ratios", "fewer than 6 rounds", "interrupted"} {
		if !strings.Contains(text, want) {
			t.Errorf("remarks lack %q: %s", want, text)
		}
	}
}
