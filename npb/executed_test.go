package npb

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"rhinet/npb/nas"
)

// The reported shares of the counted operations are derived from the loops. Here those of LU, BT and SP are
// counted again, per point, and compared with the leading coefficient of the NPB's formula (section 1.6).
func TestExecutedShares(t *testing.T) {
	const operator, lu, bt, sp = "cfd", "lu", "bt", "sp"
	found := map[string]map[string]int{}
	for _, dir := range []string{operator, lu, bt, sp} {
		found[dir] = operationsOf(t, dir+"/kernels_avx512_amd64.s")
	}
	sum := func(dir string, names ...string) (all int) {
		for _, n := range names {
			ops, ok := found[dir][n+"AVX512"]
			if !ok {
				t.Fatalf("no loop %s in %s", n, dir)
			}
			all += ops
		}
		return all
	}
	forward := []string{"forwardX", "forwardY", "forwardZ"}
	for _, c := range []struct {
		kernel   string
		executed int
		counted  float64
	}{
		{"LU", sum(operator, "operator", "reciprocal") + sum(lu, "lower", "upper", "advance"), 1984.77},
		{"BT", sum(operator, "operator", "reciprocal") + sum(bt, forward...) + 2*sum(bt, "backward") + sum(bt, "backwardAdd"), 3478.8},
		{"SP", sum(operator, "operatorTransform", "sound") + sum(sp, forward...) + sum(sp, "backwardX", "backwardY", "backwardZ"), 881.174},
	} {
		percent, ok := nas.Executed(c.kernel)
		// The formulas also count the boundary, where the loops do little.
		if got := 100 * float64(c.executed) / c.counted; !ok || math.Abs(got-float64(percent)) > 3 {
			t.Errorf("%s executes %d of %.0f operations at a point, %.1f %%; reported are %d %%", c.kernel, c.executed, c.counted, got, percent)
		}
	}
}

// operationsOf counts the floating point operations per lane in the loop of each function: those between
// the label of its last backward jump and that jump.
func operationsOf(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`^·(\w+)\(SB\)`)
	jump := regexp.MustCompile(`\bJG\s+(\w+)`)
	two := regexp.MustCompile(`(?m)^\tVFN?M(ADD|SUB)\d+PD\b`)
	one := regexp.MustCompile(`(?m)^\tV(ADD|SUB|MUL|DIV|SQRT)PD\b`)
	all := map[string]int{}
	for _, part := range strings.Split(string(text), "\nTEXT ")[1:] {
		name, jumps := head.FindStringSubmatch(part), jump.FindAllStringSubmatchIndex(part, -1)
		if name == nil || jumps == nil {
			continue
		}
		last := jumps[len(jumps)-1]
		begin := strings.Index(part, "\n"+part[last[2]:last[3]]+":")
		if begin < 0 || begin > last[0] {
			continue
		}
		loop := part[begin:last[0]]
		all[name[1]] = 2*len(two.FindAllString(loop, -1)) + len(one.FindAllString(loop, -1))
	}
	return all
}
