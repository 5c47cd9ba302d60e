package stepped

import (
	"fmt"
	"math/bits"
	"slices"

	"rhinet/nicemu/martini"
	"rhinet/nicemu/vtime"
)

// agenda holds the times at which the modules of a node act in virtual time. A module acts when the
// work of its state is done. If it then has to wait, it polls again at its clock's next edge after
// any change at the node.
//
// Most such polls would find nothing. Their times are kept, since they decide when a change at such
// a time is noticed, but the node is not visited for them.
type agenda struct {
	self    vtime.Source
	parts   [Modules]*vtime.Module
	due     [Modules]vtime.Time // by place: when it acts or polls; waits, or past: after a change
	real    places              // the modules that will find something then
	at      vtime.Time          // of the visit that is scheduled
	visit   vtime.Event
	main    int64 // clock at which firmware's main loop began
	leaving bool  // a packet is on its way from SWI to the link
	acting  bool  // a module of the node acts
}

// waits is earlier than every time.
const waits vtime.Time = -1

// places is a set of modules, by their place in order.
type places uint16

// first returns the first place of a set that is not empty.
func (s places) first() int { return bits.TrailingZeros16(uint16(s)) }

// upTo returns the set of all places up to i.
func upTo(i int) places { return 1<<(i+1) - 1 }

// Places in order.
const (
	atSWI = iota
	atCPU
	atPCIDMAC
	atDIMMDMAC
	atSRAMDMAC
	atRBend
	atReplier
	atRFend
	atSender
	atHeader
	atInitiator
	atAOTF
	atWindow
)

const (
	all       places = 1<<Modules - 1
	engineSet places = 1<<atPCIDMAC | 1<<atDIMMDMAC | 1<<atSRAMDMAC
)

// touches lists by place the modules whose readiness may change when that module acts. The
// processor may write any register.
var touches = [Modules]places{
	atSWI:       1<<atSWI | 1<<atCPU | 1<<atRFend | 1<<atSender,
	atCPU:       all,
	atPCIDMAC:   1<<atCPU | engineSet | 1<<atRBend | 1<<atSender,
	atDIMMDMAC:  1<<atCPU | engineSet,
	atSRAMDMAC:  1<<atCPU | engineSet,
	atRBend:     1<<atCPU | engineSet | 1<<atRBend | 1<<atReplier | 1<<atRFend,
	atReplier:   1<<atCPU | engineSet | 1<<atReplier | 1<<atSender | 1<<atHeader,
	atRFend:     1<<atCPU | 1<<atRBend | 1<<atReplier | 1<<atRFend,
	atSender:    1<<atSWI | 1<<atCPU | 1<<atSender,
	atHeader:    1<<atCPU | 1<<atSender | 1<<atHeader,
	atInitiator: 1<<atCPU | engineSet | 1<<atSender | 1<<atHeader | 1<<atInitiator | 1<<atWindow,
	atAOTF:      1<<atCPU | 1<<atSender | 1<<atAOTF,
	atWindow:    1<<atCPU | 1<<atInitiator | 1<<atWindow,
}

// Operations of a node.
const (
	opVisit = iota
	opGranted
)

// chipStates returns the table of states for the kernel. It is the same for all modules, as the
// state registers share one enumeration.
func chipStates() []vtime.State {
	all := make([]vtime.State, States)
	for s := range States {
		all[s] = vtime.State{Name: s.String(), Work: vtime.Kind(workOf[s])}
	}
	return all
}

