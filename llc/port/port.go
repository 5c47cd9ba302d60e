package port

import (
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// A Config says what a port connects.
type Config struct {
	NIC    ir.Translator // owned by the port from now on
	Policy wait.Policy   // see wait.For
	// Trouble is told of packets that no correct peer sends, and of answers to
	// nothing, beside what the port does about them. It is called with the port's
	// lock held and must not call the port.
	Trouble func(error)
}

// A Port is one engine on one network interface. Its methods may be called by
// many goroutines at once, except that Close ends all use.
type Port struct {
	gate gate

	// The rest is guarded by gate.
	eng    *llc.Engine
	nic    ir.Translator
	policy wait.Policy
	ev     ir.Event
	free   []*llc.Request // of finished blocking calls
	calls  uint64         // how often a goroutine has entered
	open   int            // requests under way with Notify set
	state  state
	misses uint
	lull   lull // of blocking receives

	ended uint64 // requests with Notify set that are done

	waiters waiters
	board   ir.Board
	aimer   ir.Aimer   // nil: none, or whoever is waited for needs the processor
	express ir.Express // nil: none
	view    ir.View    // the packet that the lane looks at
	head    [3]uint64  // of the packet that it sends
	shun    int        // receives that go the long way next, because one had to
	clock   ir.Clock   // nil: time passes by itself
	report  ir.Reporter
	auditor ir.Auditor    // nil: none
	memory  ir.Memory     // nil: none
	remote  ir.Remote     // nil: none
	audited time.Duration // when it looked last
	failed  error         // why the first peer was lost; nil: none was
	lostAt  time.Duration // when that was
	trouble func(error)
	helper  helper
}

// New returns a port that is ready for use.
func New(cfg Config) *Port {
	can := ir.AbilitiesOf(cfg.NIC)
	crowded := cfg.Policy.Spin == 0
	if can.Clock != nil { // a wait passes no time by looking, and every rank has a processor
		cfg.Policy, crowded = wait.Policy{Nap: virtualNap}, false
	}
	p := &Port{
		eng: llc.New(llc.Config{
			Self: cfg.NIC.Self(), Peers: cfg.NIC.Peers(), Caps: cfg.NIC.Caps(), Crowded: crowded,
		}),
		nic: cfg.NIC, policy: cfg.Policy, trouble: cfg.Trouble,
	}
	p.board, p.express, p.report, p.auditor, p.clock = can.Board, can.Express, can.Reporter, can.Auditor, can.Clock
	p.memory, p.remote = can.Memory, can.Remote
	if cfg.Policy.Spin > 0 {
		p.aimer = can.Aimer
	}
	p.helper.init()
	if p.clock != nil {
		p.helper.away = false // it comes when real time has passed
	}
	return p
}

// lock enters the port; who leaves for good calls gate.leave.
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
	r.Buf = nil
	p.free = append(p.free, r)
}

// post carries out what the engine wants.
func (p *Port) post() {
	cmds := p.eng.Take()
	for i := range cmds {
		p.nic.Post(&cmds[i])
	}
}

// news reports whether what turn found may end a wait, or leads further. What is
// left says no more than that there is no room yet.
func (p *Port) news() bool { return p.ev.Kind != ir.Tail && p.ev.Kind != ir.Busy }

// turn takes one event, or lets the engine try again if there is none, and
// reports whether it found an event or packets went.
func (p *Port) turn() bool { return p.digest(p.nic.Poll(&p.ev)) }

// digest goes on after a Poll that found an event, or nothing.
func (p *Port) digest(found bool) bool {
	if !found {
		found = p.retry()
	} else if err := p.eng.Step(&p.ev); err != nil {
		p.mistaken(err)
	} else if p.ev.Kind == ir.Failed && p.ev.Token == 0 {
		p.doubt(int(p.ev.Peer))
	}
	p.post()
	if p.open|p.waiters.conds != 0 {
		p.announce()
	}
	return found
}

// retry lets the engine try again, unless this is the last look, and reports whether
// packets went.
func (p *Port) retry() bool {
	if p.is(last) && !p.eng.Flying() || !p.eng.Retry() {
		return false
	}
	p.ev.Kind = 0 // not that of the event before
	return true
}
