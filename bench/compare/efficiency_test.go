package compare

import (
	"fmt"
	"strings"
	"testing"
)

// Efficiencies compare results of the same round and runtime, by times or by rates. They are shown if they
// are requested.
func TestEfficiency(t *testing.T) {
	res := &Result{Runtimes: []string{"a", "b"}, Efficiency: true}
	add := func(round int, runtime string, ranks int, value float64, unit string) {
		res.Samples = append(res.Samples, Sample{Round: round, Runtime: runtime, Test: "CG.S", Ranks: ranks, Value: value, Unit: unit})
	}
	add(0, "a", 1, 8, seconds)
	add(0, "a", 2, 5, seconds)
	add(1, "a", 4, 1, seconds) // nothing on 1 rank in that round
	add(0, "b", 1, 100, mops)
	add(0, "b", 4, 300, mops)
	res.Samples = append(res.Samples, Sample{Runtime: "a", Test: WaitTest("CG.S"), Ranks: 2, Value: 1, Unit: seconds})
	want := []Sample{{Runtime: "a", Test: "CG.S_efficiency", Ranks: 2, Value: 80, Unit: percent}, {Runtime: "b", Test: "CG.S_efficiency", Ranks: 4, Value: 75, Unit: percent}}
	if got := res.efficiencies(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}
	found := 0
	for _, l := range res.Lines() {
		if strings.HasSuffix(l.Test, efficiencySuffix) {
			found++
		}
	}
	if found != 2 || !strings.Contains(res.Legend(), "_efficiency: the speed on so many single ranks that is reached, in %") {
		t.Errorf("%d lines, %s", found, res.Legend())
	}
	for _, l := range res.Compared() {
		if strings.HasSuffix(l.Test, efficiencySuffix) {
			t.Errorf("compared: %+v", l)
		}
	}
	if res.Efficiency = false; len(res.Lines()) != 4 {
		t.Errorf("%+v", res.Lines())
	}
}
