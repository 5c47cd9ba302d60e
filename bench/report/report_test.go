package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"rhinet/bench/compare"
)

// made is a result with every kind of line: sizes, ranks, a missing peer,
// and rates.
func made() *compare.Result {
	res := &compare.Result{Schema: compare.Schema, Runtimes: []string{"ours", "x<y"}, Rounds: 6, Budget: "1ms", Notes: []string{"<b>hung</b>"}}
	for round := range 6 {
		for i, name := range res.Runtimes {
			for n := 1; n <= 4096; n *= 4 {
				v := (1 + float64(n)/1000) * float64(1+i) * (1 + 0.01*float64(round))
				res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: "pingpong", Ranks: 2, Bytes: n, Value: v})
			}
			for ranks := 2; ranks <= 8; ranks *= 2 {
				if i == 0 || ranks < 8 {
					res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: "barrier", Ranks: ranks, Value: float64(ranks)})
				}
				res.Samples = append(res.Samples, compare.Sample{Round: round, Runtime: name, Test: "CG.S", Ranks: ranks, Value: float64(100 * ranks * (1 + i)), Unit: "Mop/s"})
			}
		}
	}
	return res
}

func write(t *testing.T, dir, name string, res *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := res.Encode(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPageStandsAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", made())
	write(t, dir, "b.json", made())
	if err := os.WriteFile(filepath.Join(dir, "foreign.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	sources, err := Load([]string{dir})
	if err != nil || len(sources) != 2 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	r, err := New("A title", sources)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"A title", "pingpong, 2 ranks", "x&lt;y", "&lt;b&gt;hung", "currentColor", "message size", "1 KiB", "2 µs", "400 Mop/s", "Where a peer is faster", `class="slower`, `href="#set-a-10"`, `id="set-b-10"`, "half at"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := regexp.MustCompile(`(src|href)="(https?:|//|/)`).FindString(page); found != "" {
		t.Errorf("the page needs the network: %s", found)
	}
	link := regexp.MustCompile(`download="a.json" href="data:application/json;base64,([^"]*)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatal("no data to download")
	}
	text, err := base64.StdEncoding.DecodeString(strings.NewReplacer("&#43;", "+", "&#x2B;", "+").Replace(link[1]))
	var back compare.Result
	if err != nil || json.Unmarshal(text, &back) != nil || len(back.Samples) != len(made().Samples) {
		t.Errorf("the data does not read back: %v", err)
	}
	names := map[string]bool{}
	for _, f := range r.Figures {
		if names[f.Name] {
			t.Errorf("two plots are called %s", f.Name)
		}
		names[f.Name] = true
	}
}

func TestPlotsAsFiles(t *testing.T) {
	r, err := New("", []Source{{File: "a.json", Result: made()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"svg", "pdf"} {
		dir := filepath.Join(t.TempDir(), "plots")
		if err := r.SavePlots(dir, format); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Figures {
			if info, err := os.Stat(filepath.Join(dir, f.Name+"."+format)); err != nil || info.Size() < 1000 {
				t.Errorf("%s.%s: %v", f.Name, format, err)
			}
		}
	}
	if err := CheckPlotFormat("gif"); err == nil || !strings.Contains(err.Error(), PlotFormats) {
		t.Errorf("error is %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.SavePlots(file, "svg"); err == nil {
		t.Error("a file passes as a folder")
	}
}

func TestLoadRefusesWhatIsNoResult(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.json")
	if err := os.WriteFile(foreign, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	cut := t.TempDir()
	if err := os.WriteFile(filepath.Join(cut, "cut.json"), []byte(`{"schema":"rhinet-comp`), 0o600); err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	write(t, old, "good.json", made())
	write(t, old, "old.json", &compare.Result{Schema: "rhinet-compare-0"})
	empty := write(t, t.TempDir(), "empty.json", &compare.Result{Schema: compare.Schema, Runtimes: []string{"a"}})
	priced := made()
	priced.Cost = true
	cost := write(t, t.TempDir(), "cost.json", priced)
	for path, want := range map[string]string{foreign: "is no result file", cost: "cost.json says what flags of mpirun cost", dir: "holds no result file", empty: "holds no measurement", dir + "/none": "no such file",
		cut: "cut.json is no result file", old: `old.json has the schema "rhinet-compare-0"`} {
		if _, err := Load([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// For times that are latency + size / bandwidth, the fitted line gives both.
func TestFit(t *testing.T) {
	var lines []compare.Line
	for n := 1; n <= 1<<20; n *= 4 {
		lines = append(lines, compare.Line{Test: "pingpong", Ranks: 2, Bytes: n, Unit: "usec", Medians: []float64{0.5 + float64(n)/8000, math.NaN()}})
	}
	f := fits([]string{"ours", "missing"}, lines)
	if len(f) != 1 || math.Abs(f[0].Latency-0.5) > 1e-6 || math.Abs(f[0].Bandwidth-8000) > 1e-3 || math.Abs(f[0].Half-4000) > 1e-2 {
		t.Errorf("fit is %+v", f)
	}
}

// For any range, its axis has at least three labels, all within it, and not too many.
func TestTicks(t *testing.T) {
	for name, of := range map[string]func(lo, hi float64) []plot.Tick{"logarithmic": times.logarithmic, "binary": messages.binary, "ratio": aroundOne, "ranks": ofRanks([]float64{2, 4}).Ticks} {
		for _, r := range [][2]float64{{0.1, 0.12}, {1, 1.9}, {0.02, 30}, {0.1, 1e6}, {3, 3.5}, {900, 2e7}, {0.5, 2}, {0.66, 1.6}, {2, 64}, {1e-4, 1e9}} {
			if name == "ratio" && (r[0] > 0.67 || r[1] < 1.5) {
				continue
			}
			ticks := of(r[0], r[1])
			if len(ticks) < fewTicks || len(ticks) > 12 {
				t.Errorf("%s: %v has %d labels", name, r, len(ticks))
			}
			for _, k := range ticks {
				if k.Value < r[0]*0.99 || k.Value > r[1]*1.01 || k.Label == "" {
					t.Errorf("%s: %v has a label %q at %v", name, r, k.Label, k.Value)
				}
			}
		}
	}
}

// Every axis of every plot has three labels or more.
func TestEveryAxisHasLabels(t *testing.T) {
	sources, err := Load([]string{"testdata"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New("", append(sources, Source{File: "a.json", Result: made()}, Source{File: "b.json", Result: large()}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Figures {
		for name, a := range map[string]plot.Axis{"x": f.plot.X, "y": f.plot.Y} {
			labels := 0
			for _, k := range a.Tick.Marker.Ticks(a.Min, a.Max) {
				if k.Label != "" && within(k.Value, a.Min, a.Max) {
					labels++
				}
			}
			if bars := name == "y" && (strings.Contains(f.Name, "ratio-") || strings.HasPrefix(f.Name, "waiting")); labels < fewTicks && !bars {
				t.Errorf("%s: axis %s from %v to %v has %d labels", f.Name, name, a.Min, a.Max, labels)
			}
		}
	}
}

// Units are readable: ten seconds are not shown as 10M microseconds.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		u          unit
		v          float64
		text, tick string
	}{
		{times, 1e7, "10.0 s", "10 s"}, {times, 0.1644, "164 ns", "164.4 ns"}, {times, 1, "1.00 µs", "1 µs"}, {times, 999.9, "1.00 ms", "999.9 µs"}, {times, 98457, "98.5 ms", "98.457 ms"},
		{times, 2.5e9, "2500 s", "2500 s"}, {rates, 12345, "12.3 GB/s", "12.345 GB/s"}, {memories, 3968, "3.88 MiB", "3.875 MiB"}, {messages, 4 << 20, "4.00 MiB", "4 MiB"},
		{messages, 7, "7.00 B", "7 B"}, {mops, 61000, "61.0 Gop/s", "61 Gop/s"}, {times, math.NaN(), "-", "-"}, {numbers, 0, "0", "0"}, {unitOf("x/s"), 5, "5.00 x/s", "5 x/s"},
	} {
		if text, tick := c.u.text(c.v), c.u.tick(c.v); text != c.text || tick != c.tick {
			t.Errorf("%v is %q and %q, want %q and %q", c.v, text, tick, c.text, c.tick)
		}
	}
}

// Curves have an error bar wherever the rounds differ.
func TestCurvesHaveIntervals(t *testing.T) {
	res := made()
	for i, l := range res.Lines() {
		if l.Test != "pingpong" {
			continue
		}
		for place := range res.Runtimes {
			p := points(place, []compare.Line{l}, ofSize, bandwidth)
			if len(p) != 1 || !p[0].known() || p[0].from > p[0].y || p[0].to < p[0].y {
				t.Errorf("line %d: %+v", i, p)
			}
		}
	}
	rows, ok := parseRows([]byte(`[{"test":"a","ranks":2,"bytes":8,"usec":2,"spread":0.5},{"test":"b","ranks":2,"bytes":8,"usec":2,"usec_least":1,"usec_most":7},{"test":"c","ranks":2,"bytes":8,"t_avg_usec":2,"t_min_usec":1.5,"t_max_usec":3}]`))
	if !ok {
		t.Fatal("no rows")
	}
	for i, want := range []point{{8, 2, 1.5, 2.5}, {8, 2, 1, 7}, {8, 2, 1.5, 3}} {
		if got := seriesOf(rows[i : i+1])[0].points[0]; got != want {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
	}
}

// Two lines can be distinguished without colour, by dashes and by marks.
func TestLooksDifferWithoutColour(t *testing.T) {
	for i, a := range looks {
		for _, b := range looks[i+1:] {
			if fmt.Sprint(a.dashes) == fmt.Sprint(b.dashes) || fmt.Sprintf("%T", a.mark) == fmt.Sprintf("%T", b.mark) {
				t.Errorf("%v and %v look alike", a, b)
			}
		}
	}
}

// No plot of bars is too long, and none has only a few bars left over.
func TestManyRatiosMakeSeveralPlots(t *testing.T) {
	var g lineGroup
	for n := range barsAPlot + 2 {
		r := compare.Ratio{Median: 1, From: 0.9, To: 1.1, Pairs: 6}
		g.lines = append(g.lines, compare.Line{Test: "t", Ranks: n, Unit: "usec", Better: []compare.Ratio{r}})
	}
	figures, err := ratios(&compare.Result{Runtimes: []string{"a", "b"}}, g)
	if err != nil || len(figures) != 2 || figures[0].height != vg.Length(80+15*(barsAPlot-6)) || figures[0].Name == figures[1].Name {
		t.Errorf("%d plots, %v", len(figures), err)
	}
}

// Files of rows, of any level, share one plot, and also have plots of their own.
func TestLevelsShareAPlot(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"nic.json":   `[{"test":"push","ranks":2,"bytes":8,"usec":1,"MB_s":8},{"test":"push","ranks":2,"bytes":64,"usec":2,"MB_s":32},{"test":"lock","ranks":2,"bytes":0,"usec":1}]`,
		"suite.json": `[{"test":"PingPong","ranks":2,"bytes":8,"t_avg_usec":3,"MB_s":2.7},{"test":"PingPong","ranks":2,"bytes":64,"t_avg_usec":4,"MB_s":16}]`,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	sources, err := Load(files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New("", sources)
	if err != nil || len(r.Parts) != 1 || len(r.Figures) != 5 || r.Figures[0].Name != "levels" || r.Figures[0].drawn != 2 || len(r.Parts[0].Rows) != 5 {
		t.Fatalf("%d parts, %d figures, %v", len(r.Parts), len(r.Figures), err)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one way between two, level by level", "NIC: remote write (PUSH)", "suite: PingPong, time", `download="nic.json"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, text := range []string{"[]", "[1]", `[{"test":""}]`, "{}"} {
		if rows, ok := parseRows([]byte(text)); ok {
			t.Errorf("%s passes as rows %v", text, rows)
		}
	}
}

// The share of the counted operations that kernels execute is shown next to their rates.
func TestExecutedOperationsOfKernels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "npb.json")
	text := `{"kernel":"LU","class":"S","processes":2,"seconds":2,"mops":1000,"phases":[{"name":"communication wait","mean_s":0.5,"max_s":1}]}
{"kernel":"BT","class":"S","processes":4,"seconds":2,"mops":1000,"phases":[{"name":"communication wait","mean_s":0.5,"max_s":1}]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sources, err := Load([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New("", sources)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Parts[0]
	if p.Rows[0][4].Text != "47.0 %" || p.Rows[1][4].Text != "73.0 %" || len(p.Header) != len(p.Rows[0]) {
		t.Errorf("header %q, rows %+v", p.Header, p.Rows)
	}
	if text := strings.Join(p.Remarks, "; "); !strings.Contains(text, "LU 47 %, BT 73 %") || !strings.Contains(text, "BT leans on a large last-level cache") {
		t.Errorf("remarks %q", p.Remarks)
	}
}

// The plot of all levels has one line for every layer, and none for a test with a different definition.
func TestOneLineOfEveryLayer(t *testing.T) {
	var sources []Source
	for _, test := range []string{"llc-pingpong", "pingpong", "push", "vp-pingpong", "rhinet-pingpong", "PingPong"} {
		list, ok := parseRows([]byte(fmt.Sprintf(`[{"test":%q,"ranks":2,"bytes":8,"usec":1,"MB_s":8},{"test":%q,"ranks":2,"bytes":64,"usec":2,"MB_s":32}]`, test, test)))
		if !ok {
			t.Fatal(test)
		}
		sources = append(sources, Source{File: test + ".json", rows: list})
	}
	p, err := levels("levels", sources)
	if err != nil || len(p.Figures) != 1 || p.Figures[0].drawn != 4 || len(p.Groups) != 6 {
		t.Fatalf("%d figures, %d groups, %v", len(p.Figures), len(p.Groups), err)
	}
	svg, err := p.Figures[0].SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NIC: remote write (PUSH)", "message layer: PM/RHiNET", "communication library: llc", "MPI: PingPong"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the plot lacks %q", want)
		}
	}
	if got := strings.Join(p.Remarks, "; "); !strings.HasPrefix(got, "pingpong is not in the plot of all levels") {
		t.Errorf("remarks %q", got)
	}
}

func TestWaitingOfKernels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "npb.json")
	text := `{"kernel":"CG","class":"S","processes":2,"seconds":2,"mops":1000,"phases":[{"name":"communication wait","mean_s":0.5,"max_s":1}]}
{"kernel":"EP","class":"S","processes":2,"seconds":2,"mops":1000,"phases":[]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sources, err := Load([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New("", sources)
	if err != nil || len(r.Parts) != 1 || len(r.Figures) != 1 || len(r.Parts[0].Rows) != 2 || r.Parts[0].Rows[1][5].Text != "-" {
		t.Fatalf("report %+v, %v", r, err)
	}
	if row := r.Parts[0].Rows[0]; row[4].Text != "-" || row[5].Text != "25.0 %" || row[6].Text != "50.0 %" || row[2].Text != "2.00 s" || r.Parts[0].Remarks != nil {
		t.Errorf("row %+v", row)
	}
	for _, text := range []string{"", "{}", `{"kernel":"CG"}`, `{"kernel":"CG","processes":2}`} {
		if runs, ok := compare.ParseKernels([]byte(text)); ok {
			t.Errorf("%s passes as %v", text, runs)
		}
	}
}

// A page is recognized by its beginning, including pages from before pages named the program that made
// them; the text of the title does not matter.
func TestPagesAreKnown(t *testing.T) {
	r, err := New("</title> & more", []Source{{File: "a.json", Result: made()}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	head := b.String()[:600]
	before := strings.Replace(head, pageMarker, "", 1)
	if !IsPage(head) || before == head || !IsPage(before) {
		t.Errorf("not known: %s", head)
	}
	for _, other := range []string{"", pageBegins, " " + head, pageMarker, pageBegins + "<title>mine</title>"} {
		if IsPage(other) {
			t.Errorf("taken for a page: %q", other)
		}
	}
}

// Plots of every format replace older plots, and nothing else.
func TestPlotsReplacePlotsOnly(t *testing.T) {
	r, err := New("t", []Source{{File: "a.json", Result: made()}})
	if err != nil {
		t.Fatal(err)
	}
	r.Figures = r.Figures[:2]
	for format := range strings.SplitSeq(PlotFormats, ", ") {
		dir := t.TempDir()
		for range 2 {
			if err := r.SavePlots(dir, format); err != nil {
				t.Errorf("%s: %v", format, err)
			}
		}
		first, second := filepath.Join(dir, r.Figures[0].Name+"."+format), filepath.Join(dir, r.Figures[1].Name+"."+format)
		if err := os.Remove(first); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(second, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.SavePlots(dir, format); err == nil || err.Error() != second+" is there, and is no plot; give another name, or remove it" {
			t.Errorf("%s: %v", format, err)
		}
		if text, _ := os.ReadFile(second); string(text) != "mine" {
			t.Errorf("%s: overwritten", format)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%s: the folder holds %v", format, left)
		}
	}
}
