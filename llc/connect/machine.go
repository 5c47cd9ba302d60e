package connect

import (
	"fmt"

	"rhinet/internal/invariants"
)

// An Op says what a command asks for.
type Op uint8

// The operations, with the fields of [Command] that they use and the method that answers.
const (
	opNone  Op = iota
	Swap       // Peer, Word, Old, New: compare-and-swap a word of Peer's bootstrap area; Swapped answers
	Store      // Word, New: store into the own area
	Release    // Word, Old: store 0 into the own area if the word still is Old
	Create     // Peer: make the own end of a connection with Peer; Created answers
	Ready      // Peer, Address: connect the own end with that of Peer and make it ready to send
	Destroy    // Peer: give the own end up
	Use        // Peer: the connection is there, at both sides
)

// A Command is what the driver is to do.
type Command struct {
	Op       Op
	Peer     int
	Word     int
	Old, New uint64
	Address  uint64
}

// A State is how far a connection with a peer is.
type State uint8

// The states: named after the step that is under way, or awaited.
const (
	Idle    State = iota
	Waiting       // for a transaction slot
	I1            // the lock of the peer's common slot, under way or held by another
	I2            // the request, under way
	I3            // the own end is being made
	I4            // the answer is awaited
	I5            // the description, under way, or the acknowledgement is awaited
	Yield         // a lock is being given back
	R1            // the own end is being made, or the answer under way
	R2            // the description is awaited
	Connected
	Refused
	Gone
	numStates
)

var stateNames = [numStates]string{"Idle", "Waiting", "I1", "I2", "I3", "I4", "I5", "Yield", "R1", "R2", "Connected", "Refused", "Gone"}

