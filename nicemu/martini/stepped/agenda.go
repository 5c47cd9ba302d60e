package stepped

import (
	"fmt"

	"rhinet/nicemu/martini"
	"rhinet/nicemu/vtime"
)

// agenda is when the modules of a node act in virtual time. A module acts when
// the work of its state is done. If it then has to wait, it acts again at its
// clock's next edge after anything has changed at the node.
type agenda struct {
	self    vtime.Source
	parts   [Modules]*vtime.Module
	due     [Modules]vtime.Time // Never: it waits
	at      vtime.Time          // of the visit that is scheduled
	visit   vtime.Event
	main    int64 // clock at which the main loop of firmware began
	leaving bool  // a packet is on its way from SWI to the link
	acting  int   // place in order of the module that acts, plus one; 0: none does
}

// Operations of a node.
const (
	opVisit = iota
	opGranted
)

// A tenure is how far an engine is with the bus.
type tenure uint8

const (
	noBus    tenure = iota
	askedBus        // asked for
	beganBus        // granted; data flows at the time that is due
	waitBus         // asked for again, amid a transfer
)

// chipStates is the table of states for the kernel, one for all modules, as the
// state registers share one enumeration.
func chipStates() []vtime.State {
	all := make([]vtime.State, States)
	for s := range States {
		all[s] = vtime.State{Name: s.String(), Work: vtime.Kind(workOf[s])}
	}
	return all
}

// plan makes the node one of a chip.
func (n *node) plan() {
	c := n.m.chip
	if c == nil {
		return
	}
	name := fmt.Sprintf("node %d", n.id)
	n.self, n.at = c.Kernel.Source(name), vtime.Never
	states := chipStates()
	for _, mod := range order {
		n.due[mod] = vtime.Never
		n.parts[mod] = vtime.NewModule(c.Kernel, name+" "+mod.String(), states, n.clockOf(mod), c.Timing)
		n.parts[mod].Enter(int(mod.rest()))
	}
}

func (n *node) clockOf(mod Module) vtime.Clock {
	if mod == SWI {
		return n.m.chip.Switch
	}
	return n.m.chip.Core
}

// enter writes a state register.
func (n *node) enter(mod Module, s State) {
	n.regs[mod].state = s
	if n.m.chip != nil {
		n.parts[mod].Enter(int(s))
		if mod == CPU && s == MAIN {
			n.main = n.m.chip.Core.Index(n.self.Now())
		}
	}
}

// Act is what happens to a node.
func (n *node) Act(op int, _ uint64) {
	switch op {
	case opVisit:
		n.at = vtime.Never
		n.look()
	case opGranted:
		n.begin()
	}
}

// look has the modules act whose work is done.
func (n *node) look() {
	now := n.self.Now()
	for i, mod := range order {
		if n.due[mod] > now {
			continue
		}
		n.acting = i + 1
		n.due[mod] = vtime.Never
		on := n.act(mod)
		went := n.advance(mod, on)
		if !went && !n.worked(mod) {
			continue
		}
		n.due[mod] = n.next(mod, now, went)
		n.wake(now)
	}
	n.acting = 0
	n.schedule()
}

// worked reports whether a module that stays where it is has done something.
func (n *node) worked(mod Module) bool {
	switch mod {
	case PCIDMAC, DIMMDMAC, SRAMDMAC:
		return n.engines[mod-PCIDMAC].burst > 0
	case CPU:
		return n.regs[CPU].state == HANDLER
	}
	return false
}

// next returns when the work of a module in its present state, to which it just
// went or in which it goes on, will be done.
func (n *node) next(mod Module, now vtime.Time, went bool) vtime.Time {
	state := n.regs[mod].state
	switch {
	case state == MISS, mod == PCIDMAC && n.engines[pci].bus == waitBus, state == HANDLER && !went && n.cpu.pause == 0:
		return vtime.Never
	case state == HANDLER && !went:
		return n.m.chip.Core.After(now, int64(n.cpu.pause))
	case state == MAIN:
		return n.m.chip.Core.After(now, n.m.chip.Poll)
	}
	return n.clockOf(mod).After(now, n.cycles(mod, state))
}

// cycles returns what the work of a module in a state takes.
func (n *node) cycles(mod Module, s State) int64 {
	kind, units := vtime.Kind(workOf[s]), 1
	switch {
	case s == MOVE:
		kind, units = KindWord, n.kicks.head().words()
	case s == BUILD:
		kind, units = KindHeader, martini.HeaderFlits
	case s == HBUF:
		kind, units = KindBuffer, martini.HeaderFlits
	case mod == SWI && s == SEND:
		kind = KindSwitch
	case s == RVA && n.ring != nil && n.ring.o.Hardware && n.rf.h.segment() == VPushSegment:
		kind = KindRing
	case s == DATA:
		return max(1, n.bursts(mod))
	}
	return max(1, n.m.chip.Timing.Cycles(kind, units))
}

