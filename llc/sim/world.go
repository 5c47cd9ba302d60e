package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A world is one run.
type world struct {
	Params
	rng       *rand.Rand
	net       *Net
	ranks     []*rank
	turn      int
	dead      int // the peer that has died, or -1
	announced int // the peer whose death has been announced, or -1
	forger    int // the peer that sends what the protocol forbids, or -1
	waiting   int // messages that were missing when nothing moved last
	futile    int // how often nothing has changed since then
	problem   error
	shut      map[place]bool // contexts that have ended
	moves     int            // events and steps of programs that are progress, since the schedule is fair
	moved     int            // turn of the latest
}

// mostAwake is how often an engine may ask its driver to look again when nothing comes: as often as it waits
// for an offer in an exchange, and some more.
const mostAwake = 100

// A place is a context at a peer.
type place struct {
	peer int
	ctx  uint16
}

// A rank is one peer: its engine and the rest of its program.
type rank struct {
	engine *llc.Engine
	away   int // turn up to which it does nothing
	script []step
	idle   bool // the last look found no event and nothing to do
	awake  int  // looks in a row that found no event and nothing to do, but after which it must look again
	sends  []*send
	recvs  []*receive // in order of posting
	ev     ir.Event
}

// A step is one call of a program.
type step struct {
	call    func()
	receive bool
	when    func() bool // nil: at any time
}

// due reports whether it is time for the call.
func (s *step) due() bool { return s.when == nil || s.when() }

// A send is a message of the program.
type send struct {
	req    llc.Request
	id     int
	to     int
	tag    int
	ctx    uint16
	done   bool // seen
	direct bool // went by the ready lane
}

// over reports whether the send is done.
func (s *send) over() bool { return s.direct || s.req.Done() }

// A receive is one receive of the program.
type receive struct {
	req    llc.Request
	memory []byte // the buffer with a guard behind it
	src    int
	tag    int
	ctx    uint16
	direct bool // came by the ready lane
}

// over reports whether the receive is done.
func (r *receive) over() bool { return r.direct || r.req.Done() }

// quietRounds is how often every peer must have nothing before a run counts as quiet: a tail must be fetched,
// perhaps behind the tails of other rings, and then the packet that waited for it arrives.
const quietRounds = 8

// guard is the number of bytes behind each buffer that must not change.
const guard = 16

// A run that has taken patience turns goes on by a fair schedule: every peer in turn, and no more chance in
// the network. Then each round of the peers makes progress or none ever will. So a run without progress for
// fairRounds is stuck, and one that makes more moves than its messages can need never ends. A run that is
// merely long, because peers stay away and packets are refused again and again, comes to its end.
const (
	patience   = 20000
	fairRounds = 200
)

// mostMoves is more than the messages of a run can need: a few packets and answers for each, and a few for
// each piece of their bytes, all of which may come twice.
func (p *Params) mostMoves() int { return 10000 + p.Messages*(200+p.Bytes) }

// Run does one run and returns what was wrong, with the recipe, or nil.
func Run(p Params) error {
	_, err := run(p)
	return err
}

func run(p Params) (*world, error) {
	w, err := newWorld(p)
	if err == nil {
		err = w.run()
	}
	if err != nil {
		return w, fmt.Errorf("%w\n%v", err, p)
	}
	return w, nil
}

func newWorld(p Params) (*world, error) {
	if p.Fault != "" && p.Order == 3 { // a packet dropped with its context cannot be told from a lost one
		p.Order = 0
	}
	w := &world{Params: p, rng: rand.New(rand.NewPCG(p.Seed, 0xc4a0)), dead: -1, announced: -1, forger: -1, shut: map[place]bool{}}
	w.net = NewNet(p.Peers, p.Caps, p.Shared, w.rng)
	w.net.Hold, w.net.Ports = p.Hold, p.Ports
	w.net.Busy = func(int, *ir.Command) bool { return w.net.chance(p.Busy) }
	w.net.Refuse, w.net.Spoil = w.refuse, p.Spoil
	if p.Fault != "" {
		f, err := ParseFault(p.Fault)
		if err != nil {
			return nil, err
		}
		w.net.Fault = f
	}
	if p.Forger > 0 {
		w.forger = p.Peers - 1
		w.net.nics[w.forger].exports = []export{{make([]byte, p.Bytes), true}, {make([]byte, p.Bytes), true}}
	}
	// A peer that gives up conceals its memory while the other side may still move. What a fault repeats or
	// delays may name memory that is concealed by now.
	w.net.Forges = func(peer int) bool { return p.Refuse > 0 || p.Fault != "" || p.Forger > 0 && peer == p.Peers-1 }
	for i := range p.Peers {
		e := llc.New(llc.Config{Self: i, Peers: p.Peers, Caps: p.Caps, Oversubscribed: i < p.Oversubscribed, RingMemory: p.RingMemory, Ports: p.Ports, Trace: p.Trace})
		if p.Prepare != nil {
			p.Prepare(i, e)
		}
		w.ranks = append(w.ranks, &rank{engine: e})
	}
	w.write()
	return w, nil
}

