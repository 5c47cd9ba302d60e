package network

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/nicemu/param"
)

// planOf returns a short plan.
func planOf(t testing.TB, topology, design string, settings ...string) *Plan {
	t.Helper()
	table, err := Load(design, settings)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := Topology(topology, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{Topology: graph, Table: table, Traffic: strings.Split(Kinds, ", "), Loads: []float64{0.2, 0.5}, Bytes: 512, Hot: 0.3, Seed: 1,
		WarmUp: 50 * time.Microsecond, Time: 200 * time.Microsecond}
}

// rowsOf runs a plan, which must succeed.
func rowsOf(t testing.TB, p *Plan) (rows []Row) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(func(r Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Below saturation the network accepts the whole load, and the mean number of packets in it is their rate
// times their latency (Little's law). Nothing is used more than 100 % of the time.
func TestLoadAndLatency(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		p := planOf(t, "full:4x4", design)
		p.Traffic, p.Loads, p.Time = []string{"uniform"}, []float64{0.05, 0.2, 0.4, 0.9}, time.Millisecond
		rows := rowsOf(t, p)
		for i, r := range rows[:3] {
			if math.Abs(r.Accepted/r.Offered-1) > 0.02 || math.Abs(r.Inside/r.Little-1) > 0.02 {
				t.Errorf("%s: %+v", design, r)
			}
			if i > 0 && r.Mean <= rows[i-1].Mean {
				t.Errorf("%s: latency %v at load %v, %v at %v", design, r.Mean, r.Load, rows[i-1].Mean, rows[i-1].Load)
			}
			if want := 600 * 64 / 69. * r.Load * p.Table.Value("link.rate") / 6; math.Abs(r.Offered/want-1) > 0.1 {
				t.Errorf("%s: offered %v; want about %v", design, r.Offered, want)
			}
		}
		for _, r := range rows {
			if r.Busiest <= 0 || r.Busiest > 1+1e-9 || r.Median > r.P99 {
				t.Errorf("%s: %+v", design, r)
			}
		}
		if last := rows[3]; last.Accepted > 0.9*last.Offered {
			t.Errorf("%s: one line a port cannot carry %+v", design, last)
		}
	}
}

// A hot spot receives what its link can carry, and no more.
func TestHotSpot(t *testing.T) {
	p := planOf(t, "full:4x4", "rhinet2")
	p.Traffic, p.Loads, p.Hot = []string{"hot-spot"}, []float64{0.5}, 1
	p.WarmUp, p.Time = 300*time.Microsecond, time.Millisecond
	if r := rowsOf(t, p)[0]; r.Busiest < 0.99 || r.Accepted > 1.05*600*64/69/16*1.5 {
		t.Errorf("%+v", r)
	}
}

func text(t testing.TB, format string, rows []Row) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Two runs give equal bytes; another seed gives others.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) string {
		p := planOf(t, "random:6x2x3", "rhinet3", "link.bit-errors=1e-4")
		p.Seed = seed
		return text(t, "csv", rowsOf(t, p))
	}
	first := run(7)
	if again := run(7); again != first {
		t.Errorf("%s\nthen\n%s", first, again)
	}
	if run(8) == first {
		t.Error("the seed changes nothing")
	}
}

// experiments are the runs whose figures every parameter must be able to change.
func experiments(t testing.TB, setting string) (figures string, err error) {
	t.Helper()
	for _, e := range []struct{ design, topology, set string }{
		{"rhinet2", "full:3x2", "link.bit-errors=1e-3"},
		{"rhinet3", "ring:4x2", "link.bit-errors=1e-3"},
	} {
		table, err := Load(e.design, []string{e.set})
		if err != nil {
			t.Fatal(err)
		}
		if setting != "" {
			if err := table.Set(setting); err != nil {
				return "", err
			}
		}
		p := planOf(t, e.topology, e.design)
		p.Table, p.Loads, p.Bytes = table, []float64{0.2, 1.2}, 1024
		if err := p.Check(); err != nil {
			return "", err
		}
		figures += text(t, "csv", rowsOf(t, p))
	}
	return figures, nil
}

// halves returns the values to which a test changes a parameter: first half of it, then, in case the model
// refuses that, another value close to it.
func halves(p param.Parameter) (values []float64) {
	for _, f := range []float64{0.5, 0.9, 0.95, 2, 1.25} {
		v := p.Value * f
		if p.Name == "link.bit-errors" {
			v = 1e-3 * f
		}
		if p.Whole {
			v = math.Round(v)
		}
		values = append(values, v)
	}
	return values
}