func (s State) String() string {
	if s < numStates {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// follows says which states may follow each. Gone may follow all, and nothing follows it.
var follows = [numStates]uint{
	Idle:    1<<Waiting | 1<<I1 | 1<<R1,
	Waiting: 1<<I1 | 1<<R1,
	I1:      1<<I2 | 1<<Yield | 1<<Idle,
	I2:      1<<I3 | 1<<I1,
	I3:      1 << I4,
	I4:      1<<I5 | 1<<Refused | 1<<Idle,
	I5:      1<<Connected | 1<<Refused,
	Yield:   1 << Idle,
	R1:      1<<R2 | 1<<Refused | 1<<Idle,
	R2:      1<<Connected | 1<<Refused,
}

// A Config says whose machine it is.
type Config struct {
	Self  int
	Peers int                            // of the job, this one included
	Slots int                            // transaction slots, 2 to MaxSlots
	Trace func(peer int, from, to State) // called at each change of state; nil in production
}

// A Machine is the connections of one peer.
type Machine struct {
	self       int
	conns      []conn
	slots      []slot
	common     word    // own common slot, as seen last
	initiating int     // transaction slots of own attempts
	waiting    []int32 // peers that are Waiting, the first first
	blocked    []int32 // peers in I1 whose common slot another had locked
	turn       uint64
	watched    []int
	cmds       []Command
	taken      []Command // what Take gave last, and will fill next
	trace      func(peer int, from, to State)
}

// A conn is the connection with one peer.
type conn struct {
	state    State
	has      bool  // own transaction slot: mine
	mine     place // in the own area
	theirs   place // where to write to the peer
	made     bool  // there is an own end
	swapping bool  // a Swap has not been answered
	address  uint64
	old, new word   // of the latest Swap
	due      uint64 // turn from which on a lock is tried again
	failed   uint8  // locks that were tried in vain
}

// A slot is an own transaction slot.
type slot struct {
	use   uint8
	taken bool
	peer  int32
	value word // as seen last
}

// New returns a machine without connections. It panics if cfg contradicts itself.
func New(cfg Config) *Machine {
	if cfg.Self < 0 || cfg.Self >= cfg.Peers || cfg.Slots < 2 || cfg.Slots > MaxSlots {
		panic("connect: contradictory configuration")
	}
	m := &Machine{self: cfg.Self, conns: make([]conn, cfg.Peers), slots: make([]slot, cfg.Slots), trace: cfg.Trace}
	m.watch()
	return m
}

// State returns how far the connection with a peer is.
func (m *Machine) State(peer int) State { return m.conns[peer].state }

// Connect asks for a connection with another peer. Asking again changes nothing.
func (m *Machine) Connect(peer int) {
	if peer == m.self || m.conns[peer].state != Idle {
		return
	}
	m.become(peer, Waiting)
	m.waiting = append(m.waiting, int32(peer))
	m.settle()
}

// Take returns what is to be done now, in order. All of it must be done before slots are looked at
// again; answers may be given meanwhile. The list is valid until the next call.
func (m *Machine) Take() []Command {
	m.cmds, m.taken = m.taken[:0], m.cmds
	return m.taken
}

// Watched returns the words of the own area that the driver is to look at. The list is valid until
// the next call.
func (m *Machine) Watched() []int { return m.watched }

// Retry has locks tried again that others held. The driver calls it once for each of its turns.
func (m *Machine) Retry() {
	if len(m.blocked) == 0 {
		return
	}
	m.turn++
	list := m.blocked
	m.blocked = nil
	for _, p := range list {
		c := &m.conns[p]
		switch {
		case c.state != I1 || c.swapping:
		case c.due > m.turn:
			m.blocked = append(m.blocked, p)
		default:
			m.lock(int(p))
		}
	}
}

// Seen tells what a watched word holds. What no peer of this version writes is passed over.
func (m *Machine) Seen(at int, value uint64) {
	w := word(value)
	if at == Common {
		if w == m.common {
			return
		}
		m.common = w
		m.settle()
		return
	}
	i := at - Common - 1
	if i < 0 || i >= len(m.slots) || !m.slots[i].taken || m.slots[i].value == w {
		return
	}
	s := &m.slots[i]
	s.value = w
	m.answered(int(s.peer))
	m.settle()
}

// Swapped answers a Swap for a peer: old is what the word held, failed says that the NIC refused.
func (m *Machine) Swapped(peer int, old uint64, failed bool) {
	c := &m.conns[peer]
	if !c.swapping {
		return
	}
	c.swapping = false
	if failed {
		m.Lose(peer)
		return
	}
	if step := swapped[c.state]; step != nil {
		step(m, peer, c, word(old) == c.old)
	}
	m.settle()
}

// Created answers a Create for a peer: the address of the own end, or that there is none.
func (m *Machine) Created(peer int, address uint64, failed bool) {
	c := &m.conns[peer]
	if c.state != I3 && c.state != R1 || c.swapping {
		if !failed { // the peer died meanwhile
			m.emit(Command{Op: Destroy, Peer: peer})
		}
		return
	}
	c.made, c.address = !failed, address
	if c.state == I3 {
		m.become(peer, I4)
		m.answered(peer)
	} else {
		m.answer(peer)
	}
	m.settle()
}

// Lose ends all that concerns a peer, which is dead or cannot be reached.
func (m *Machine) Lose(peer int) {
	c := &m.conns[peer]
	if peer == m.self || c.state == Gone {
		return
	}
	m.drop(peer)
	m.become(peer, Gone)
	m.settle()
}

// drop gives back all that a connection has taken.
func (m *Machine) drop(peer int) {
	c := &m.conns[peer]
	m.release(peer)
	if c.made {
		c.made = false
		m.emit(Command{Op: Destroy, Peer: peer})
	}
}

// settle serves the request in the common slot, and lets attempts begin that wait, if there are
// slots.
func (m *Machine) settle() {
	m.serve()
	for len(m.waiting) > 0 {
		p := int(m.waiting[0])
		if m.conns[p].state == Waiting && !m.begin(p) {
			return
		}
		m.waiting = m.waiting[1:]
	}
}

func (m *Machine) emit(c Command) { m.cmds = append(m.cmds, c) }

func (m *Machine) become(peer int, to State) {
	c := &m.conns[peer]
	if invariants.Enabled {
		invariants.Check(to == Gone || follows[c.state]&(1<<to) != 0, "connect: "+c.state.String()+" does not lead to "+to.String())
	}
	if m.trace != nil {
		m.trace(peer, c.state, to)
	}
	c.state = to
}

// swap writes a word of a peer's area, if it still is what is expected there.
func (m *Machine) swap(peer, at int, old, new word) {
	c := &m.conns[peer]
	c.swapping, c.old, c.new = true, old, new
	m.emit(Command{Op: Swap, Peer: peer, Word: at, Old: uint64(old), New: uint64(new)})
}

// store writes a word of the own area.
func (m *Machine) store(at int, w word) { m.emit(Command{Op: Store, Word: at, New: uint64(w)}) }

// take takes a transaction slot for a peer, if one is free.
func (m *Machine) take(peer int) bool {
	for i := range m.slots {
		s := &m.slots[i]
		if s.taken {
			continue
		}
		s.taken, s.peer = true, int32(peer)
		s.use++
		c := &m.conns[peer]
		c.has, c.mine = true, place{uint8(i), s.use}
		s.value = openFor(c.mine, peer)
		m.store(c.mine.word(), s.value)
		m.watch()
		return true
	}
	return false
}

// release gives the transaction slot of a peer back, if it has one.
func (m *Machine) release(peer int) {
	c := &m.conns[peer]
	if !c.has {
		return
	}
	if c.state.initiates() {
		m.initiating--
	}
	c.has = false
	m.slots[c.mine.slot].taken = false
	m.store(c.mine.word(), 0)
	m.watch()
}

// initiates reports whether the slot of a connection in this state is one of an own attempt.
func (s State) initiates() bool { return s >= I1 && s <= Yield }

// watch lists the words to look at.
func (m *Machine) watch() {
	m.watched = append(m.watched[:0], Common)
	for i := range m.slots {
		if m.slots[i].taken {
			m.watched = append(m.watched, place{slot: uint8(i)}.word())
		}
	}
}

// answered lets the connection with a peer go on with what its own transaction slot holds.
func (m *Machine) answered(peer int) {
	c := &m.conns[peer]
	if !c.has {
		return
	}
	w := m.slots[c.mine.slot].value
	if step := answers[c.state][w.kind()%numKinds]; step != nil && w.kind() < numKinds {
		step(m, peer, c, w)
	}
}
