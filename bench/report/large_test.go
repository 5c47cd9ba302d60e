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

// The page begins with a verdict on all comparisons and a matrix of them, with links to rows and to groups
// of plots; the losses are in one list, the worst first. A cell that several sets have measured counts
// once.
func TestMatrixOfAllComparisons(t *testing.T) {
	r, err := New("", []Source{{File: "a.json", Result: made()}, {File: "big.json", Result: large()}, {File: "big.json", Result: large()}})
	if err != nil {
		t.Fatal(err)
	}
	p, m := r.Parts[1], r.Matrix
	if len(p.Groups) != 6 || len(p.Figures) != 0 || r.Parts[2].ID == p.ID || len(m.Tests) != 7 || len(r.Compared) != 2 || len(r.Compared[0].Sets) != 1 {
		t.Fatalf("%d groups, %d figures, ids %s and %s, %d tests, %q", len(p.Groups), len(p.Figures), p.ID, r.Parts[2].ID, len(m.Tests), r.Compared)
	}
	if want := "Of 80 cells ours is faster than the fastest of x, y and x<y in 30, equal in 17 and slower in 33; the worst is CG.S on 2 ranks, 2.0 times slower."; r.Verdict != want {
		t.Errorf("verdict %q, want %q", r.Verdict, want)
	}
	c := r.Compared[0]
	if want := "6 tests on 2, 4, 8 ranks, 8 B to 2 KiB, in 6 rounds; load "; c.Who != "ours (commit , ) and x, y on , 0 cores" || c.Sets[0].Name != "big" || c.Sets[0].Href != "#set-big" || !strings.HasPrefix(c.Sets[0].What, want) {
		t.Errorf("compared %+v, want %q", c, want)
	}
	if fmt.Sprint(m.Ranks) != "[{2 5} {4 5} {8 5}]" || strings.Join(m.Sizes[:5], ",") != "8 ,32 ,128 ,512 ,2 Ki" {
		t.Errorf("head %v, %q", m.Ranks, m.Sizes)
	}
	for _, test := range m.Tests[:5] {
		if len(test.Rows) != 2 || len(test.Rows[0].Cells) != 15 || test.Rows[1].Peer != "y" {
			t.Errorf("%s has %d rows", test.Test, len(test.Rows))
		}
	}
	if c := m.Tests[0].Rows[0].Cells[0]; c.Text != "▲1.25" || c.Class != "slower" || c.Href != "#set-big-0" || !c.First {
		t.Errorf("first cell %+v", c)
	}
	if c := m.Tests[0].Rows[1].Cells[2]; c.Text != "–" || c.Href != "#set-big-2" {
		t.Errorf("cell of a peer that is too slow %+v", c)
	}
	if cells := m.Tests[5].Rows[0].Cells; len(cells) != 3 || cells[0].Columns != 5 || cells[0].Text != "≈1.00" || cells[2].Text != "" {
		t.Errorf("cells without sizes: %+v", cells)
	}
	if cells := m.Tests[6].Rows[0].Cells; cells[0].Text != "▲2.00" || cells[0].Href != "#set-a-10" { // rates: the ratio is inverted
		t.Errorf("cells of rates: %+v", cells)
	}
	if text := strings.Join(r.Parts[0].Remarks, "; "); !strings.Contains(text, "one definition and one figure: pingpong, barrier") {
		t.Errorf("remarks %q", text)
	}
	if text := strings.Join(r.Parts[2].Remarks, "; "); !strings.Contains(text, "T0 (measured in a larger set)") {
		t.Errorf("remarks %q", text)
	}
	if got := p.Groups[0].Summary; got != "faster in 0, slower in 15" {
		t.Errorf("summary %q", got)
	}
	if !slices.ContainsFunc(p.Rows[2], func(c Cell) bool { return c.Text == "too slow" }) {
		t.Errorf("row %+v", p.Rows[2])
	}
	if !slices.IsSortedFunc(r.Losses, func(a, b Loss) int { return int(1e6 * (b.times - a.times)) }) || len(r.Losses) != 33 {
		t.Errorf("%d losses", len(r.Losses))
	}
	if l := r.Losses[0].Cells; l[7].Text != "a" || l[2].Text != "" || l[6].Text != "x<y" || !strings.Contains(l[3].Text, "2.00 [2.00 2.00]") || l[4].Text != "200 Mop/s" {
		t.Errorf("the worst loss is %+v", l)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<p class="verdict">Of 80 cells`, `<details id="set-big-T0">`, `href="#set-big-T0"`, `href="#set-big-0"`, `id="set-big-0"`, `colspan="5"`, "too slow", `class="filter"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A test that several sets have measured, on other ranks or against other peers, has its rows once, with
// the cells of all sets; what is the same in all sets is stated once.
func TestMatrixOfATestInTwoSets(t *testing.T) {
	some := large()
	some.Samples = slices.DeleteFunc(some.Samples, func(s compare.Sample) bool { return s.Ranks == 8 })
	more := large()
	more.Runtimes = more.Runtimes[:2]
	more.Samples = slices.DeleteFunc(more.Samples, func(s compare.Sample) bool { return s.Ranks != 8 || s.Runtime == "y" })
	r, err := New("", []Source{{File: "some.json", Result: some}, {File: "again.json", Result: large()}, {File: "more.json", Result: more}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Matrix.Tests) != 6 || len(r.Compared) != 1 || len(r.Compared[0].Sets) != 1 {
		t.Errorf("%d tests, compared %+v", len(r.Matrix.Tests), r.Compared)
	}
	if r, err = New("", []Source{{File: "some.json", Result: some}, {File: "more.json", Result: more}}); err != nil {
		t.Fatal(err)
	}
	first := r.Matrix.Tests[0]
	if len(r.Matrix.Tests) != 6 || len(first.Rows) != 2 || first.Href != "#set-some-T0" {
		t.Fatalf("%d tests, the first %+v", len(r.Matrix.Tests), first)
	}
	x, y := first.Rows[0].Cells, first.Rows[1].Cells
	if x[0].Href != "#set-some-0" || x[10].Href != "#set-more-0" || x[10].Text == "" || y[0].Text == "" || y[10].Text != "" {
		t.Errorf("cells of x %+v, of y %+v", x, y)
	}
	if len(r.Compared) != 2 || r.Compared[1].Who != "ours (commit , ) and x on , 0 cores" || !strings.HasPrefix(r.Compared[1].Sets[0].What, "5 tests on 8 ranks, 8 B to 2 KiB") {
		t.Errorf("compared %+v", r.Compared)
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

// Without a peer there is no verdict and no matrix, but there are groups.
func TestComparisonWithoutPeers(t *testing.T) {
	res := large()
	res.Runtimes = []string{"ours"}
	res.Samples = slices.DeleteFunc(res.Samples, func(s compare.Sample) bool { return s.Runtime != "ours" })
	r, err := New("", []Source{{File: "a.json", Result: res}})
	if err != nil || r.Verdict != "" || r.Matrix != nil || len(r.Parts[0].Groups) != 6 || r.Parts[0].Groups[0].Summary != "" {
		t.Errorf("report %+v, %v", r, err)
	}
}

// Rates have no sizes: the matrix has a column for each number of ranks.
func TestMatrixOfRates(t *testing.T) {
	res := &compare.Result{Schema: compare.Schema, Runtimes: []string{"ours", "x"}, Rounds: 6}
	for k := range 60 {
		for round := range 6 {
			res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: "ours", Test: fmt.Sprint("K", k), Ranks: 2, Value: 5, Unit: "Mop/s"},
				compare.Sample{Round: round, Runtime: "x", Test: fmt.Sprint("K", k), Ranks: 2, Value: 10, Unit: "Mop/s"})
		}
	}
	r, err := New("", []Source{{File: "a.json", Result: res}})
	if err != nil || fmt.Sprint(r.Matrix.Ranks) != "[{2 1}]" || r.Matrix.Tests[3].Rows[0].Cells[0].Text != "▲2.00" || len(r.Losses) != 60 || r.Losses[0].times != 2 {
		t.Errorf("report %+v, %v", r.Matrix, err)
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
