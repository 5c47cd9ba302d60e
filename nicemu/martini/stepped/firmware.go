package stepped

import (
	"fmt"
	"iter"
	"slices"

	"rhinet/nicemu/martini"
)

// Clocks of the control bus (martini, section 10.5).
const (
	busWrite = 2
	busRead  = 3
)

// A Handler is the firmware's reaction to a suspended module. It runs on the on-chip processor:
// each Tick is one step, in which all other modules go on. A handler that cannot resume the module
// yet returns false, and is called again in a later round of the main loop.
type Handler func(f *Firmware) (done bool)

// Firmware is the on-chip processor of a node (martini, sections 7.4, 8.7): its
// main loop polls the interrupt lines of the modules that can be taken over.
type Firmware struct {
	n        *node
	next     func() (struct{}, bool)
	end      func()
	yield    func(struct{}) bool
	resting  bool
	handlers map[exception]Handler
	software bool
	pause    int         // clocks until it goes on; 0: after the next change
	awaited  func() bool // the condition it waits for; nil: none
	waited   bool        // at its last action the condition was false, and it did nothing
	outbox   fifo[*packet]
	asked    uint64 // DMA requests of the processor
	// Its most common conditions, made once so that waiting does not allocate.
	hasRoom, hasAnswers func() bool
}

// An exception is identified by the module and its state before MISS.
type exception struct {
	module Module
	before State
}

// halted unwinds a handler when the machine is closed.
type halted struct{}

func (f *Firmware) start(n *node) {
	f.n = n
	f.handlers = defaultHandlers()
	f.next, f.end = iter.Pull(f.main)
	f.hasRoom = func() bool { return !n.full(fromCPU) }
	f.hasAnswers = func() bool { return n.served == f.asked }
}

func (f *Firmware) stop() { f.end() }

// main is the main loop.
func (f *Firmware) main(yield func(struct{}) bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(halted); !ok {
				panic(e)
			}
		}
	}()
	f.yield = yield
	for {
		f.resting = false
		f.serve()
		f.resting = true
		f.Tick(1)
	}
}

// Tick lets steps pass: in virtual time, clocks of the core.
func (f *Firmware) Tick(steps int) {
	if f.n.m.chip != nil && steps > 0 {
		f.pause = steps
		steps = 1
	}
	for range steps {
		f.give()
	}
}

// give runs the other modules.
func (f *Firmware) give() {
	if !f.yield(struct{}{}) {
		panic(halted{})
	}
}

// until waits for a condition by polling.
func (f *Firmware) until(ok func() bool) {
	f.await(ok)
	f.Spend(Polling)
}

// await runs the other modules until a condition holds.
func (f *Firmware) await(ok func() bool) {
	if ok() {
		return
	}
	f.pause, f.awaited = 0, ok
	f.give() // actCPU returns here when it holds
	f.awaited = nil
}

// stalls reports whether a handler waits for a condition that does not hold.
func (f *Firmware) stalls() bool { return f.awaited != nil && !f.awaited() }

// Spend waits for the time of a job's instructions. In steps, which show only the control bus and
// the DMA controller, it does nothing.
func (f *Firmware) Spend(j Job) {
	if c := f.n.m.chip; c != nil {
		f.Tick(c.Firmware[j])
	}
}

// wanted reports whether the main loop has something to do.
func (f *Firmware) wanted() bool {
	r := &f.n.regs
	return r[RFend].line || r[RBend].line || r[Replier].line || r[Initiator].line ||
		f.outbox.len() > 0 && f.n.direct.len() < headerDepth
}

func (n *node) actCPU() Cond {
	f := &n.cpu
	switch n.regs[CPU].state {
	case MAIN:
		if f.wanted() {
			return Raised
		}
	case HANDLER:
		if f.waited = f.stalls(); f.waited {
			return Stay
		}
		if f.next(); f.resting {
			return Handled
		}
	}
	return Stay
}

