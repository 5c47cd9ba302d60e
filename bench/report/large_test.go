package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rhinet/bench/compare"
)

// large is a comparison of some tests on several numbers of ranks. In half of
// the cells a peer is faster; the second peer is too slow for large messages.
func large() *compare.Result {
	res := &compare.Result{Schema: compare.Schema, Runtimes: []string{"ours", "x", "y"}, Rounds: 6}
	for t := range 5 {
		for ranks := 2; ranks <= 8; ranks *= 2 {
			for n := 8; n <= 8<<8; n *= 4 {
				for i, name := range res.Runtimes {
					if i == 2 && n > 32 {
						res.TooSlow = append(res.TooSlow, compare.TooSlow{Runtime: name, Test: fmt.Sprint("T", t), Ranks: ranks, Bytes: n})
						continue
					}
					for round := range 6 {
						v := float64(n*ranks) * (1 + float64(i*(t-2))/10)
						res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: fmt.Sprint("T", t), Ranks: ranks, Bytes: n, Value: v})
					}
				}
			}
		}
	}
	for round := range 6 {
		for _, name := range res.Runtimes {
			for _, ranks := range []int{2, 4} {
				res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: "B", Ranks: ranks, Value: 1})
			}
		}
	}
	return res
}

// A large part has an overview that leads to rows and to groups of plots, and
// the losses of all parts stand in one list, the worst first.
func TestLargeParts(t *testing.T) {
	r, err := New("", []Source{{File: "big.json", Result: large()}, {File: "a.json", Result: made()}, {File: "big.json", Result: large()}, {File: "big.json", Result: large()}})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Parts[0]
	if p.Matrix == nil || len(p.Groups) != 6 || len(p.Figures) != 0 || r.Parts[1].Matrix != nil || len(p.Keys) != 3 || r.Parts[2].ID == p.ID {
		t.Fatalf("matrix %v, %d groups, %d figures, ids %s and %s", p.Matrix, len(p.Groups), len(p.Figures), p.ID, r.Parts[2].ID)
	}
	if fmt.Sprint(p.Matrix.Ranks) != "[{2 5} {4 5} {8 5}]" || strings.Join(p.Matrix.Sizes[:5], " ") != "8 32 128 512 2 Ki" {
		t.Errorf("head %v, %v", p.Matrix.Ranks, p.Matrix.Sizes)
	}
	for _, row := range p.Matrix.Rows[:5] {
		if len(row.Cells) != 15 {
			t.Errorf("%s has %d cells", row.Test, len(row.Cells))
		}
	}
	if c := p.Matrix.Rows[0].Cells[0]; c.Text != "1.67" || c.Class != "slower" || c.Href != "#set-big-0" {
		t.Errorf("first cell %+v", c)
	}
	if cells := p.Matrix.Rows[5].Cells; len(cells) != 3 || cells[0].Columns != 5 || cells[0].Text != "1.00" || cells[2].Text != "" {
		t.Errorf("cells without sizes: %+v", cells)
	}
	if got := p.Groups[0].Summary; got != "faster in 0, slower in 15" {
		t.Errorf("summary %q", got)
	}
	if !slices.ContainsFunc(p.Rows[2], func(c Cell) bool { return c.Text == "too slow" }) {
		t.Errorf("row %+v", p.Rows[2])
	}
	if !slices.IsSortedFunc(r.Losses, func(a, b Loss) int { return int(1e6 * (b.times - a.times)) }) || len(r.Losses) < 60 {
		t.Errorf("%d losses", len(r.Losses))
	}
	if l := r.Losses[0].Cells; l[8].Text != "a" && l[8].Text != "big" || !strings.Contains(l[3].Text, "2.00 [2.00 2.00]") {
		t.Errorf("the worst loss is %+v", l)
	}
	names := map[string]bool{}
	for _, f := range r.Figures {
		if names[f.Name] {
			t.Errorf("two plots are called %s", f.Name)
		}
		names[f.Name] = true
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<details id="set-big-T0">`, `href="#set-big-T0"`, `href="#set-big-0"`, `id="set-big-0"`, `colspan="5"`, "too slow", "line of y", `class="filter"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestNoLossIsSaid(t *testing.T) {
	res := large()
	res.Samples = slices.DeleteFunc(res.Samples, func(s compare.Sample) bool { return s.Test < "T3" })
	r, err := New("", []Source{{File: "a.json", Result: res}})
	if err != nil || len(r.Losses) > 0 {
		t.Fatalf("losses %+v, %v", r.Losses, err)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil || !strings.Contains(out.String(), "In no cell") {
		t.Errorf("the page does not say so; %v", err)
	}
}

// Without a peer there is no overview, but there are groups.
func TestLargePartWithoutPeers(t *testing.T) {
	res := large()
	res.Runtimes = []string{"ours"}
	res.Samples = slices.DeleteFunc(res.Samples, func(s compare.Sample) bool { return s.Runtime != "ours" })
	r, err := New("", []Source{{File: "a.json", Result: res}})
	if err != nil || r.Rivals || r.Parts[0].Matrix != nil || len(r.Parts[0].Groups) != 6 || r.Parts[0].Groups[0].Summary != "" {
		t.Errorf("report %+v, %v", r, err)
	}
}

// Rates have no sizes: the overview has a column for each number of ranks.
func TestOverviewOfRates(t *testing.T) {
	res := &compare.Result{Schema: compare.Schema, Runtimes: []string{"ours", "x"}, Rounds: 6}
	for k := range many {
		for round := range 6 {
			res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: "ours", Test: fmt.Sprint("K", k), Ranks: 2, Value: 5, Unit: "Mop/s"},
				compare.Sample{Round: round, Runtime: "x", Test: fmt.Sprint("K", k), Ranks: 2, Value: 10, Unit: "Mop/s"})
		}
	}
	r, err := New("", []Source{{File: "a.json", Result: res}})
	if err != nil || fmt.Sprint(r.Parts[0].Matrix.Ranks) != "[{2 1}]" || r.Parts[0].Matrix.Rows[3].Cells[0].Text != "0.50" || len(r.Losses) != many || r.Losses[0].times != 2 {
		t.Errorf("report %+v, %v", r.Parts[0].Matrix, err)
	}
}

func TestSeriesThatShareAPlot(t *testing.T) {
	of := func(names ...string) (list []*series) {
		for _, n := range names {
			test, ranks, _ := strings.Cut(n, " ")
			s := &series{test: test}
			fmt.Sscan(ranks, &s.ranks)
			list = append(list, s)
		}
		return list
	}
	for _, c := range []struct {
		list []*series
		want int
	}{
		{of("a 2", "b 2"), 2},
		{of("a 2", "a 4", "a 8", "b 2", "b 4", "b 8", "b 16"), 3},
		{of("a 2", "b 2", "c 2", "d 2", "e 2", "f 2", "g 2"), fewLooks},
		{of("a 2", "b 4", "c 2", "d 2", "e 2", "f 2", "g 2"), 1},
	} {
		if got := together(c.list); got != c.want {
			t.Errorf("%d share, want %d", got, c.want)
		}
	}
}