// Halving any parameter changes a figure, or is refused with a reason; in that case another value changes a
// figure. Ports only limit what can be built, and the MTU what can be sent and what the buffers must hold.
func TestEveryParameterCounts(t *testing.T) {
	base, err := experiments(t, "")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Load("rhinet2", nil)
	if err != nil {
		t.Fatal(err)
	}
	bounds := map[string]string{"switch.ports": "=3", "packet.mtu": "=512"}
	for _, p := range table.All() {
		if value, is := bounds[p.Name]; is {
			if _, err := experiments(t, p.Name+value); !errors.Is(err, bench.ErrInput) {
				t.Errorf("%s%s: %v", p.Name, value, err)
			}
			continue
		}
		var settings []string
		for _, v := range halves(p) {
			settings = append(settings, p.Name+"="+strconv.FormatFloat(v, 'g', -1, 64))
		}
		if p.Choices != nil {
			settings = nil
			for _, c := range p.Choices {
				settings = append(settings, p.Name+"="+c)
			}
		}
		changed := false
		for _, s := range settings {
			figures, err := experiments(t, s)
			switch {
			case errors.Is(err, param.ErrSetting):
				continue
			case err != nil && !strings.Contains(err.Error(), p.Name) && !errors.Is(err, bench.ErrInput):
				t.Errorf("%s: %v", s, err)
			case err == nil && figures != base:
				changed = true
			}
			if changed {
				break
			}
		}
		if !changed {
			t.Errorf("%s changes no figure", p.Name)
		}
	}
}

func TestWrongPlans(t *testing.T) {
	for want, spoil := range map[string]func(*Plan){
		"no load is given":          func(p *Plan) { p.Loads = nil },
		"no traffic is named":       func(p *Plan) { p.Traffic = nil },
		`unknown traffic "x"`:       func(p *Plan) { p.Traffic = []string{"x"} },
		"a load of NaN":             func(p *Plan) { p.Loads = []float64{math.NaN()} },
		"1.5 of the packets":        func(p *Plan) { p.Hot = 1.5 },
		"0s of virtual time":        func(p *Plan) { p.Time = 0 },
		"packets of 4096 bytes":     func(p *Plan) { p.Bytes = 4096 },
		"switch s0 has 5 links":     func(p *Plan) { p.Table.Set("switch.ports=4") },
		"the routes can deadlock: ": func(p *Plan) { p.Table.Set("network.method=flat") },
	} {
		p := planOf(t, "ring:5x3", "rhinet2")
		spoil(p)
		if err := p.Check(); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if _, err := Load("rhinet4", nil); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	if _, err := Load("rhinet2", []string{"a"}); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
}

func TestTopologyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.txt")
	if err := os.WriteFile(file, []byte("switch s\nhost a b\nlink a s 1\nlink b s 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := Topology(file, 1)
	if err != nil || len(g.Links) != 2 || g.Links[1].Metres != 3 {
		t.Errorf("%+v, %v", g, err)
	}
	if err := os.WriteFile(file, []byte("switch s\nhost a b\nlonk a s 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Topology(file, 1); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), file+": bad topology: line 3: ") {
		t.Error(err)
	}
}

func TestFormats(t *testing.T) {
	p := planOf(t, "pair", "rhinet2")
	p.Traffic = []string{"permutation"}
	rows := rowsOf(t, p)
	var back []Row
	if err := json.Unmarshal([]byte(text(t, "json", rows)), &back); err != nil || !slices.Equal(back, rows) {
		t.Errorf("JSON gives %+v, %v", back, err)
	}
	for format, want := range map[string]string{"table": "permutation", "csv": "traffic,load,hosts,bytes,packets,offered_MB_s"} {
		if !strings.Contains(text(t, format, rows), want) {
			t.Errorf("no %s in %s", want, format)
		}
		var b bytes.Buffer
		if err := WriteParameters(&b, format, p.Table); err != nil || !strings.Contains(b.String(), "link.propagation") {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
	if err := Write(&bytes.Buffer{}, "go", rows); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
	f, err := Plot("title", rows)
	if err != nil || f.Title != "title" {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := Plot("nothing", nil); err != nil {
		t.Errorf("a plot of nothing: %v", err)
	}
}

// Every row of the table says where its number comes from.
func TestSourcesOfParameters(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		table, err := Load(design, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range table.All() {
			var section int
			_, err := fmt.Sscanf(p.Source, "%d.", &section)
			if err != nil && !strings.HasPrefix(p.Source, "chosen, because ") && !strings.HasPrefix(p.Source, "chosen by the rule of ") {
				t.Errorf("%s: source %q", p.Name, p.Source)
			}
			if p.Unit == "" && p.Choices == nil {
				t.Errorf("%s has no unit", p.Name)
			}
		}
	}
}