// refuse refuses copies and exposures as often as the parameters want.
func (w *world) refuse(_ int, cmd *ir.Command) error {
	switch cmd.Op {
	case ir.Pull, ir.Push:
		if w.net.chance(w.Deny) {
			return fmt.Errorf("attach: %w", fs.ErrPermission)
		}
		if w.net.chance(w.Refuse) {
			return errors.New("page fault")
		}
	case ir.Swap:
		if w.net.chance(w.Refuse) {
			return errors.New("bus error")
		}
	case ir.Expose:
		if w.net.chance(w.Deny / 2) {
			return fmt.Errorf("expose: %w", fs.ErrPermission)
		}
	}
	return nil
}

func (w *world) alive(i int) bool { return i != w.dead }

// honest reports whether the program of peer i must go right.
func (w *world) honest(i int) bool { return i != w.dead && i != w.forger }

func (w *world) run() error {
	for w.problem == nil {
		if w.quiet() {
			if done, err := w.drain(); err != nil {
				return err
			} else if done {
				break
			}
		}
		if w.turn++; w.turn <= patience {
			w.act(w.rng.IntN(w.Peers))
		} else if err := w.fair(); err != nil {
			return err
		}
	}
	if w.problem != nil {
		return w.problem
	}
	return w.judge()
}

// fair is one turn of the fair schedule.
func (w *world) fair() error {
	if !w.net.Fair {
		w.net.Fair, w.moved = true, w.turn
	}
	w.act(w.turn % w.Peers)
	switch {
	case w.turn-w.moved > fairRounds*w.Peers:
		return fmt.Errorf("%w: nothing has moved for %d turns, though every peer had its turn\n%s", errEndless, w.turn-w.moved, w.describe())
	case w.moves > w.mostMoves():
		return fmt.Errorf("%w: still busy after %d turns and %d moves\n%s", errEndless, w.turn, w.moves, w.describe())
	}
	return nil
}

// errEndless reports a run that does not come to rest.
var errEndless = errors.New("endless run")

// move notes that a run has made progress.
func (w *world) move() {
	if w.turn > patience {
		w.moves++
		w.moved = w.turn
	}
}

// act lets one peer do one thing.
func (w *world) act(i int) {
	r := w.ranks[i]
	if w.Crash > 0 && w.turn >= w.Crash && w.dead < 0 {
		w.dead = w.rng.IntN(w.Peers)
		w.net.Kill(w.dead)
	}
	if w.dead >= 0 && w.announced < 0 && (w.net.Fair || w.rng.IntN(20) == 0) {
		w.announceDeath(w.dead)
	}
	if !w.alive(i) || r.away > w.turn && !w.net.Fair {
		return
	}
	if i == w.forger {
		w.forge()
		return
	}
	if len(r.script) > 0 && (w.net.Fair || w.rng.IntN(3) == 0) && r.script[0].due() {
		w.move()
		r.script[0].call()
		r.script = r.script[1:]
		w.post(i)
	}
	if w.Attend > 0 && w.net.chance(w.Attend) {
		r.engine.Attend(0)
	}
	w.step(i)
	if w.net.chance(w.Nap) {
		r.away = w.turn + w.rng.IntN(100*w.Peers)
	}
}

func (w *world) announceDeath(i int) {
	w.announced = i
	for j := range w.ranks {
		if j != i {
			w.net.Announce(j, i)
		}
	}
}