// words returns how many double words of a Window a kick is about.
func (k *kick) words() int {
	if k.dw == martini.DWKick {
		return martini.DWKick + 1
	}
	return martini.HeaderFlits + 1 + int(min(k.value, MTU)+7)/8
}

// bursts returns what the next burst of an engine takes.
func (n *node) bursts(mod Module) int64 {
	t := &n.engines[mod-PCIDMAC].now
	size := min(burst, t.size-t.done)
	words := (t.off%8 + size + 7) / 8
	kind := KindMemory
	if mod == PCIDMAC {
		kind = KindBusWord
	}
	return n.m.chip.Timing.Cycles(kind, words)
}

// wake has all modules that wait act again: those behind the one that acts in
// the same step, the others at their next edge.
func (n *node) wake(now vtime.Time) {
	for i, mod := range order {
		if n.due[mod] != vtime.Never || n.regs[mod].state == MISS {
			continue
		}
		from := now
		if i < n.acting {
			from++
		}
		if mod == CPU && n.regs[CPU].state == MAIN {
			if n.cpu.wanted() {
				n.due[mod] = n.glance(from)
			}
			continue
		}
		n.due[mod] = n.clockOf(mod).Next(from)
	}
}

// glance returns when the main loop next looks at the interrupt controller.
func (n *node) glance(from vtime.Time) vtime.Time {
	c := n.m.chip
	ahead := max(c.Core.Index(from)-n.main, 0)
	return c.Core.Edge(n.main + (ahead+c.Poll-1)/c.Poll*c.Poll)
}

// schedule has the node visited when the first of its modules is due.
func (n *node) schedule() {
	first := vtime.Never
	for _, t := range n.due {
		first = min(first, t)
	}
	if first == vtime.Never {
		n.busy = n.active()
	}
	if first == n.at {
		return
	}
	n.m.chip.Kernel.Cancel(n.visit)
	n.at, n.visit = first, vtime.Event{}
	if first != vtime.Never {
		n.visit = n.self.At(first, n, opVisit, 0)
	}
}

// poke tells a node that something has changed from outside.
func (n *node) poke() {
	n.busy = true
	if n.m.chip == nil || n.acting > 0 { // who acts wakes the others
		return
	}
	n.wake(n.self.Now() + 1)
	n.schedule()
}

// pokeFrom is poke by a module of another node, whose turn in this step has come
// or is yet to come.
func (n *node) pokeFrom(o *node) {
	n.busy = true
	if n.m.chip == nil || n == o {
		return
	}
	from := n.self.Now()
	if n.id < o.id {
		from++
	}
	n.wake(from)
	n.schedule()
}

// seize asks for the bus, and reports whether data may flow.
func (n *node) seize(i int) bool {
	e := &n.engines[i]
	if target(i) != pci || n.m.chip == nil || n.m.chip.Bus == nil {
		return true
	}
	if e.bus == noBus {
		e.bus = askedBus
		n.askBus(n.queues[e.turn].head())
	}
	return e.bus == beganBus
}

func (n *node) askBus(t *transfer) {
	direction := IntoHost
	if t.reading() {
		direction = FromHost
	}
	n.m.chip.Bus[n.id].Acquire(vtime.Request{Actor: n, Op: opGranted, Line: BusNIC, Direction: direction})
}

// begin is the grant of the bus: the first data flows after what the other side
// takes to answer.
func (n *node) begin() {
	e := &n.engines[pci]
	t, again := &e.now, e.bus == waitBus
	if !again {
		t = n.queues[e.turn].head()
	}
	kind := KindBusWrite
	if t.reading() {
		kind = KindBusRead
	}
	c := n.m.chip
	cycles := c.Timing.Cycles(kind, 1)
	if again {
		cycles += n.bursts(PCIDMAC)
	}
	e.bus = beganBus
	n.due[PCIDMAC] = c.Core.After(n.self.Now(), max(1, cycles))
	n.schedule()
}

// holds reports whether an engine may move its next burst: it has the bus, and
// what it moves has arrived.
func (n *node) holds(e *engine) bool {
	t := &e.now
	late := t.kind == storePayload && !t.packet.whole && t.at+t.done+burst >= t.packet.size
	return e.bus != waitBus && !late
}

// passBus gives the bus between two bursts to who waits for it, if anybody does,
// and asks for it again.
func (n *node) passBus(e *engine) {
	if e.bus == beganBus && n.m.chip.Bus[n.id].Usage().Waiting > 0 {
		e.bus = waitBus
		n.m.chip.Bus[n.id].Release()
		n.askBus(&e.now)
	}
}

// yieldBus ends an engine's tenure of the bus.
func (n *node) yieldBus(e *engine) {
	if e.bus == beganBus {
		e.bus = noBus
		n.m.chip.Bus[n.id].Release()
	}
}
