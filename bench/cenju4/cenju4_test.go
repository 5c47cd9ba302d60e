package cenju4

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/cenju4/timed"
)

func run(t testing.TB, p Plan) (rows []Row) {
	t.Helper()
	if p.Table == nil {
		p.Table = timed.Parameters()
	}
	err := p.Check()
	if err == nil {
		err = p.Run(func(r Row) { rows = append(rows, r) })
	}
	if err != nil {
		t.Fatal(err)
	}
	Compare(rows)
	return rows
}

func find(t *testing.T, rows []Row, curve string, nodes, bytes int) Row {
	t.Helper()
	for _, r := range rows {
		if r.Curve == curve && r.Nodes == nodes && r.Bytes == bytes {
			return r
		}
	}
	t.Fatalf("no %s on %d nodes, %d bytes", curve, nodes, bytes)
	return Row{}
}

// TestShapes: the order of the curves is the one that follows from the rules of the hardware.
func TestShapes(t *testing.T) {
	less := func(name string, a, b Row, by float64) {
		t.Helper()
		if a.Time*by > b.Time {
			t.Errorf("%s: %s takes %.2f us, %s %.2f", name, a.Curve, a.Time, b.Curve, b.Time)
		}
	}
	rows := run(t, Plan{Experiment: "latency", Nodes: []int{8, 32}, Sizes: []int{8, 16}})
	const native, call = "Paralib/CJ4", "Paralib/CJ4 + system call"
	less("inline", find(t, rows, native, 32, 8), find(t, rows, native, 32, 16), 1.05)
	less("stages", find(t, rows, native, 8, 8), find(t, rows, native, 32, 8), 1.05)
	less("library", find(t, rows, native, 32, 8), find(t, rows, "MPI", 32, 8), 2)
	less("call", find(t, rows, native, 32, 16), find(t, rows, call, 32, 16), 2)
	// A flushed source is read faster than a dirty one, so the call costs less time that is not inline.
	extra := func(n int) float64 { return find(t, rows, call, 32, n).Time - find(t, rows, native, 32, n).Time }
	if extra(16) >= extra(8) {
		t.Errorf("the call costs %.2f us of 16 bytes, %.2f of 8", extra(16), extra(8))
	}

	rows = run(t, Plan{Experiment: "throughput", Sizes: []int{8, 64 << 10, 1 << 20}})
	for _, library := range []string{"Paralib/CJ4 ", "MPI "} {
		less(library, find(t, rows, library+"A", 32, 64<<10), find(t, rows, library+"C", 32, 64<<10), 1.05)
		less(library, find(t, rows, library+"C", 32, 64<<10), find(t, rows, library+"B", 32, 64<<10), 1.02)
	}

	rows = run(t, Plan{Experiment: "odd", Sizes: []int{64 << 10}})
	for d := 1; d < 32; d += 2 {
		name := func(group string) Row { return find(t, rows, fmt.Sprintf("%s %d", group, d), 32, 64<<10) }
		less("copy", name("A"), name("C"), 1.2)
		less("read optimisation", name("A"), name("B"), 1)
		less("read optimisation of a copy", name("C"), name("D"), 1)
	}
	// A difference of one word has no read optimisation on the way there, one of 31 on the way back.
	less("exclusion", find(t, rows, "A 3", 32, 64<<10), find(t, rows, "A 1", 32, 64<<10), 1.01)
	less("exclusion", find(t, rows, "A 3", 32, 64<<10), find(t, rows, "A 31", 32, 64<<10), 1.01)

	rows = run(t, Plan{Experiment: "nton", Nodes: []int{1, 32, 70}, Sizes: []int{1024}})
	for _, nodes := range []int{32, 70} {
		less("order", find(t, rows, "B", nodes, 1024), find(t, rows, "A", nodes, 1024), 1.5)
		less("multicast", find(t, rows, "C", nodes, 1024), find(t, rows, "B", nodes, 1024), 1.02)
	}

	rows = run(t, Plan{Experiment: "barrier", Nodes: []int{1, 2, 32, 70}})
	less("packets", find(t, rows, "E", 32, 0), find(t, rows, "A", 32, 0), 3)
	less("growth", find(t, rows, "E", 32, 0), find(t, rows, "E", 2, 0), 0.5)
	less("tree", find(t, rows, "B", 32, 0), find(t, rows, "B", 70, 0), 1.1)
	less("multicast", find(t, rows, "D", 32, 0), find(t, rows, "C", 32, 0), 1.01)
	for _, r := range rows {
		if r.Nodes == 70 && r.Curve == "E" {
			t.Error("synchronization packets on 70 nodes")
		}
	}
}

// TestEveryNumberMatters: twice any parameter, or half of it, changes a figure.
func TestEveryNumberMatters(t *testing.T) {
	plans := []Plan{
		{Experiment: "latency", Nodes: []int{8}, Sizes: []int{8, 48}}, {Experiment: "throughput", Nodes: []int{8}, Sizes: []int{4096}},
		{Experiment: "odd", Nodes: []int{2}, Sizes: []int{8192}}, {Experiment: "nton", Nodes: []int{16}, Sizes: []int{8, 512}}, {Experiment: "barrier", Nodes: []int{16}},
	}
	figures := func(set string) (all []float64) {
		for _, p := range plans {
			p.Table = timed.Parameters()
			if set != "" {
				if err := p.Table.Set(set); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range run(t, p) {
				all = append(all, r.Time)
			}
		}
		return all
	}
	before := figures("")
	for _, row := range timed.Parameters().All() {
		v := row.Value * 2
		if v > row.Most {
			v = row.Value / 2
		}
		after := figures(fmt.Sprintf("%s=%g", row.Name, v))
		most := 0.0
		for i := range before {
			most = max(most, math.Abs(after[i]-before[i])/max(before[i], 1e-9))
		}
		if most < 1e-4 {
			t.Errorf("%s = %g changes nothing", row.Name, v)
		}
	}
}

// TestPlans: for what cannot be measured there is an error that says what can.
func TestPlans(t *testing.T) {
	for want, p := range map[string]Plan{
		`no experiment "x"; the experiments are latency`:       {Experiment: "x"},
		"0 nodes; nton takes 1 to 1024":                        {Experiment: "nton", Nodes: []int{0}},
		"1 nodes; odd takes 2 to 1024":                         {Experiment: "odd", Nodes: []int{1}},
		"1025 nodes":                                           {Experiment: "barrier", Nodes: []int{1025}},
		"barrier has no sizes":                                 {Experiment: "barrier", Sizes: []int{8}},
		"size 12; latency takes multiples of 8":                {Experiment: "latency", Sizes: []int{12}},
		"size 1048576; nton takes":                             {Experiment: "nton", Sizes: []int{1 << 20}},
		"1024 nodes that send 16384 bytes to all are 68157440": {Experiment: "nton", Nodes: []int{1024}},
	} {
		if err := p.Check(); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPlot draws each kind.
func TestPlot(t *testing.T) {
	for _, p := range []Plan{{Experiment: "latency", Sizes: []int{8, 16}}, {Experiment: "nton", Nodes: []int{2, 4}, Sizes: []int{64}}, {Experiment: "throughput", Sizes: []int{8, 64}}} {
		if _, err := Plot(run(t, p)); err != nil {
			t.Errorf("%s: %v", p.Experiment, err)
		}
	}
}
