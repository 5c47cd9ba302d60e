package timed

import (
	"iter"

	"rhinet/nicemu/vtime"
)

// A Process is a program on a host, which does one operation after the other in virtual time. Its
// methods return when that time has passed; a program must not call anything else of this package
// that takes time.
type Process struct {
	n      *Node
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	asleep bool // until a time, rather than until a stage of a transfer
	ended  bool
	err    error
}

// halted unwinds a program when its system is closed.
type halted struct{}

// Go starts a program on a node's host, now.
func (sys *System) Go(node int, program func(p *Process) error) *Process {
	n := sys.nodes[node]
	p := &Process{n: n}
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if e := recover(); e != nil {
				if _, ok := e.(halted); !ok {
					panic(e)
				}
			}
		}()
		p.yield = yield
		p.err = program(p)
	})
	n.programs = append(n.programs, p)
	n.At(n.Now(), p, 0, 0)
	return p
}

// Act resumes the program.
func (p *Process) Act(int, uint64) {
	p.asleep = false
	if _, more := p.next(); !more {
		p.ended = true
	}
}

// Ended reports whether the program has returned, and its error.
func (p *Process) Ended() (bool, error) { return p.ended, p.err }

// rest hands control to the kernel.
func (p *Process) rest() {
	if !p.yield(struct{}{}) {
		panic(halted{})
	}
}

// Now returns the present.
func (p *Process) Now() vtime.Time { return p.n.Now() }

// Node returns the node that the program runs on.
func (p *Process) Node() *Node { return p.n }

// Sleep lets the time d pass, in which the processor works.
func (p *Process) Sleep(d vtime.Time) {
	if d <= 0 {
		return
	}
	p.asleep = true
	p.n.After(d, p, 0, 0)
	for p.asleep {
		p.rest()
	}
}

// Pass returns the time for reading so many polled words, none of which has changed. They are at
// equal offsets of different pages, so a cache keeps no more of them than it has ways
// (pm-messaging, section 1.6).
func (p *Process) Pass(words int) vtime.Time { return p.n.sys.PassTime(words) }

// Detect reads a polled word that has changed.
func (p *Process) Detect() { p.Sleep(p.n.sys.s.detect) }

// CallTime returns the duration of Call.
func (p *Process) CallTime() vtime.Time { return p.n.sys.s.call }

// Call executes the instructions of a call of a library.
func (p *Process) Call() { p.Sleep(p.n.sys.s.call) }

// Message executes the instructions of MPI for a message.
func (p *Process) Message() { p.Sleep(p.n.sys.s.mpi) }

// Zero writes zeros over bytes in memory: half the work of a copy.
func (p *Process) Zero(bytes int) { p.Sleep(vtime.Time(float64(bytes) * p.n.sys.s.copyMemory / 2)) }

// Syscall calls the system.
func (p *Process) Syscall() { p.Sleep(p.n.sys.s.syscall) }

// Interrupt is the time from an interrupt until the sleeping process runs.
func (p *Process) Interrupt() { p.Sleep(p.n.sys.s.interrupt) }

// Copy copies bytes that are in the cache or, if cached is false, in memory.
func (p *Process) Copy(bytes int, cached bool) {
	per := p.n.sys.s.copyMemory
	if cached {
		per = p.n.sys.s.copy
	}
	p.Sleep(vtime.Time(float64(bytes) * per))
}

// Post stores a request; it returns when the processor is free.
func (p *Process) Post(t *Transfer) error {
	if err := p.n.Post(t); err != nil {
		return err
	}
	p.Await(t, Stored)
	return nil
}

// Await waits until a transfer, of any node, has passed a stage.
func (p *Process) Await(t *Transfer, s Stage) {
	p.Until(func() bool { return t.passed[s] })
}

// Until waits until ok returns true; ok is called whenever a transfer that a host can see has
// passed a stage.
func (p *Process) Until(ok func() bool) {
	for !ok() {
		p.n.pollers.Push(p)
		p.rest()
	}
}

// look resumes the programs that poll.
func (n *Node) look() {
	for n.pollers.Len() > 0 {
		n.At(n.Now(), n.pollers.Pop(), 0, 0)
	}
}
