package vtime

// A Kind is a kind of work: what a module does in a state, to which a [Timing]
// gives a duration. Kinds are an enumeration of the model.
type Kind uint8

// A State is one state of a module's machine: its name in the specification,
// and the kind of work done in it.
type State struct {
	Name string
	Work Kind
}

// A Module is a state machine in a model: a source of events that has a state at any time and
// records how long it was in each.
type Module struct {
	Source
	clock   Clock
	timing  Timing
	states  []State
	state   int
	since   Time
	spent   []Time
	entered []uint64
}

// NewModule returns a module in the first of its states. The table of states is not copied: all
// modules of one design share it. The clock is that of the module's domain; the timing gives the
// cost of each kind of work.
func NewModule(k *Kernel, name string, states []State, clock Clock, timing Timing) *Module {
	return &Module{Source: k.Source(name), clock: clock, timing: timing, states: states, since: k.now,
		spent: make([]Time, len(states)), entered: make([]uint64, len(states))}
}

// State returns the present state.
func (m *Module) State() int { return m.state }

// States returns the table that the module was made with.
func (m *Module) States() []State { return m.states }

// Clock returns the clock of the module's domain.
func (m *Module) Clock() Clock { return m.clock }

// Enter makes s the present state.
func (m *Module) Enter(s int) {
	now := m.k.now
	m.spent[m.state] += now - m.since
	m.since = now
	m.entered[s]++
	if t := m.k.trace; t != nil {
		t.State(now, m, m.state, s)
	}
	m.state = s
}

// Work enters s and has actor.Act(op, arg) called when its work on the given
// number of units is done, at an edge of the module's clock.
func (m *Module) Work(s, units int, actor Actor, op int, arg uint64) Event {
	m.Enter(s)
	return m.At(m.clock.After(m.k.now, m.timing.Cycles(m.states[s].Work, units)), actor, op, arg)
}

// Spent returns for how long the module was in state s until now.
func (m *Module) Spent(s int) Time {
	t := m.spent[s]
	if s == m.state {
		t += m.k.now - m.since
	}
	return t
}

// Entered returns how many times the module has entered state s.
func (m *Module) Entered(s int) uint64 { return m.entered[s] }

// A Timing gives the number of cycles of its module's clock that a kind of work on a number of
// units (flits, words, entries) takes. The same machine runs under any timing.
type Timing interface {
	Cycles(kind Kind, units int) int64
}

// EveryStep is the timing in which every state takes one cycle.
type EveryStep struct{}

// Cycles returns 1.
func (EveryStep) Cycles(Kind, int) int64 { return 1 }

// A Cost is the duration of a kind of work, in cycles.
type Cost struct{ Fixed, PerUnit int64 }

// Costs is a timing by table: the cost of each kind, by its number. A kind that is not in the table
// takes no time.
type Costs []Cost

// Cycles returns the fixed cost plus that of the units.
func (c Costs) Cycles(kind Kind, units int) int64 {
	if int(kind) >= len(c) {
		return 0
	}
	return c[kind].Fixed + c[kind].PerUnit*int64(units)
}
