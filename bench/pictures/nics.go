package pictures

import (
	"fmt"

	cenju4 "rhinet/nicemu/cenju4/stepped"
	dimmnet2 "rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/ib"
	martini "rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/syncctl"
	tofu "rhinet/nicemu/tofu/stepped"
)

// payload is the size of the message in the pictures, in bytes.
const payload = 8

// All returns the pictures of all network interfaces.
func All() []Picture {
	return []Picture{
		{"martini", "Martini: a PUSH of 8 bytes, from the kick to the completion", func(c *canvas) error {
			l := newTimeline("step")
			err := martini.Watch("push", payload, func(e martini.Event) {
				if e.From != e.To {
					l.enter(int(e.Step), fmt.Sprintf("node %d %v", e.Node, e.Module), named(e.To.String()), e.To == martini.WAIT)
				}
			})
			l.draw(c)
			return err
		}},
		{"ib", "InfiniBand: the states of a queue pair, and what it does in each", queuePair},
		{"tofu", "Tofu: a put of 8 bytes with a notice", func(c *canvas) error {
			l := newTimeline("step")
			_, err := tofu.Watch(payload, func(e tofu.Event) {
				l.enter(e.Step, fmt.Sprintf("node %d %v", e.Node, e.Module), named(e.To.String()), e.To == tofu.Wait)
			})
			l.draw(c)
			return err
		}},
		{"dimmnet2", "DIMMnet-2: a BOTF of 8 bytes to a Prefetch Window", func(c *canvas) error {
			l := newTimeline("clock")
			_, err := dimmnet2.Watch(payload, func(e dimmnet2.Event) {
				at := e.Clock // the event is at the end of this clock, but a module leaves Idle at its beginning
				if e.From == dimmnet2.Idle {
					at--
				}
				l.enter(at, fmt.Sprintf("board %d %v", e.Node, short(e.Module)), named(e.To.String()), false)
			})
			l.draw(c)
			return err
		}},
		{"cenju4", "Cenju-4: a remote read of 8 bytes on 16 nodes", func(c *canvas) error {
			l := newTimeline("step")
			_, err := cenju4.Watch(payload, func(e cenju4.Event) {
				l.enter(e.Step, fmt.Sprintf("node %d %v", e.Node, e.Module), named(e.To.String()), false)
			})
			l.draw(c)
			return err
		}},
		{"sync", "Synchronization controller: codes of RBCQ-1 on four nodes", regions},
	}
}

// named returns the state to draw: nothing if the module is idle.
func named(state string) string {
	if state == "IDLE" {
		return ""
	}
	return state
}

// short returns a name for a module that fits into a column.
func short(m dimmnet2.Module) string {
	return [...]string{"Window", "Prefetch", "Write", "Receive", "Status"}[m]
}

// queuePair draws the states of a queue pair.
func queuePair(c *canvas) error {
	var states, notes []string
	for s := range ib.States() {
		states, notes = append(states, s.String()), append(notes, s.Does())
	}
	arcs(c, states, notes, func(from, to int) bool { return ib.Leads(ib.State(from), ib.State(to)) })
	return nil
}

// regions draws the worked example of sync-controller, section 7.4.
func regions(c *canvas) error {
	const nodes = 4
	lists, err := syncctl.SetD(nodes, [][]int{{0, 1, 2, 3}, {0, 1}, {1, 2, 3}, {0, 2}, {0, 1, 2, 3}})
	if err != nil {
		return err
	}
	l, logic := newTimeline("event"), syncctl.NewRBCQ(nodes)
	code, place := make([]int, nodes), make([]int, nodes) // the next code of each node, and its synchronization
	for i := range nodes {
		l.enter(0, fmt.Sprintf("node %d", i), "before S0", false)
	}
	for at, i := range []int{2, 0, 0, 3, 2, 1, 1, 1, 3, 0, 2, 0, 1, 3, 2} {
		setD := lists[i][code[i]]
		if err := logic.Wait(i, setD); err != nil {
			return err
		}
		code[i]++
		l.enter(at+1, fmt.Sprintf("node %d", i), fmt.Sprintf("waits at S%d", place[i]), true)
		for {
			released, changed := logic.Step()
			if !changed {
				break
			}
			for _, n := range released {
				text := fmt.Sprintf("region after S%d", place[n])
				l.enter(at+1, fmt.Sprintf("node %d", n), text, false)
				place[n] += lists[n][code[n]-1]
			}
		}
	}
	l.draw(c)
	return nil
}
