package barriers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/param"
	"rhinet/nicemu/syncctl"
)

func plan() *Plan {
	return &Plan{Nodes: []int{1, 9, 16, 500}, Rounds: 5, Seed: 1, Table: syncctl.Parameters()}
}

// Each number of nodes has the tests that can run on it, including those for the exchange (sync-controller,
// section 3.5).
func TestRun(t *testing.T) {
	var rows []Row
	if err := plan().Run(func(r Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	count := map[int]int{}
	for _, r := range rows {
		count[r.Nodes]++
		if r.Mean <= 0 || r.Worst < r.Mean-1e-9 {
			t.Errorf("%+v", r)
		}
		if r.Test == "shuffle exchange" && r.Nodes == 16 && (r.Packets != 64 || r.Chain != 4) {
			t.Errorf("%+v", r)
		}
		if r.Test == "aligned barrier" && r.Skew != 0 {
			t.Errorf("%+v", r)
		}
	}
	// On 500 nodes neither the exchange nor the aligned barrier is possible.
	for n, want := range map[int]int{1: 7, 9: 7, 16: 7, 500: 4} {
		if count[n] != want {
			t.Errorf("%d rows on %d nodes, want %d", count[n], n, want)
		}
	}
	if _, err := Plot(rows); err != nil {
		t.Error(err)
	}
	var again []Row
	if err := plan().Run(func(r Row) { again = append(again, r) }); err != nil || !slices.Equal(rows, again) {
		t.Errorf("another run differs: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for i, change := range []func(*Plan){
		func(p *Plan) { p.Nodes = nil }, func(p *Plan) { p.Nodes = []int{0} }, func(p *Plan) { p.Nodes = []int{1025} },
		func(p *Plan) { p.Spread = -1 }, func(p *Plan) { p.Rounds = 0 }, func(p *Plan) { p.Rounds = 1e6 },
	} {
		p := plan()
		change(p)
		if err := p.Check(); !errors.Is(err, bench.ErrInput) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if err := plan().Check(); err != nil {
		t.Error(err)
	}
}

// changed returns half of a parameter's value; more, if that would be zero; less, if half would still be
// enough.
func changed(p param.Parameter) float64 {
	switch {
	case p.Name == "rp.waiters":
		return 1 // more nodes want a lock at once
	case p.Value == 0:
		return p.Most / 100
	case p.Whole:
		return float64(int(p.Value / 2))
	}
	return p.Value / 2
}

// Changing any parameter changes a figure, or ends the measurement with an error. The time of data packets
// is tested with the model, because nothing here sends one.
func TestEachParameterMatters(t *testing.T) {
	figures := func(setting string) (text string) {
		p := plan()
		p.Nodes, p.Spread = []int{9, 16}, 3
		if setting != "" {
			if err := p.Table.Set(setting); err != nil {
				t.Fatal(err)
			}
		}
		err := p.Run(func(r Row) { text += fmt.Sprintln(r.cells()) })
		return text + fmt.Sprint(err)
	}
	before := figures("")
	for _, p := range syncctl.Parameters().All() {
		if strings.HasPrefix(p.Name, "data.") {
			continue
		}
		setting := fmt.Sprintf("%s=%g", p.Name, changed(p))
		if figures(setting) == before {
			t.Errorf("%s changes nothing", setting)
		}
	}
}
