package timed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
)

func table(t testing.TB, set ...string) *param.Table {
	t.Helper()
	p, err := Load("rhinet2", set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rows runs an experiment at some sizes.
func rows(t testing.TB, name string, p *param.Table, sizes ...int) (all []Row) {
	t.Helper()
	e, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(Options{Table: p, Sizes: sizes}, func(r Row) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// at returns the row of a series and a size, or of any size.
func at(t testing.TB, all []Row, series string, size int) Row {
	t.Helper()
	i := slices.IndexFunc(all, func(r Row) bool { return r.Series == series && (r.Bytes == size || size == 0) })
	if i < 0 {
		t.Fatalf("no row of %s at %d bytes in %+v", series, size, all)
	}
	return all[i]
}

// The total times that the specification states also result from the ping-pong, in which phase differences
// between clocks average out (martini, section 12.2).
func TestLatency(t *testing.T) {
	all := rows(t, "latency", table(t), 8, 4096)
	for _, name := range []string{"push", "botf", "aotf"} {
		if r := at(t, all, name, 8); r.Stated == 0 || math.Abs(r.Deviation) > 2 || math.Abs(r.Usec-r.Stated) > 0.02*r.Stated {
			t.Errorf("%+v", r)
		}
	}
	if pull, image, push := at(t, all, "pull", 4096), at(t, all, "pull-botf", 4096), at(t, all, "push", 4096); image.Usec >= pull.Usec || pull.Usec <= push.Usec {
		t.Errorf("PUSH %+v, PULL %+v, by an image %+v", push, pull, image)
	}
	if push, system := at(t, all, "push", 8), at(t, all, "push-by-system", 8); system.Usec < push.Usec+5 {
		t.Errorf("at user level %+v, by the system %+v", push, system)
	}
}

// No rate exceeds that of PCI, one Window serialises what more Windows do not, and the receiver is the
// slower side.
func TestThroughput(t *testing.T) {
	const long = 64 << 10
	all := rows(t, "throughput", table(t), 128, long)
	for _, r := range all {
		if r.Rate <= 0 || r.Rate > 528 {
			t.Errorf("%+v", r)
		}
	}
	if one, four := at(t, all, "one-way", 128), at(t, all, "one-way-4windows", 128); four.Rate < 1.5*one.Rate {
		t.Errorf("one Window %+v, four %+v", one, four)
	}
	if one, both, sending := at(t, all, "one-way", long), at(t, all, "two-way", long), at(t, all, "sending", long); sending.Rate <= one.Rate || both.Rate <= one.Rate {
		t.Errorf("one way %+v, both %+v, sending %+v", one, both, sending)
	}
	if half := at(t, all, "one-way-half", 0); half.Bytes <= 128 || half.Bytes >= long {
		t.Errorf("half the peak at %+v", half)
	}
}

// TestExceptionsDisturbOneDirection checks the purpose of taking-over (martini, section 10.1): exceptions
// of RFend do not affect what the same node sends, and exceptions of the Initiator do not affect what it
// receives, except for what firmware writes over PCI.
func TestExceptionsDisturbOneDirection(t *testing.T) {
	all := rows(t, "exceptions", table(t), 128, 8192)
	for _, size := range []int{128, 8192} {
		for _, pair := range [][2]string{{"pattern-1", "pattern-4"}, {"pattern-3", "pattern-5"}, {"pattern-3", "pattern-5-loop"}} {
			quiet, disturbed := at(t, all, pair[0], size), at(t, all, pair[1], size)
			if disturbed.Rate < 0.9*quiet.Rate || quiet.Rate <= 0 {
				t.Errorf("%+v, disturbed %+v", quiet, disturbed)
			}
		}
	}
}

func TestMisses(t *testing.T) {
	all := rows(t, "miss", table(t), 32, 2048)
	for _, size := range []int{32, 2048} {
		hard, soft, none := at(t, all, "hard", size), at(t, all, "soft", size), at(t, all, "noex", size)
		if hard.Usec >= soft.Usec || none.Usec >= hard.Usec {
			t.Errorf("HARD %+v, SOFT %+v, NOEX %+v", hard, soft, none)
		}
	}
}

func TestVPush(t *testing.T) {
	all := rows(t, "vpush", table(t), 8, 2048)
	for _, size := range []int{8, 2048} {
		order := []string{"vpush-software", "vpush", "vpush-hardware"}
		for i, name := range order[1:] {
			if slow, fast := at(t, all, order[i], size), at(t, all, name, size); fast.Rate <= slow.Rate || slow.Rate <= 0 {
				t.Errorf("%+v, %+v", slow, fast)
			}
		}
		if hardware, push := at(t, all, "vpush-hardware", size), at(t, all, "push", size); hardware.Rate > 1.01*push.Rate {
			t.Errorf("VPUSH in hardware %+v, PUSH %+v", hardware, push)
		}
	}
}

// Idle nodes cost PM/RHiNET time, and PM/RHiNET-VP none; with the throttle there is a step where a second
// PUSH becomes necessary (pm-messaging, sections 1.4.9, 1.6).
func TestPM(t *testing.T) {
	all := rows(t, "pm-pingpong", table(t), 8, 2040, 2041)
	if few, many := at(t, all, "rhinet-2nodes", 8), at(t, all, "rhinet-16nodes", 8); many.Usec <= few.Usec || many.Nodes != 16 {
		t.Errorf("%+v, %+v", few, many)
	}
	step := func(series string) float64 { return at(t, all, series, 2041).Usec - at(t, all, series, 2040).Usec }
	if with, without := step("rhinet-2nodes"), step("rhinet-unthrottled"); with < 2*without {
		t.Errorf("a second PUSH costs %.2f us with the throttle, %.2f us without", with, without)
	}
	if vp, hardware, pm := at(t, all, "rhinet-vp", 8), at(t, all, "hw-vpush", 8), at(t, all, "rhinet-2nodes", 8); vp.Usec < hardware.Usec+2*5 || hardware.Usec < pm.Usec {
		t.Errorf("%+v, %+v, %+v", vp, hardware, pm)
	}
	burst := rows(t, "pm-burst", table(t), 2040, 8184)
	if slow, fast := at(t, burst, "rhinet-2nodes", 8184), at(t, burst, "rhinet-unthrottled", 8184); fast.Rate <= slow.Rate {
		t.Errorf("throttled %+v, not %+v", slow, fast)
	}
}

func TestMPI(t *testing.T) {
	all := rows(t, "mpi", table(t), 16<<10, 32<<10)
	if copied, direct := at(t, all, "sendrecv-rhinet", 32<<10), at(t, all, "sendrecv-zerocopy", 32<<10); direct.Rate < 2*copied.Rate {
		t.Errorf("%+v, without a copy %+v", copied, direct)
	}
	if copied, direct := at(t, all, "sendrecv-rhinet", eager), at(t, all, "sendrecv-zerocopy", eager); direct.Rate != copied.Rate {
		t.Errorf("eager: %+v, %+v", copied, direct)
	}
}

// The firmware takes the same time for VPUSH packets of all lengths, and it is the time that the
// specification states (martini, section 12.3).
func TestTimeline(t *testing.T) {
	for _, n := range TimelineSizes() {
		spans, err := Timeline(Options{Table: table(t)}, n)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]float64{}
		for _, s := range spans {
			if s.Bytes != n || s.From >= s.To {
				t.Errorf("%+v", s)
			}
			seen[s.Lane+" "+s.Doing] += s.To - s.From
		}
		if sum := seen["CPU "+doingRFend] + seen["CPU "+doingReplier]; math.Abs(sum-6.6) > 0.1 {
			t.Errorf("%d bytes: firmware takes %.2f us", n, sum)
		}
		for _, what := range []string{"RFend " + doingMiss, "Replier " + doingMiss, "Replier " + doingWait, "RBend " + doingWait, "DMA " + doingWork} {
			if seen[what] <= 0 {
				t.Errorf("%d bytes: no %s in %v", n, what, seen)
			}
		}
	}
	if _, err := Timeline(Options{Table: table(t)}, 4096); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
}

// figures are all results that a change of a parameter may affect, in short form, divided into parts of
// which the first are affected by most parameters.
var figures = []struct {
	name  string
	sizes []int
}{{"latency", []int{8}}, {"latency", []int{512}}, {"miss", []int{32}}, {"vpush", []int{8}}, {"pm-pingpong", []int{8}}, {"mpi", []int{512}}, {"throughput", []int{128}}}

func figure(t testing.TB, i int, p *param.Table) string {
	return fmt.Sprint(rows(t, figures[i].name, p, figures[i].sizes...))
}

// Halving any one parameter of the chip and the host changes a figure; for those at their minimum, doubling
// does. The tests of bench network cover the parameters of the network.
func TestEachParameterMatters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the experiments once for each parameter")
	}
	net, err := network.Parameters("rhinet2")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{}
	for _, p := range net.All() {
		of[p.Name] = true
	}
	var before []string
	for i := range figures {
		before = append(before, figure(t, i, table(t)))
	}
	for _, p := range table(t).All() {
		if of[p.Name] {
			continue
		}
		v := p.Value / 2
		if p.Whole {
			v = math.Floor(v)
		}
		if v < p.Least {
			v = 2 * p.Value
		}
		changed := table(t, fmt.Sprintf("%s=%g", p.Name, v))
		i := 0
		for i < len(figures) && figure(t, i, changed) == before[i] {
			i++
		}
		if i == len(figures) {
			t.Errorf("%s: %g instead of %g changes nothing", p.Name, v, p.Value)
		}
	}
}

// Figures depend on nothing but the parameters.
func TestRepeatsExactly(t *testing.T) {
	for i := range figures {
		if a, b := figure(t, i, table(t)), figure(t, i, table(t)); a != b || len(a) < 100 {
			t.Errorf("%s\nthen\n%s", a, b)
		}
	}
}

func TestBadInput(t *testing.T) {
	if _, err := Find("shove"); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "latency, throughput") {
		t.Error(err)
	}
	if _, err := Load("rhinet9", nil); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	if _, err := Load("rhinet2", []string{"pci.widht=32"}); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "pci.width") {
		t.Error(err)
	}
	e, _ := Find("vpush")
	if err := e.Check(Options{Sizes: []int{4096}}); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	if err := e.Check(Options{Sizes: []int{8, 2048}}); err != nil {
		t.Error(err)
	}
	if err := e.Run(Options{Table: table(t, "switch.slack=8000"), Sizes: []int{8}}, func(Row) {}); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	if err := Write(&bytes.Buffer{}, "xml", nil); err == nil {
		t.Error("no error of an unknown format")
	}
	if err := bench.CheckModelFormat("xml"); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
}

