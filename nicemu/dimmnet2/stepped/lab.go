package stepped

import (
	"fmt"

	"rhinet/nicemu/dimmnet2"
)

// A Lab sends single BOTFs between two boards, and counts clocks.
type Lab struct {
	m    *Machine
	nics []*dimmnet2.NIC
}

// NewLab returns a new Lab.
func NewLab() (*Lab, error) {
	m, nics, err := job(2 * dimmnet2.Processes)
	return &Lab{m, nics}, err
}

// A Busy is the number of clocks for which each module of the two boards was busy.
type Busy [2][numModules]int

// Run has process 0, on the first board, make stores and then issue a command that concerns the
// process with the same number on the other board. No refresh of SO-DIMM comes in between.
func (l *Lab) Run(stores []Access, c *dimmnet2.Command) (busy Busy, err error) {
	for _, s := range stores {
		if err := l.nics[0].Store(s.At, s.Bytes); err != nil {
			return busy, err
		}
	}
	var since [2][numModules]int
	l.m.clock = 0
	l.m.Trace = func(e Event) {
		switch {
		case e.From == Idle:
			since[e.Node][e.Module] = e.Clock - 1
		case e.To == Idle:
			busy[e.Node][e.Module] += e.Clock - since[e.Node][e.Module]
		}
	}
	p := l.m.Issue(0, c.Bytes())
	l.m.Run()
	l.nics[dimmnet2.Processes].Poll() // removes its status, if there is one
	if refused, done := p.Done(); refused != nil || !done {
		return busy, fmt.Errorf("stepped: %v: %v", c.Op, refused)
	}
	return busy, nil
}

// An Access is a store of the host.
type Access struct {
	At    dimmnet2.Address
	Bytes []byte
}

// BOTF returns the number of clocks for which the Window Controller is busy with a BOTF of the
// given number of bytes of data, and the number from its arrival until the status is in the LLCM.
// No refresh of SO-DIMM comes in between.
func (l *Lab) BOTF(memory dimmnet2.Memory, bytes int) (send, receive int, err error) {
	const to = dimmnet2.Processes
	m := l.m
	m.clock = 0
	m.Trace = func(e Event) {
		switch {
		case e.Module == WindowController && e.To == Idle:
			send = e.Clock
		case e.Module == StatusWriteUnit && e.To == Idle:
			receive = e.Clock - send
		}
	}
	p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: memory, Node: to / dimmnet2.Processes, Data: make([]byte, bytes)}
	if err := m.BOTF(l.nics[0], 0, &p); err != nil {
		return 0, 0, err
	}
	m.Run()
	l.nics[to].Poll()
	return send, receive, nil
}