// serve is one round of the main loop.
func (f *Firmware) serve() {
	for _, mod := range [...]Module{RFend, RBend, Replier, Initiator} {
		r := &f.n.regs[mod]
		if !r.line {
			continue
		}
		r.line = false
		f.Tick(busRead)
		if f.n.m.o.Trouble != nil {
			f.n.m.o.Trouble(f.n.id, mod, r.before)
		}
		h := f.handlers[exception{mod, r.before}]
		if h == nil { // a break point that was set elsewhere
			continue
		}
		if !h(f) {
			r.line = true
		}
	}
	if f.outbox.len() > 0 && f.n.direct.len() < headerDepth {
		f.n.direct.put(f.outbox.take())
	}
}

// Resume writes the state register of a suspended module.
func (f *Firmware) Resume(mod Module, s State) {
	f.Tick(busWrite)
	if err := f.n.resume(mod, s); err != nil {
		panic(err) // a handler resumes a module that it does not hold
	}
}

// Break sets the break point of a module (martini, section 10.4): when the module reaches s, it
// goes to MISS instead. Each module has one break point, which stays until it is cleared.
func (f *Firmware) Break(mod Module, s State) {
	f.Tick(busWrite)
	f.n.regs[mod].stop, f.n.regs[mod].brk = s, true
}

// Clear clears the break point of a module.
func (f *Firmware) Clear(mod Module) {
	f.Tick(busWrite)
	f.n.regs[mod].brk = false
}

func (n *node) resume(mod Module, s State) error {
	r := &n.regs[mod]
	if !mod.TakenOver() || r.state != MISS {
		return fmt.Errorf("stepped: %v of node %d is in %v and not suspended", mod, n.id, r.state)
	}
	if s == MISS || !has(mod, s) {
		return fmt.Errorf("stepped: %v has no state %v to go on from", mod, s)
	}
	n.enter(mod, s)
	r.waited, r.line = 0, false
	if s == IDLE && mod == RFend {
		n.rf.noLookup = false
	}
	if n.m.chip != nil {
		n.due[slices.Index(order[:], mod)] = waits
	}
	n.poke(all)
	if n.m.o.Observe != nil {
		n.m.o.Observe(Event{n.m.Clock(), n.id, mod, MISS, s, Always, Programmed, 0})
	}
	return nil
}

func has(mod Module, s State) bool {
	for _, e := range Tables(mod) {
		if e.From == s {
			return true
		}
	}
	return false
}

// The host can access every register too (martini, section 7.4).

// Handle replaces the firmware's handler of an exception, which is identified by the module and its
// state before MISS; nil leaves the module suspended.
func (m *Machine) Handle(node int, mod Module, before State, h Handler) {
	m.nodes[node].cpu.handlers[exception{mod, before}] = h
}

// Software makes firmware finish a PUSH by itself after a PATLB miss of the Initiator, rather than
// resume the hardware: for comparison (martini, section 13, E7).
func (m *Machine) Software(node int, on bool) { m.nodes[node].cpu.software = on }

// Break sets the break point of a module, ClearBreak clears it.
func (m *Machine) Break(node int, mod Module, s State) error {
	if !mod.TakenOver() || !has(mod, s) {
		return fmt.Errorf("stepped: no break point at %v of %v", s, mod)
	}
	r := &m.nodes[node].regs[mod]
	r.stop, r.brk = s, true
	return nil
}

// ClearBreak clears the break point of a module.
func (m *Machine) ClearBreak(node int, mod Module) { m.nodes[node].regs[mod].brk = false }

// Resume writes the state register of a suspended module. Before returns its state immediately
// before MISS.
func (m *Machine) Resume(node int, mod Module, s State) error { return m.nodes[node].resume(mod, s) }

// Before returns the state of a module immediately before MISS.
func (m *Machine) Before(node int, mod Module) State { return m.nodes[node].regs[mod].before }

// dma has the DMA controller carry out a request of the processor, and waits.
func (f *Firmware) dma(t transfer) {
	f.await(f.hasRoom)
	f.n.ask(fromCPU, t)
	f.asked++
	f.until(f.hasAnswers)
}

// readTable reads one entry of a table in SDRAM to SRAM (martini, section 8.2).
func (f *Firmware) readTable() {
	f.dma(transfer{master: dimm, slave: sram, kind: readTable, size: 64})
}

// storeWord writes a word to host memory; what describes it.
func (f *Firmware) storeWord(frame martini.Frame, word uint64, what Write) {
	f.dma(transfer{master: pci, slave: sram, kind: storeWord, frame: frame, size: 8, word: word, what: what})
}
