package stepped

import (
	"errors"
	"fmt"
	"sync"

	"rhinet/nicemu/martini"
)

// A Geometry is the shape of PATLB and RVATLB (martini, section 5.1; our choice for RVATLB: the
// same).
type Geometry struct{ Sets, Ways int }

// The two shapes that were built.
var (
	Host32 = Geometry{1024, 2} // 32-bit host: 2048 entries, 2-way
	Host64 = Geometry{1024, 1} // 64-bit host: 1024 entries, direct-mapped
)

// Options of a machine. The zero value is the specification's.
type Options struct {
	TLB     Geometry                                  // zero: Host32
	Direct  bool                                      // packets sent by AOTF take RFend's states AOTF and AOTFR
	Timeout int                                       // steps that a module waits before it raises an exception; 0: never
	Chip    *Chip                                     // virtual time; nil: every state takes one step, and there are no times
	Observe func(Event)                               // called in each step for each module that has something to do
	Refused func(node int, r Refused)                 // called for each refusal that an issuer learns of
	Trouble func(node int, module Module, from State) // called for each exception that firmware handles
}

// An Event is what one module did in one step.
type Event struct {
	Step   uint64
	Node   int
	Module Module
	From   State
	To     State // From, if the module waits or continues in the same state
	On     Cond
	Work   Work
	Bytes  int // transferred in this step
}

// Refused is a request that was not carried out, as its issuer learns of it.
type Refused struct {
	Window int    // martini.Windows: none, the request was sent by AOTF
	Serial uint64 // the contflag's value of the request, 0 for AOTF
	Reason martini.Reason
	Local  bool   // found at the issuer
	Left   uint64 // bytes of the request that did not arrive
}

// A register is the state register of a module, with the additions for taking-over (martini,
// sections 10.2 to 10.5).
type register struct {
	state  State
	before State // the state held immediately before MISS
	stop   State // break point
	brk    bool  // a break point is set
	line   bool  // interrupt line
	waited int   // number of steps that the module has waited in this state
}

// A Machine is a number of nodes, connected by a link that keeps order, which advance together: one
// state per step. It belongs to one goroutine, unless the fast path falls back to it (see
// [Machine.Attach]).
type Machine struct {
	mu    sync.Mutex // guards entry points that the fast path calls
	clock uint64
	nodes []*node
	next  *transitions
	o     Options
	chip  *Chip // nil: steps
	pool  []*packet
}

// A node is one Martini.
type node struct {
	m    *Machine
	id   int
	nic  *martini.Hardware
	regs [Modules]register
	busy bool // may have something to do

	agenda
	windowUnit
	initiatorUnit
	replierUnit
	senderUnit
	aotfUnit
	rfendUnit
	rbendUnit
	dmac
	patlb  tlb[martini.Frame]
	rvatlb tlb[segment]
	ports  uint64 // the last step in which PATLB was used
	ring   *Ring
	cpu    Firmware
}

// New returns the machine of the NICs of a job, all of which are in this process and in order of
// their ranks; their manager gives access to their insides. The fast path can still use the NICs
// between steps.
func New(manager *martini.Manager, nics []*martini.NIC, o Options) (*Machine, error) {
	if len(nics) == 0 || nics[0].Ranks() != len(nics) {
		return nil, errors.New("stepped: a machine takes the NICs of all ranks of a job")
	}
	if o.TLB == (Geometry{}) {
		o.TLB = Host32
	}
	if o.TLB.Sets <= 0 || o.TLB.Sets&(o.TLB.Sets-1) != 0 || o.TLB.Ways < 1 || o.TLB.Ways > maxWays {
		return nil, fmt.Errorf("stepped: a TLB of %d sets and %d ways; sets are a power of two, ways at most %d", o.TLB.Sets, o.TLB.Ways, maxWays)
	}
	if o.Chip != nil && o.Timeout != 0 {
		return nil, errors.New("stepped: timeouts are counted in steps, and a machine in virtual time has none")
	}
	m := &Machine{next: compile(), o: o, chip: o.Chip}
	for i, nic := range nics {
		if nic == nil || nic.Rank() != i {
			return nil, fmt.Errorf("stepped: NIC %d is not that of rank %d", i, i)
		}
		inside, err := manager.Hardware(nic)
		if err != nil {
			return nil, err
		}
		n := &node{m: m, id: i, nic: inside}
		for mod := range Modules {
			n.regs[mod].state = mod.rest()
		}
		n.patlb, n.rvatlb = newTLB[martini.Frame](o.TLB), newTLB[segment](o.TLB)
		n.rfendUnit.broken = make([][2][martini.Windows]uint64, len(nics))
		n.cpu.start(n)
		n.plan()
		m.nodes = append(m.nodes, n)
	}
	for _, n := range m.nodes {
		n.nic.Watch(n.withdraw)
	}
	return m, nil
}

// Close detaches the machine from the NICs.
func (m *Machine) Close() {
	for _, n := range m.nodes {
		n.nic.FallBack(nil)
		n.nic.Watch(nil)
		n.cpu.stop()
	}
}

// Clock returns the number of steps so far; in virtual time, the number of clocks of the core.
func (m *Machine) Clock() uint64 {
	if m.chip != nil {
		return m.chip.clocks()
	}
	return m.clock
}

// State returns the state register of a module.
func (m *Machine) State(node int, mod Module) State { return m.nodes[node].regs[mod].state }

// Step advances every module of every node by one state; in virtual time, all by one clock of the
// core.
func (m *Machine) Step() {
	if m.chip != nil {
		m.chip.step()
		return
	}
	m.clock++
	for _, n := range m.nodes {
		if n.busy {
			n.step()
		}
	}
}

