package stepped

import (
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/martini"
)

// kicks draws random requests at three nodes, several in flight at a time, and runs so many steps
// after each.
func kicks(w *world, seed uint64, steps func(n int)) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range 60 {
		from, to := r.IntN(3), r.IntN(3)
		size := 1 + r.IntN(5000)
		b := w.areas[from][r.IntN(2000):][:size]
		q := martini.Request{Node: to, Segment: w.seg[to], Offset: 16384 + uint64(r.IntN(8000)), Flag: r.IntN(2)}
		window := r.IntN(3)
		var err error
		if r.IntN(3) == 0 {
			_, err = w.m.Pull(from, window, q, b)
		} else {
			_, err = w.m.Push(from, window, q, b)
		}
		_ = err // a busy Window, which is the same in all machines
		steps(r.IntN(200))
	}
}

// onEach runs a check during every operation, and during random traffic, with a chip or without.
func onEach(t *testing.T, chip func(nodes int) *Chip, steps func(m *Machine, n int)) {
	for _, name := range Operations() {
		nodes := 2
		if name == "lock" {
			nodes = 3
		}
		s, err := newStage(nodes, 2000, Options{Chip: chip(nodes)})
		must(t, err)
		defer s.close()
		do, cold := s.operation(name)
		for range 2 {
			must(t, do())
			steps(s.m, 20000)
			must(t, s.m.Run(showSteps))
			if cold { // otherwise the second run has warm TLBs
				break
			}
		}
	}
	for seed := range uint64(4) {
		w := newWorld(t, 3, 8, Options{Chip: chip(3)})
		kicks(w, seed, func(n int) { steps(w.m, n) })
		steps(w.m, stepLimit)
	}
}

// TestUnreadyFindNothing: a module that is not ready finds nothing when it acts.
func TestUnreadyFindNothing(t *testing.T) {
	looked, vain := 0, 0
	onEach(t, func(int) *Chip { return nil }, func(m *Machine, steps int) {
		for ; steps > 0 && !m.Idle(); steps-- {
			m.clock++
			for _, n := range m.nodes {
				moved := false
				for _, mod := range order {
					before, ready := n.regs[mod].state, n.ready(mod)
					on := n.act(mod)
					looked++
					if !ready {
						vain++
						if on != Stay {
							t.Fatalf("%v in %v was not ready and found: %v", mod, before, on)
						}
					}
					moved = n.advance(mod, on) || moved
				}
				if !moved {
					n.busy = n.active()
				}
			}
		}
	})
	if vain < looked/2 || vain == looked {
		t.Errorf("%d of %d looks were in vain", vain, looked)
	}
}

// TestChangesAreTold: each change has the modules that it concerns checked again: a module that is
// ready is never taken for one that is not.
func TestChangesAreTold(t *testing.T) {
	events := 0
	onEach(t, func(nodes int) *Chip { return slow(t, nodes) }, func(m *Machine, steps int) {
		until := m.chip.Core.Edge(m.chip.Core.Index(m.chip.Kernel.Now()) + int64(steps))
		for m.chip.Kernel.Next() <= until && m.chip.Kernel.Step() {
			events++
			for _, n := range m.nodes {
				for i, mod := range order {
					if n.real>>i&1 == 0 && n.ready(mod) {
						t.Fatalf("at %v node %d was not told that %v in %v may find something", n.self.Now(), n.id, mod, n.regs[mod].state)
					}
				}
			}
		}
		m.chip.Kernel.RunUntil(until)
	})
	if events < 10000 {
		t.Errorf("%d events", events)
	}
}
