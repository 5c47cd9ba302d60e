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
	Store      // Word, New: store into this peer's area
	Release    // Word, Old: store 0 into this peer's area if the word still is Old
	Create     // Peer: make this peer's end of a connection with Peer; Created answers
	Ready      // Peer, Address: connect that end with the end of Peer and make it ready to send
	Destroy    // Peer: destroy that end
	Use        // Peer: the connection is ready at both sides
)

// A Command is what the driver is to do.
type Command struct {
	Op       Op
	Peer     int
	Word     int
	Old, New uint64
	Address  uint64
}

// A State is the state of a connection with a peer.
type State uint8

// The states, named after the step that is in progress, or awaited.
const (
	Idle    State = iota
	Waiting       // waiting for a transaction slot
	I1            // locking the peer's common slot, which another peer may hold
	I2            // writing the request
	I3            // making this peer's end
	I4            // awaiting the answer
	I5            // writing the description, or awaiting the acknowledgement
	Yield         // giving a lock back
	R1            // making this peer's end, or writing the answer
	R2            // awaiting the description
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

// follows has the states that may follow each. Gone may follow all, and no state follows it.
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

// A Config describes the peer of a machine.
type Config struct {
	Self  int
	Peers int                            // of the job, this one included
	Slots int                            // transaction slots, 2 to MaxSlots
	Trace func(peer int, from, to State) // called at each change of state; nil in production
}

// A Machine makes the connections of one peer.
type Machine struct {
	self       int
	conns      []conn
	slots      []slot
	common     word    // this peer's common slot, as seen last
	initiating int     // transaction slots of this peer's attempts
	waiting    []int32 // peers that are Waiting, oldest first
	blocked    []int32 // peers in I1 whose common slot another peer had locked
	turn       uint64
	watched    []int
	cmds       []Command
	taken      []Command // what Take returned last, and fills next
	trace      func(peer int, from, to State)
}

// A conn is the connection with one peer.
type conn struct {
	state    State
	has      bool  // this peer has a transaction slot: mine
	mine     place // in this peer's area
	theirs   place // where to write at the peer
	made     bool  // this peer has made its end
	swapping bool  // a Swap has not been answered
	address  uint64
	old, new word   // of the latest Swap
	due      uint64 // turn from which on a lock is tried again
	failed   uint8  // failures to lock in a row
}

// A slot is a transaction slot of this peer.
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

// State returns the state of the connection with a peer.
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

// Take returns what is to be done now, in order. All of it must be done before slots are looked at again;
// answers may be given meanwhile. The list is valid until the next call.
func (m *Machine) Take() []Command {
	m.cmds, m.taken = m.taken[:0], m.cmds
	return m.taken
}

// Watched returns the words of this peer's area that the driver must look at. The list is valid until the
// next call.
func (m *Machine) Watched() []int { return m.watched }

// Retry tries locks again that other peers held. The driver calls it once for each of its turns.
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

// Seen tells the machine the value of a watched word. Values that no peer of this version writes are ignored.
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

// Created answers a Create for a peer: the address of the end, or that there is none.
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

// settle serves the request in the common slot, and begins waiting attempts if there are slots.
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

// swap writes a word of a peer's area, if it still has the expected value.
func (m *Machine) swap(peer, at int, old, new word) {
	c := &m.conns[peer]
	c.swapping, c.old, c.new = true, old, new
	m.emit(Command{Op: Swap, Peer: peer, Word: at, Old: uint64(old), New: uint64(new)})
}

// store writes a word of this peer's area.
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

// initiates reports whether the slot of a connection in this state belongs to an attempt of this peer.
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

// answered has the connection with a peer go on with what its own transaction slot holds.
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
