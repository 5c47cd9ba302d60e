package nictest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// ErrRefused is wrapped by the Err of an event about a command that the loopback network refused.
var ErrRefused = errors.New("nictest: refused")

// Hooks let a test interfere. Nil fields do nothing. They are called by the goroutines that drive the
// translators, possibly at the same time.
type Hooks struct {
	// Busy makes the network answer Busy to a Shared command from a peer.
	Busy func(from int, cmd *ir.Command) bool
	// Fail makes an Expose, Pull, Push or Swap command from a peer fail with the error it returns.
	Fail func(from int, cmd *ir.Command) error
	// Hold makes Poll of a peer report nothing, as if everything under way to it came later; not between Arm
	// and Disarm, where what was visible before must be seen.
	Hold func(at int) bool
	// Mute has a peer not ring for what it does: Packet, Shared, Wake (0) or a flag (NumOps).
	Mute func(from int, op ir.Op) bool
	// Blind has Arm of a peer skip the sweep that makes the next Polls look everywhere.
	Blind bool
	// NoFlagArray leaves out the optional [ir.FlagArray].
	NoFlagArray bool
	// Bells, if set, are other translators of the same peers: they ring the doorbells in place of this
	// network, which has none, arm them and sleep on them.
	Bells []ir.Translator
}

// sharedLines is the size of the shared rings of a loopback network.
const sharedLines = 256

// flagArrays is the number of flag arrays of a loopback network.
const flagArrays = 3

// DefaultCaps returns Caps so small that every limit is soon reached.
func DefaultCaps() ir.Caps {
	return ir.Caps{
		Name: "loopback", Rings: 4, Slots: 8, Bytes: 4096, Remote: true, Words: 64,
		Fragment: 1024, Eager: 4096, Split: 32768, SplitUnit: 8192, Copies: 1, Blocks: 64, Gathers: true,
	}
}

// Loopback returns the translators of a network of so many peers within this process. Different goroutines
// may drive different peers.
func Loopback(peers int, caps ir.Caps) []ir.Translator {
	return LoopbackWith(peers, caps, Hooks{})
}

// LoopbackWith is Loopback with interference.
func LoopbackWith(peers int, caps ir.Caps, hooks Hooks) []ir.Translator {
	n := &network{caps: caps, hooks: hooks, layout: ring.Layout{Slots: caps.Slots, Bytes: caps.Bytes}}
	all := make([]ir.Translator, peers)
	for i := range all {
		e := newEndpoint(n, i, peers)
		n.peers = append(n.peers, e)
		if all[i] = e; !hooks.NoFlagArray {
			all[i] = &withFlags{e, newFlagArray()}
			e.flagArray = all[i].(*withFlags)
		}
	}
	return all
}

// A network is what all its endpoints know.
type network struct {
	caps   ir.Caps
	hooks  Hooks
	layout ring.Layout
	peers  []*endpoint
}

// An endpoint is one peer. The first group of fields is touched by all peers, the second by the goroutine
// that drives this one.
type endpoint struct {
	net       *network
	self      int
	shared    *ring.SharedWriter
	memory    [][]byte    // of the packet rings
	rings     []ring.Ring // as writers see them
	words     []atomic.Uint64
	bell      chan struct{}
	armed     atomic.Int32
	closed    atomic.Bool
	flagArray *withFlags // nil without flag arrays
	mu        sync.Mutex
	export    map[ir.Segment][]byte

	set     *ring.Set
	packet  ring.Packet
	busy    []ir.Event // reported first
	answers []ir.Event
	next    int // first of answers not reported yet
	named   ir.Segment
	gone    []bool     // peers reported as gone
	opened  []ir.Ring  // rings of peers that Open has named
	placed  ir.Command // the command of the latest Place
	dozing  bool       // between Arm and Disarm
}

var _ ir.Translator = (*endpoint)(nil)

func newEndpoint(n *network, self, peers int) *endpoint {
	layout := ring.SharedLayout{Lines: sharedLines}
	mem := ring.Memory(layout.Size())
	e := &endpoint{
		net: n, self: self,
		shared: ring.NewSharedWriter(mem, layout),
		words:  make([]atomic.Uint64, n.caps.Words),
		bell:   make(chan struct{}, 1),
		export: map[ir.Segment][]byte{},
		set:    ring.NewSet(ring.NewSharedReader(mem, layout, peers), peers),
		gone:   make([]bool, peers),
		opened: make([]ir.Ring, peers),
	}
	for range n.caps.Rings {
		mem := ring.Memory(n.layout.Size())
		e.memory = append(e.memory, mem)
		e.rings = append(e.rings, ring.Open(mem, n.layout))
	}
	return e
}

