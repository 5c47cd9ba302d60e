package stepped

import (
	"fmt"
	"slices"
	"testing"

	"rhinet/nicemu/vtime"
)

// everyStep returns a chip whose states all take one clock.
func everyStep(t testing.TB) *Chip {
	t.Helper()
	clock, err := vtime.NewClock(66e6, 1)
	must(t, err)
	return &Chip{Kernel: new(vtime.Kernel), Core: clock, Switch: clock, Timing: vtime.EveryStep{}, Poll: 1}
}

// slow returns a chip whose times differ from state to state, with a bus.
func slow(t testing.TB, nodes int) *Chip {
	t.Helper()
	c := everyStep(t)
	costs := make(vtime.Costs, Kinds)
	for i := range costs {
		costs[i] = vtime.Cost{Fixed: int64(1 + i%5), PerUnit: int64(1 + i%2)}
	}
	c.Timing, c.Poll = costs, 7
	for j := range Jobs {
		c.Firmware[j] = 11 * int(1+j)
	}
	fast, err := vtime.NewClock(125e6, 1)
	must(t, err)
	c.Switch = fast
	for range nodes {
		c.Bus = append(c.Bus, vtime.NewBus(c.Kernel, "PCI", BusLines, vtime.RoundRobin, 30*vtime.Nanosecond))
	}
	return c
}

// transitionOf returns an event in the form in which events are compared.
func transitionOf(e Event, clock bool) string {
	if !clock {
		e.Step = 0
	}
	return fmt.Sprintf("%d node %d %v %v -> %v, %v", e.Step, e.Node, e.Module, e.From, e.To, e.On)
}

// shown returns the transitions of an operation.
func shown(t *testing.T, name string, size int, c *Chip, keep func(e Event)) {
	t.Helper()
	nodes := 2
	if name == "lock" {
		nodes = 3
	}
	s, err := newStage(nodes, size, Options{Chip: c})
	must(t, err)
	defer s.close()
	do, cold := s.operation(name)
	s.trace = func(e Event) {
		if e.From != e.To {
			keep(e)
		}
	}
	must(t, s.run(do))
	if !cold { // with warm TLBs too
		must(t, s.run(do))
	}
}

// TestEveryStepIsTheStep: on the kernel, with one clock for each state, the machine makes exactly
// the transitions that it makes in steps, at the same clocks.
func TestEveryStepIsTheStep(t *testing.T) {
	for _, name := range Operations() {
		for _, size := range []int{8, 5000} {
			if name == "vpush" || name == "vpush-hardware" || name == "vpush-software" {
				size = min(size, MTU)
			}
			var stepped, timed []string
			shown(t, name, size, nil, func(e Event) { stepped = append(stepped, transitionOf(e, true)) })
			shown(t, name, size, everyStep(t), func(e Event) { timed = append(timed, transitionOf(e, true)) })
			compare(t, fmt.Sprintf("%s of %d bytes", name, size), stepped, timed)
		}
	}
}

func compare(t *testing.T, what string, a, b []string) {
	t.Helper()
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s, transition %d: %q in steps, %q on the kernel", what, i, a[i], b[i])
			return
		}
	}
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("%s: %d transitions in steps, %d on the kernel", what, len(a), len(b))
	}
}

// TestTimingChangesNoTransition: with the durations of a chip, each module makes the same
// transitions in the same order.
func TestTimingChangesNoTransition(t *testing.T) {
	for _, name := range Operations() {
		for _, size := range []int{8, 2000} {
			var by [2]map[[2]int][]string
			for i, c := range []*Chip{nil, slow(t, 3)} {
				by[i] = map[[2]int][]string{}
				shown(t, name, size, c, func(e Event) {
					k := [2]int{e.Node, int(e.Module)}
					by[i][k] = append(by[i][k], transitionOf(e, false))
				})
			}
			for k, a := range by[0] {
				if name == "vpush" && Module(k[1]) == CPU {
					continue // the DMA ends in the handler that follows RFend, or after it (11.3)
				}
				compare(t, fmt.Sprintf("%s of %d bytes, node %d, %v", name, size, k[0], Module(k[1])), a, by[1][k])
			}
		}
	}
}

// traffic kicks random requests at three nodes, several in flight at a time, and returns the
// transitions of each machine.
func traffic(t *testing.T, seed uint64, c *Chip) (all []string, w *world) {
	w = newWorld(t, 3, 8, Options{Chip: c, Observe: func(e Event) {
		if e.From != e.To {
			all = append(all, transitionOf(e, true))
		}
	}})
	kicks(w, seed, func(n int) {
		for range n {
			w.m.Step()
		}
	})
	w.run()
	return all, w
}

func TestEveryStepIsTheStepUnderLoad(t *testing.T) {
	for seed := range uint64(8) {
		stepped, a := traffic(t, seed, nil)
		timed, b := traffic(t, seed, everyStep(t))
		compare(t, fmt.Sprintf("seed %d", seed), stepped, timed)
		for i := range a.areas {
			if !slices.Equal(a.areas[i], b.areas[i]) {
				t.Errorf("seed %d: the areas of node %d differ", seed, i)
			}
		}
	}
}

// TestChipRefusesTimeouts: timeouts are counted in steps.
func TestChipRefusesTimeouts(t *testing.T) {
	_, boss, nics := openNICs(t, 2)
	if m, err := New(boss, nics, Options{Chip: everyStep(t), Timeout: 5}); err == nil {
		m.Close()
		t.Error("a chip with timeouts")
	}
}