// A model that stands still, and a program that fails, end the measurement.
func TestFailures(t *testing.T) {
	l := &lab{table: table(t)}
	defer l.close()
	if err := l.build("pair", timed.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := l.run(func() bool { return false }); !errors.Is(err, errStuck) {
		t.Error(err)
	}
	l.start(0, func(p *timed.Process) error { return p.Post(&timed.Transfer{To: 7}) })
	if err := l.run(func() bool { return false }); !errors.Is(err, timed.ErrTransfer) {
		t.Error(err)
	}
	if _, err := (streaming{windows: 1}).measure(&lab{table: table(t, "switch.slack=8000")}, 8); !errors.Is(err, network.ErrParameters) {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	e, _ := Find("latency")
	all := rows(t, "latency", table(t), 8, 16)
	for format, want := range map[string]string{"table": "| push |", "csv": "latency,push,2,8,2.4", "json": `"MB_s": `} {
		var b bytes.Buffer
		if err := Write(&b, format, all); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
	f, err := Plot(e, all)
	if err != nil {
		t.Fatal(err)
	}
	if svg, err := f.SVG(); err != nil || !strings.Contains(string(svg), "pull-botf") {
		t.Error(err)
	}
	stages, err := Stages(Options{Table: table(t)})
	if err != nil || len(stages) != 3*6+2*8 {
		t.Fatal(stages, err)
	}
	var b bytes.Buffer
	if err := WriteStages(&b, "csv", stages); err != nil || !strings.Contains(b.String(), "aotf,remote write complete,1.7") {
		t.Error(err, b.String())
	}
	spans := []Span{{2048, stepped.RFend.String(), doingMiss, 0, 2}, {2048, "DMA", doingWork, 1, 3}}
	for format, want := range map[string]string{"table": "RFend |MMMM", "csv": "2048,DMA,active,1.000,3.000", "json": `"doing": "MISS"`} {
		var b bytes.Buffer
		if err := WriteTimeline(&b, format, spans); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
}

// The drawing of a timeline is well-formed XML, with every span in a row of its lane.
func TestDrawing(t *testing.T) {
	var spans []Span
	for _, n := range TimelineSizes() {
		all, err := Timeline(Options{Table: table(t)}, n)
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, all...)
	}
	var b bytes.Buffer
	if err := DrawTimeline(&b, spans); err != nil {
		t.Fatal(err)
	}
	rows, rects := map[string]bool{}, 0
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			rects++
			for _, a := range e.Attr {
				if a.Name.Local == "y" {
					rows[a.Value] = true
				}
				if a.Name.Local == "fill" && a.Value == "" {
					t.Error("a span without a colour")
				}
			}
		}
	}
	if want := len(spans) + len(colours()) + 1; rects != want || len(rows) != len(TimelineSizes())*len(lanes())+1 {
		t.Errorf("%d rectangles in %d rows, want %d", rects, len(rows), want)
	}
}