func (e *endpoint) Self() int     { return e.self }
func (e *endpoint) Peers() int    { return len(e.net.peers) }
func (e *endpoint) Caps() ir.Caps { return e.net.caps }
func (e *endpoint) Hint(peer int) { e.set.Hint(peer) }

func (e *endpoint) answer(ev ir.Event) { e.answers = append(e.answers, ev) }

func (e *endpoint) refuse(cmd *ir.Command, format string, args ...any) {
	e.fail(cmd, fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...)))
}

// fail answers cmd, or reports the end of a peer whose way is broken.
func (e *endpoint) fail(cmd *ir.Command, err error) {
	ev := ir.Event{Kind: ir.Failed, Peer: cmd.Peer, Err: err}
	if cmd.Op.Answered() {
		ev.Token = cmd.Token
	} else if uint(cmd.Peer) < uint(len(e.gone)) {
		if e.gone[cmd.Peer] {
			return
		}
		e.gone[cmd.Peer] = true
		ev.Err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	e.answer(ev)
}

// Refused gives the next Busy.
func (e *endpoint) Refused(ev *ir.Event) bool {
	if len(e.busy) == 0 {
		return false
	}
	*ev = e.busy[0]
	e.busy = append(e.busy[:0], e.busy[1:]...)
	return true
}

// Poll reports Busy first, then answers, then arrivals.
func (e *endpoint) Poll(ev *ir.Event) bool { return e.poll(ev, e.set.Poll) }

// poll gives the next event; next finds packets.
func (e *endpoint) poll(ev *ir.Event, next func(*ring.Packet) (bool, error)) bool {
	e.set.Consume()
	if e.Refused(ev) {
		return true
	}
	if e.next < len(e.answers) {
		*ev = e.answers[e.next]
		if e.next++; e.next == len(e.answers) {
			e.answers, e.next = e.answers[:0], 0
		}
		if ev.Kind == ir.Failed && ev.Token == 0 && uint(ev.Peer) < uint(len(e.gone)) && e.gone[ev.Peer] {
			e.set.Remove(int(ev.Peer))
		}
		return true
	}
	if h := e.net.hooks.Hold; h != nil && !e.dozing && h(e.self) {
		return false
	}
	ok, err := next(&e.packet)
	if err != nil { // peers of one process keep the protocol
		panic(err)
	}
	if ok {
		p := &e.packet
		*ev = ir.Event{Kind: ir.Arrived, Peer: int32(p.Peer), Ring: ir.Ring(p.Ring), Data: p.Data}
		ev.Header.Unpack(&p.Head, len(p.Data))
	}
	return ok
}

// Arm fences by its atomic store, ring by its atomic addition.
func (e *endpoint) Arm() {
	e.dozing = true
	select {
	case <-e.bell: // rung after the last sleep
	default:
	}
	e.armed.Store(1)
	if !e.net.hooks.Blind {
		e.set.Sweep()
	}
}

func (e *endpoint) Disarm() (rung bool) {
	e.dozing = false
	return e.armed.Swap(0) == 0
}

func (e *endpoint) Sleep(d time.Duration) {
	if e.net.hooks.Bells != nil {
		e.net.hooks.Bells[e.self].Sleep(d)
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-e.bell:
	case <-t.C:
	}
}

// wakeFor wakes peer for what a command of this peer has done.
func (e *endpoint) wakeFor(peer int, op ir.Op) {
	if m := e.net.hooks.Mute; m != nil && m(e.self, op) {
		return
	}
	if e.net.hooks.Bells != nil {
		e.net.hooks.Bells[e.self].Wake(peer)
		return
	}
	e.net.peers[peer].ring()
}

func (e *endpoint) ring() {
	if e.armed.Add(0) != 0 && e.armed.CompareAndSwap(1, 0) {
		select {
		case e.bell <- struct{}{}:
		default:
		}
	}
}

func (e *endpoint) Wake(peer int) { e.wakeFor(peer, 0) }

// Close makes the peer refuse all that others ask of it.
func (e *endpoint) Close() error {
	e.closed.Store(true)
	return nil
}