// Idle reports whether there is nothing to do.
func (m *Machine) Idle() bool {
	for _, n := range m.nodes {
		if n.busy {
			return false
		}
	}
	return true
}

// Run steps until there is nothing to do, or limit steps have passed; the error then names the
// modules that are not at rest.
func (m *Machine) Run(limit int) error {
	for range limit {
		if m.Idle() {
			return nil
		}
		m.Step()
	}
	if m.Idle() {
		return nil
	}
	err := fmt.Errorf("stepped: still busy after %d steps", limit)
	for _, n := range m.nodes {
		for mod := range Modules {
			if r := &n.regs[mod]; r.state != mod.rest() {
				err = fmt.Errorf("%w, node %d %v %v", err, n.id, mod, r.state)
			}
		}
	}
	return err
}

// order is the order in which the modules of a node act in one step: consumers before producers, so
// that nothing passes two modules in one step.
var order = [Modules]Module{SWI, CPU, PCIDMAC, DIMMDMAC, SRAMDMAC, RBend, Replier, RFend, Sender, Header, Initiator, AOTFSend, Window}

// step runs the modules of a node.
func (n *node) step() {
	moved := false
	for _, mod := range order {
		moved = n.advance(mod, n.act(mod)) || moved
	}
	if !moved {
		n.busy = n.active()
	}
}

// act has a module do the work of its state, and returns the resulting condition.
func (n *node) act(mod Module) Cond {
	switch mod {
	case SWI:
		return n.actSWI()
	case CPU:
		return n.actCPU()
	case PCIDMAC, DIMMDMAC, SRAMDMAC:
		return n.actDMAC(int(mod - PCIDMAC))
	case RBend:
		return n.actRBend()
	case Replier:
		return n.actReplier()
	case RFend:
		return n.actRFend()
	case Sender:
		return n.actSender()
	case Header:
		return n.actHeader()
	case Initiator:
		return n.actInitiator()
	case AOTFSend:
		return n.actAOTF()
	case Window:
		return n.actWindow()
	}
	return Stay
}

// active reports whether a module is not at rest, or has input.
func (n *node) active() bool {
	for mod := range Modules {
		if n.regs[mod].state != mod.rest() {
			return true
		}
	}
	return n.receive.len() > 0 || n.send.len() > 0 || n.cpu.wanted()
}

// advance moves a module to its next state and reports whether there is one.
func (n *node) advance(mod Module, on Cond) bool {
	r := &n.regs[mod]
	if on == Stay {
		if n.m.o.Observe != nil && r.state != mod.rest() {
			n.observe(mod, r.state, r.state, Stay)
		}
		return false
	}
	from := r.state
	to := n.m.next[mod][from][on]
	if to == 0 {
		panic(fmt.Sprintf("stepped: %v has no way from %v when %v", mod, from, on))
	}
	r.waited = 0
	if next := State(to - 1); next == MISS {
		n.suspend(mod, from)
	} else if n.enter(mod, next); r.brk && r.stop == next {
		n.suspend(mod, next) // on entry, before the state's action
	}
	if n.m.o.Observe != nil {
		n.observe(mod, from, r.state, on)
	}
	return true
}

func (n *node) observe(mod Module, from, to State, on Cond) {
	work := workOf[from]
	bytes := 0
	switch {
	case mod >= PCIDMAC && mod <= SRAMDMAC:
		bytes = n.engines[mod-PCIDMAC].burst
	case mod == SWI && from == SEND:
		bytes = n.wire
	}
	if on == Stay && from != MISS && from != HANDLER && bytes == 0 {
		work = Waiting
	}
	n.m.o.Observe(Event{n.m.Clock(), n.id, mod, from, to, on, work, bytes})
}

// suspend sends a module to MISS (martini, section 10.2): it requests no resource there, and its
// interrupt line is raised.
func (n *node) suspend(mod Module, before State) {
	r := &n.regs[mod]
	n.enter(mod, MISS)
	r.before, r.line = before, true
}

// late counts a step of waiting and reports whether that is a timeout
// (martini, section 10.6; lengths and states are unstated).
func (n *node) late(mod Module) bool {
	if n.m.o.Timeout == 0 {
		return false
	}
	n.regs[mod].waited++
	return n.regs[mod].waited > n.m.o.Timeout
}

// waitOr is Stay, or TimedOut if the module has waited for too long.
func (n *node) waitOr(mod Module) Cond {
	if n.late(mod) {
		return TimedOut
	}
	return Stay
}

// askPATLB grants the shared PATLB to one module in each step (martini, section 5.1).
func (n *node) askPATLB() bool {
	now := n.m.stamp()
	if n.ports == now {
		return false
	}
	n.ports = now
	return true
}

// withdrawLimit bounds the steps that a withdrawal waits for: the time of the largest transfers
// that the queues can hold.
const withdrawLimit = 100000

// withdraw is the driver's part of unpin (martini, section 8.3): the entries are removed from PATLB
// or RVATLB before the memory is released, and requested transfers are completed.
func (n *node) withdraw(w martini.Withdrawal) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if w.Segment != 0 {
		n.rvatlb.drop(func(_, tag uint64) bool { return tag == uint64(w.Segment) })
	} else {
		n.patlb.drop(func(key, page uint64) bool { return key == w.Key && page >= w.First && page-w.First < w.Pages })
	}
	for i := 0; w.Busy() && !n.m.Idle() && i < withdrawLimit; i++ {
		n.m.Step()
	}
}