// step gives an engine one event, or a retry, and reports whether something happened that may be progress.
func (w *world) step(i int) bool {
	r := w.ranks[i]
	moved, idle, was := false, false, r.idle
	if w.gather(i) {
		moved = true
	} else if w.net.Poll(i, &r.ev) {
		old := r.ev.Kind
		r.awake = 0
		if err := r.engine.Step(&r.ev); err != nil {
			w.complain(i, err)
		}
		if moved = old != ir.Tail && old != ir.Busy; moved {
			w.move()
		}
	} else {
		flying := r.engine.Flying()
		idle = !r.engine.Blocked() && !flying
		r.engine.Retry()
		if r.awake++; !flying {
			r.awake = 0
		}
	}
	n, more := w.post(i)
	w.tire(i, n)
	if idle && was && n > 0 {
		w.fail("engine %d: nothing came, and yet it had something to do: whoever slept would have missed it", i)
	}
	r.idle = idle && n == 0
	w.look(i)
	return moved || more
}

// tire checks that an engine which keeps its driver awake has something to do in the end: n commands, this
// time.
func (w *world) tire(i, n int) {
	r := w.ranks[i]
	if n > 0 {
		r.awake = 0
	} else if r.awake > mostAwake {
		w.fail("engine %d: nothing has come %d times, and it still keeps its driver awake for nothing", i, r.awake)
	}
}

// complain reports an error of an engine, unless it names the forger.
func (w *world) complain(i int, err error) {
	var pe *llc.ProtocolError
	if errors.As(err, &pe) && w.Forger > 0 && pe.Peer == w.Peers-1 {
		return // also for what it sent before it was exposed
	}
	w.fail("engine %d: %v", i, err)
}

func (w *world) fail(format string, args ...any) {
	if w.problem == nil {
		w.problem = fmt.Errorf(format, args...)
	}
}

// post carries out what an engine wants done, counts it, and reports whether it was more than a read of a
// ring's tail.
func (w *world) post(i int) (n int, moved bool) {
	cmds := w.ranks[i].engine.Take()
	for k := range cmds {
		w.net.Post(i, &cmds[k])
		moved = moved || cmds[k].Op != ir.ReadTail
	}
	if len(w.net.Broken) > 0 {
		w.fail("%s", w.net.Broken[0])
	}
	w.ranks[i].idle = w.ranks[i].idle && len(cmds) == 0
	return len(cmds), moved
}

// quiet reports whether nothing can happen any more without the program.
func (w *world) quiet() bool {
	if w.turn%(4*w.Peers) != 0 || w.dead != w.announced || w.Crash > 0 && w.dead < 0 {
		return false
	}
	for i, r := range w.ranks {
		if w.honest(i) && (len(r.script) > 0 || r.away > w.turn && !w.net.Fair) {
			return false
		}
	}
	if w.net.Held() {
		return false
	}
	// Whether something can happen does not depend on chance, and nothing is held back meanwhile.
	defer func(was bool) { w.net.Fair = was }(w.net.Fair)
	w.net.Fair = true
	for range quietRounds {
		for i := range w.ranks {
			if w.honest(i) && w.step(i) {
				return false
			}
		}
	}
	return true
}

// describe lists what waits.
func (w *world) describe() string {
	var b strings.Builder
	for i, r := range w.ranks {
		fmt.Fprintf(&b, "engine %d: %+v\n", i, r.engine.Snapshot())
		for _, p := range r.engine.Pending() {
			fmt.Fprintf(&b, "\tsend=%v peer=%d context=%d tag=%d bytes=%d moved=%d: %s\n",
				p.Send, p.Request.Peer, p.Request.Context, p.Request.Tag, p.Request.Bytes(), p.Moved, p.State)
		}
	}
	return b.String()
}

// content is what all messages are cut from; it repeats at no short distance.
var content = func() []byte {
	b := make([]byte, 1<<14)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}()

// bytesOf returns the bytes of message id.
func bytesOf(id, n int) []byte {
	at := id * 131 % (len(content) - n)
	return content[at : at+n]
}

// intact reports whether nothing behind a buffer, or between its pieces, has changed.
func (r *receive) intact() bool {
	if s, ok := r.req.Body.(*sparse); ok && !s.intact() {
		return false
	}
	return !slices.ContainsFunc(r.memory[r.req.Bytes():], func(b byte) bool { return b != 0xa5 })
}
