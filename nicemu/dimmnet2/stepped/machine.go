package stepped

import (
	"errors"

	"rhinet/nicemu/dimmnet2"
)

// Refresh of SO-DIMM: every 7.8 us for 8 clocks (section 8.2, suggested).
const (
	refreshEvery = 780
	refreshFor   = 8
)

// A Machine is the boards of a job and the connections between them.
type Machine struct {
	// Trace, if not nil, is called for every transition.
	Trace func(Event)

	processes []*dimmnet2.Hardware
	boards    []*board
	clock     int
}

// An Event is a transition of a module in a clock, after which the module is in state To.
type Event struct {
	Clock    int
	Node     int
	Module   Module
	From, To State
	Why      string
}

// A board is the NIC of two processes.
type board struct {
	machine  *Machine
	number   int
	sender   sender
	prefetch transfer
	write    transfer
	receiver receiver
	status   statusUnit
	rights   map[int]Module // of Prefetch Windows, by rank and window: the module that has it
}

// New returns the machine of a job: the NICs of all its processes, in order.
func New(processes []*dimmnet2.Hardware) (*Machine, error) {
	if len(processes) == 0 || len(processes) != processes[0].Ranks() {
		return nil, errors.New("stepped: a machine has the NICs of all processes of a job")
	}
	m := &Machine{processes: processes}
	for i := range (len(processes) + dimmnet2.Processes - 1) / dimmnet2.Processes {
		b := &board{machine: m, number: i, rights: map[int]Module{}}
		b.sender.open(b, WindowController)
		b.prefetch.open(b, PrefetchUnit)
		b.write.open(b, WriteUnit)
		b.receiver.open(b, ReceiveController)
		b.status.open(b, StatusWriteUnit)
		m.boards = append(m.boards, b)
	}
	return m, nil
}

// A Pending is an issued command.
type Pending struct{ request *request }

// Done reports whether the command is complete, that is, all its packets have been received or
// refused. If so, refused says why it was refused, or is nil.
func (p Pending) Done() (refused error, done bool) {
	if r := p.request; r.counted && r.why != 0 {
		return r.why, true
	}
	return nil, p.request.counted
}

// Issue stores a command into the request-issue register of a process.
func (m *Machine) Issue(rank int, command []byte) Pending {
	hw := m.processes[rank]
	r := &request{hw: hw, text: command}
	if hw.Closed() {
		r.why = dimmnet2.Closed
	} else if len(command) != dimmnet2.BOTFBytes && len(command) != dimmnet2.CommandBytes {
		r.why = dimmnet2.WrongWidth
	}
	if r.why != 0 {
		r.left = true
		r.settle()
		return Pending{r}
	}
	s := &m.boards[hw.Node()].sender
	s.requests = append(s.requests, r)
	return Pending{r}
}

// Run steps until there is nothing to do, and returns the number of clocks.
func (m *Machine) Run() (steps int) {
	for m.busy() {
		m.Step()
		steps++
	}
	return steps
}

// Clock returns the number of clocks so far.
func (m *Machine) Clock() int { return m.clock }

// Step steps one clock.
func (m *Machine) Step() {
	m.clock++
	for _, b := range m.boards {
		b.status.step()
		b.receiver.step()
	}
	for _, b := range m.boards {
		b.prefetch.step()
		b.write.step()
		b.sender.step()
	}
}

func (m *Machine) busy() bool {
	for _, b := range m.boards {
		s := &b.sender
		if s.state != Idle || len(s.requests) > 0 || b.receiver.state != Idle || len(b.receiver.come) > 0 || b.status.state != Idle ||
			b.prefetch.state != Idle || b.write.state != Idle {
			return true
		}
	}
	return false
}

// refreshing reports whether SO-DIMMs are being refreshed.
func (m *Machine) refreshing() bool { return m.clock%refreshEvery >= refreshEvery-refreshFor }

// A unit is the common part of all modules: the state, and the number of clocks left in it.
type unit struct {
	board  *board
	module Module
	state  State
	left   int
}

func (u *unit) open(b *board, m Module) { u.board, u.module = b, m }

// tick counts a clock of the state, and reports whether it was the last.
func (u *unit) tick() bool {
	if u.state == Activate && u.left == clocks[Activate] && u.board.machine.refreshing() {
		return false
	}
	u.left--
	return u.left <= 0
}

// become enters a state with n bytes of data.
func (u *unit) become(s State, n int) {
	text := why(u.module, u.state, s)
	if m := u.board.machine; m.Trace != nil {
		m.Trace(Event{m.clock, u.board.number, u.module, u.state, s, text})
	}
	u.state, u.left = s, Clocks(s, n)
}
