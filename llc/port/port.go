package port

import (
	"time"

	"rhinet/internal/observe"
	"rhinet/internal/pace"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// A Config says what a port connects.
type Config struct {
	NIC    ir.Translator // owned by the port from now on
	Policy wait.Policy   // see wait.For
	Limits Limits        // in place of what the NIC recommends, where not 0
	// Trouble is called for packets that no correct peer sends, and for answers to no command, beside what
	// the port does about them. It is called with the port's lock held and must not call the port.
	Trouble func(error)
	// Observe, if not nil, records how long goroutines wait and, except in virtual time, what they call: see
	// Port.Counting.
	Observe *observe.Rank
}

// Limits are the message sizes in bytes at which protocols change, for peers of the first NIC if there are
// several, and the memory of rings; 0 is what the NIC recommends or has. Ranks of one job may have different
// Limits.
type Limits struct {
	Eager int // the longest message that goes in packets: ir.Caps.Eager
	Split int // the shortest message that both sides move: ir.Caps.Split
	// RingMemory is the memory of the packet rings that this peer hands out: llc.Config.RingMemory
	RingMemory int
}

// of returns the Caps of a NIC with these limits.
func (l Limits) of(c ir.Caps) ir.Caps {
	if l.Eager > 0 {
		c.Eager, c.Offered = l.Eager, 0
	}
	if l.Split > 0 && c.Split > 0 {
		c.Split = l.Split
	}
	return c
}

// A Port is one engine on one network interface. Its methods may be called by
// many goroutines at once, except that Close ends all use.
type Port struct {
	gate gate

	// The fields below are guarded by gate.
	eng       *llc.Engine
	nic       ir.Translator
	policy    wait.Policy
	pace      pace.Pace
	packets   packets
	ev        ir.Event
	free      []*llc.Request // of finished blocking calls
	calls     uint64         // how often goroutines have entered
	begun     uint64         // requests that have had Notify set; the engine counts those that are done
	state     state
	misses    misses
	pollDelay pollDelay // of blocking receives

	waiters   waiters
	queue     queue
	tasks     tasks
	flagArray ir.FlagArray
	sw        ir.Switch     // nil: none
	barriers  ir.Controller // nil: none
	atomics   ir.Atomics    // nil: none
	locker    ir.Locker     // nil: none
	vectors   ir.Vectors    // nil: none
	aimer     ir.Aimer      // nil: none, or the peers waited for need the processor
	express   ir.Express    // nil: none
	lanes     ir.Lanes      // nil: none
	asked     uint          // messages that have passed through express although they might bypass it
	view      ir.View       // the packet that the lane looks at
	head      [3]uint64     // of the packet that the lane sends
	piece     []byte        // its payload, if the message is noncontiguous
	shun      int           // how many more receives take the slow path, because one had to
	clock     ir.Clock      // nil: time passes by itself
	report    ir.Reporter
	settler   ir.Settler    // nil: what is posted is not lost if the process ends
	auditor   ir.Auditor    // nil: none
	memory    ir.Memory     // nil: none
	remote    ir.Remote     // nil: none
	lender    ir.Lender     // nil: none
	packed    int           // messages of up to so many bytes are not offered by lender
	deposited int           // messages of up to so many bytes may go in packets nevertheless, see deposits
	router    ir.Router     // nil: one NIC reaches all
	audited   time.Duration // time of the latest audit
	gaveUp    bool          // nothing that is under way will end
	parked    bool          // shut by Park
	failed    error         // why the first peer was lost; nil: none was
	lostAt    time.Duration // when that was
	trouble   func(error)
	meter     *observe.Meter            // nil: waits are not measured
	seen      *observe.Rank             // counts the calls of goroutines; nil: they are not counted
	detector  ir.FailureDetector        // of a port that survives the end of peers; otherwise nil
	died      func(peer int, why error) // of such a port
	patience  int                       // looks after which a wait is no longer brief, for meter
	lone      int                       // looks of a wait in the lane that ignore what other peers have sent
	helper    helper
}

// New returns a port that is ready for use.
func New(cfg Config) *Port {
	can := ir.AbilitiesOf(cfg.NIC)
	oversubscribed := cfg.Policy.Oversubscribed()
	if can.Clock != nil { // looking takes no time, and a packet is as long as the model says
		cfg.Policy, oversubscribed = wait.Policy{Nap: virtualNap}, true
	}
	engine := llc.Config{
		Self: cfg.NIC.Self(), Peers: cfg.NIC.Peers(), Caps: cfg.Limits.of(cfg.NIC.Caps()), Oversubscribed: oversubscribed,
		RingMemory: cfg.Limits.RingMemory,
	}
	if oversubscribed && can.Express != nil {
		engine.Caps.Fragment = min(engine.Caps.Fragment, pipelined)
	}
	if can.Injector != nil {
		engine.Ports = can.Injector.Ports()
	}
	if can.Router != nil {
		engine.Others, engine.Via = can.Router.NICs()[1:], can.Router.NIC
	}
	p := &Port{
		eng: llc.New(engine), router: can.Router,
		nic: cfg.NIC, policy: cfg.Policy, trouble: cfg.Trouble, pace: pace.Pace{Calls: true},
	}
	p.sw = can.Switch
	p.flagArray, p.express, p.report, p.auditor, p.clock = can.FlagArray, can.Express, can.Reporter, can.Auditor, can.Clock
	p.settler = can.Settler
	p.lanes = can.Lanes
	p.memory, p.remote, p.lender, p.barriers = can.Memory, can.Remote, can.Lender, can.Controller
	p.atomics, p.locker, p.vectors = can.Atomics, can.Locker, can.Vectors
	if !cfg.Policy.Oversubscribed() {
		p.aimer = can.Aimer
	}
	if p.packed = engine.Caps.Eager; engine.Caps.Offered > 0 {
		p.packed = min(p.packed, engine.Caps.Offered)
	}
	if p.patience = briefLooks; oversubscribed {
		p.patience = 1 // each look gives the processor away
	}
	if oversubscribed && p.clock == nil {
		p.lone, p.deposited = loneLooks, engine.Caps.Eager
	}
	if cfg.Observe != nil {
		p.observed(cfg.Observe)
	}
	p.eng.Silence(true)
	p.helper.init()
	if p.clock != nil {
		p.helper.away = false // it would come when real time has passed
	}
	return p
}

// under reports whether requests are under way that a call has begun or waits for.
func (p *Port) under() bool { return p.begun != p.eng.Ended() }

// busy reports whether requests are under way, or the engine has work.
func (p *Port) busy() bool { return p.under() || !p.eng.Idle() }

// lock enters the port for a call; gate.leave leaves it.
func (p *Port) lock() {
	p.gate.enter()
	p.calls++
}

// request takes a request for a blocking call.
func (p *Port) request() *llc.Request {
	if n := len(p.free); n > 0 {
		r := p.free[n-1]
		p.free = p.free[:n-1]
		return r
	}
	return new(llc.Request)
}

// keep takes back the request of a blocking call, which is done.
func (p *Port) keep(r *llc.Request) {
	r.Buf, r.Body, r.Attended, r.Label = nil, nil, false, ""
	p.free = append(p.free, r)
}

// post passes the engine's commands to the translator.
func (p *Port) post() {
	cmds := p.eng.Take()
	for i := range cmds {
		p.nic.Post(&cmds[i])
	}
}

// news reports whether what turn found may end a wait, or is progress. A Busy, or a Tail without new room,
// only says that there is no room yet.
func (p *Port) news() bool {
	switch p.ev.Kind {
	case ir.Tail:
		return p.eng.Roomier()
	case ir.Busy:
		return false
	}
	return true
}

// turn takes one event, or lets the engine try again if there is none, and reports whether it found an event
// or packets went.
func (p *Port) turn() bool { return p.digest(p.nic.Poll(&p.ev)) }

// peek is turn for calls that only look, and reports whether they may look again: they carry out at most one
// copy, and none between waits for small messages.
func (p *Port) peek() bool {
	found := p.nic.Poll(&p.ev)
	if !found && p.eng.Leaves() {
		return false
	}
	return p.digest(found) && !p.eng.Began()
}

// digest goes on after a Poll that found an event (found), or nothing.
func (p *Port) digest(found bool) bool {
	if !found {
		found = p.retry()
	} else if err := p.eng.Step(&p.ev); err != nil {
		p.mistaken(err)
	} else if p.ev.Kind == ir.Failed && p.ev.Token == 0 {
		p.doubt(int(p.ev.Peer))
	}
	p.post()
	if p.eng.Telling() || p.waiters.conds != 0 {
		p.announce()
	}
	return found
}

// retry lets the engine try again, unless this is the last look, and reports whether packets went.
func (p *Port) retry() bool {
	if p.is(last) && !p.eng.Flying() || !p.eng.Retry() {
		return false
	}
	p.ev.Kind = 0 // not that of the event before
	return true
}