// plan adds the node to the chip.
func (n *node) plan() {
	c := n.m.chip
	if c == nil {
		return
	}
	name := fmt.Sprintf("node %d", n.id)
	n.self, n.at = c.Kernel.Source(name), vtime.Never
	states := chipStates()
	for i, mod := range order {
		n.due[i] = waits
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

// Act handles the events of a node.
func (n *node) Act(op int, _ uint64) {
	switch op {
	case opVisit:
		n.at = vtime.Never
		for n.look() {
		}
	case opGranted:
		n.begin()
	}
}

// look runs the modules that are due, and the modules after a module that has just acted. It omits
// modules that would find nothing: see ready. It reports whether it is time to look again.
func (n *node) look() (again bool) {
	e := edgesOf(n)
	todo := places(0)
	for m := n.real; m != 0; m &= m - 1 {
		if i := m.first(); n.due[i] == e.now {
			todo |= 1 << i
		}
	}
	n.acting = true
	last, touched := -1, places(0)
	for todo != 0 {
		i := todo.first()
		todo &= todo - 1
		mod := order[i]
		n.due[i] = waits
		on := n.act(mod)
		went := n.advance(mod, on)
		if !went && !n.worked(mod) {
			continue
		}
		n.due[i] = n.next(mod, &e, went)
		last = i
		touched |= touches[i]
		for m := (touches[i] | n.real) &^ todo &^ upTo(i); m != 0; m &= m - 1 {
			if i := m.first(); n.looksNow(i, &e) && n.ready(order[i]) {
				todo |= 1 << i
			}
		}
	}
	n.acting = false
	n.settleUp(&e, last)
	n.judge(touched)
	first := n.first()
	if first != vtime.Never && n.self.Leap(first) {
		return true
	}
	n.book(first)
	return false
}

// looksNow reports whether a module after one that has just acted polls now.
func (n *node) looksNow(i int, e *edges) bool {
	return n.due[i] == e.now || n.due[i] < e.now && n.wake(i, e, 0) == e.now
}

// settleUp ends a visit. A module that waits, and whose turn came before the action, polls at its
// next clock; a module after it has polled, unless its clock has no edge now.
func (n *node) settleUp(e *edges, last int) {
	if last < 0 {
		return
	}
	for i := range atPCIDMAC {
		later := 0
		if i <= last {
			later = 1
		}
		if n.due[i] <= e.now {
			n.due[i] = n.wake(i, e, later)
		}
	}
	end := len(n.due)
	if e.next(atPCIDMAC, 0) == e.now {
		end = max(last+1, atPCIDMAC)
	}
	next, rest := e.next(atPCIDMAC, 1), n.due[atPCIDMAC:end]
	for i, d := range rest {
		if d <= e.now {
			rest[i] = next
		}
	}
}

// judge determines which of some modules will find something when they poll.
func (n *node) judge(some places) {
	for m := some; m != 0; m &= m - 1 {
		i := m.first()
		if n.ready(order[i]) {
			n.real |= 1 << i
		} else {
			n.real &^= 1 << i
		}
	}
}

// stir makes all waiting modules poll again after a change from outside, from now on, or from the
// next clock on if later is 1. The change concerns only the named modules.
func (n *node) stir(later int, concerned places) {
	e := edgesOf(n)
	from := e.now
	if n.self.Past() {
		from++ // a module whose turn was now has polled
	}
	n.keepPolling(&e, from)
	for i, d := range n.due {
		if d < from {
			n.due[i] = n.wake(i, &e, later)
		}
	}
	n.judge(concerned)
	n.book(n.first())
}

// keepPolling updates the poll times of a processor that waits in a handler, which polls at each
// clock, and of SWI, which comes before it and polls at its own clock's next edge each time.
func (n *node) keepPolling(e *edges, from vtime.Time) {
	if n.cpu.awaited == nil {
		return
	}
	if n.due[atCPU] < from {
		n.due[atCPU] = e.next(atCPU, int(from-e.now))
	}
	if n.due[atSWI] < from {
		c := n.m.chip
		if d := c.Switch.Next(c.Core.Edge(c.Core.Index(from)-1) + 1); d >= from {
			n.due[atSWI] = d
		}
	}
}

// edges holds the next edges of a node's clocks at the present or after it.
type edges struct {
	n         *node
	now       vtime.Time
	index     int64         // of the next edge of the core's clock
	core, swi [2]vtime.Time // by later; 0: not known
}

func edgesOf(n *node) edges {
	now := n.self.Now()
	return edges{n: n, now: now, index: n.m.chip.Core.Index(now)}
}

// next returns the next edge of a module's clock, at the present or later or, if later is 1, after
// it.
func (e *edges) next(place, later int) vtime.Time {
	if place == atSWI {
		if e.swi[later] == 0 {
			e.swi[later] = e.n.m.chip.Switch.Next(e.now + vtime.Time(later))
		}
		return e.swi[later]
	}
	if e.core[0] == 0 {
		e.core[0] = e.n.m.chip.Core.Edge(e.index)
	}
	if later == 0 || e.core[0] > e.now {
		return e.core[0]
	}
	if e.core[1] == 0 {
		e.core[1] = e.n.m.chip.Core.Edge(e.index + 1)
	}
	return e.core[1]
}

// after returns the edge of a module's clock some cycles after the next one.
func (e *edges) after(mod Module, cycles int64) vtime.Time {
	if mod == SWI {
		return e.n.m.chip.Switch.After(e.now, cycles)
	}
	return e.n.m.chip.Core.Edge(e.index + cycles)
}

// wake returns when a waiting module polls again after a change: at its next clock.
func (n *node) wake(place int, e *edges, later int) vtime.Time {
	if place == atCPU && n.regs[CPU].state == MAIN {
		if n.cpu.wanted() {
			return n.glance(e.now + vtime.Time(later))
		}
		return waits
	}
	return e.next(place, later)
}

// worked reports whether a module that stays in its state has done something.
func (n *node) worked(mod Module) bool {
	switch mod {
	case PCIDMAC, DIMMDMAC, SRAMDMAC:
		return n.engines[mod-PCIDMAC].burst > 0
	case CPU:
		return n.regs[CPU].state == HANDLER && !n.cpu.waited
	}
	return false
}

// next returns when the work of a module in its present state will be done; went says that it has
// just entered the state.
func (n *node) next(mod Module, e *edges, went bool) vtime.Time {
	state := n.regs[mod].state
	switch {
	case state == MISS, mod == PCIDMAC && n.engines[pci].bus == waitBus, state == HANDLER && !went && n.cpu.pause == 0:
		return waits
	case state == HANDLER && !went:
		return e.after(mod, int64(n.cpu.pause))
	case state == MAIN:
		return e.after(mod, n.m.chip.Poll)
	}
	return e.after(mod, n.cycles(mod, state))
}

// cycles returns the duration of a module's work in a state, in cycles.
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

// words returns the number of double words of a Window in a kick.
func (k *kick) words() int {
	if k.dw == martini.DWKick {
		return martini.DWKick + 1
	}
	return martini.HeaderFlits + 1 + int(min(k.value, MTU)+7)/8
}

// bursts returns the duration of an engine's next burst, in cycles.
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

// glance returns when the main loop next reads the interrupt controller.
func (n *node) glance(from vtime.Time) vtime.Time {
	c := n.m.chip
	ahead := max(c.Core.Index(from)-n.main, 0)
	return c.Core.Edge(n.main + (ahead+c.Poll-1)/c.Poll*c.Poll)
}

// first returns the first time at which a module is due that will find something. If none will, the
// node becomes idle after the last poll.
func (n *node) first() vtime.Time {
	now, first := n.self.Now(), vtime.Never
	for m := n.real; m != 0; m &= m - 1 {
		if d := n.due[m.first()]; d >= now && d < first {
			first = d
		}
	}
	if first == vtime.Never && n.busy && !n.active() {
		if last := slices.Max(n.due[:]); last > now {
			return last
		}
		n.busy = false
	}
	return first
}

// book schedules the next visit of the node, in place of any other.
func (n *node) book(t vtime.Time) {
	if t == n.at {
		return
	}
	n.m.chip.Kernel.Cancel(n.visit)
	n.at, n.visit = t, vtime.Event{}
	if t != vtime.Never {
		n.visit = n.self.At(t, n, opVisit, 0)
	}
}

// poke tells a node of a change from outside that concerns some of its modules.
func (n *node) poke(concerned places) {
	n.busy = true
	if n.m.chip == nil || n.acting { // acting modules wake the others
		return
	}
	n.stir(1, concerned)
}

// pokeFrom is poke by a module of another node, which may come before or after this node in the
// same step.
func (n *node) pokeFrom(o *node) {
	n.busy = true
	if n.m.chip == nil || n == o {
		return
	}
	later := 0
	if n.id < o.id {
		later = 1
	}
	n.stir(later, all)
}
