// Package route makes one translator of two: one NIC reaches the peers on this host, the other one those on
// other hosts. The NIC is chosen by peer, below the engine, which asks for the Caps of each (ir.Router).
//
//	engine
//	  |
//	route ---- peer on another host ---> far   messages through a network
//	  |
//	  +------- peer on this host ------> near  rings, flags and memory that the host shares
//
// Both drive the same rank in the memory of its host, and wait on its one doorbell: Arm arms both, the far
// one sleeps, and Disarm is that of the near one. A poll of the network costs many times as much as one of
// memory, so there are fewer of them, unless something is expected there.
package route

import (
	"errors"
	"time"

	"rhinet/llc/ir"
)

// A Translator drives the two NICs of one rank.
type Translator struct {
	near, far ir.Translator
	refuser   ir.Refuser // far
	aimer     ir.Aimer   // near; nil: none
	express   ir.Express // near; nil: none
	hosts     []int      // host of each peer
	host      int        // host of this peer

	posted bool // packets that far may have refused
	unsure bool // packets that near may have refused
	lent   bool // the latest Poll gave a packet of near, which the next one consumes
	view   ir.View
	armed  bool
	hot    bool // the caller waits for a peer on another host
	warm   int  // how many more Polls look at far
	turns  uint // Polls
}

var (
	_ ir.Translator = (*Translator)(nil)
	_ ir.Router     = (*Translator)(nil)
)

// ErrFar reports a NIC that cannot be the far one.
var ErrFar = errors.New("llc/route: a NIC between hosts has no packet rings, and finds out in Post whether there is room")

// ErrNear reports a NIC that cannot be the near one.
var ErrNear = errors.New("llc/route: a NIC within a host that has packet rings has lanes or knows where packets show")

// New makes one translator of two of the same rank. hosts has the host of each peer. The translators belong
// to the result, unless there is an error.
func New(near, far ir.Translator, hosts []int) (ir.Translator, error) {
	can, network := ir.AbilitiesOf(near), ir.AbilitiesOf(far)
	if network.Refuser == nil || far.Caps().Rings != 0 {
		return nil, ErrFar
	}
	if near.Caps().Rings != 0 && can.Express == nil && can.Aimer == nil {
		return nil, ErrNear
	}
	t := &Translator{near: near, far: far, refuser: network.Refuser, aimer: can.Aimer, express: can.Express, hosts: hosts, host: hosts[near.Self()]}
	can.Router, can.Refuser, can.Clock = t, nil, nil
	can.Settler = network.Settler         // what is sent within a host has arrived
	can.Controller, can.Switch = nil, nil // these need all ranks; Memory, Remote, Atomics, Locker and Vectors are for the ranks on this host
	if can.Aimer != nil {
		can.Aimer = aimer{t}
	}
	if can.Express != nil {
		can.Express = express{t}
	}
	if can.FailureDetector != nil && network.FailureDetector != nil {
		can.FailureDetector = failureDetectors{can.FailureDetector, network.FailureDetector}
	} else {
		can.FailureDetector = nil
	}
	return can.Give(t), nil
}

// Self returns the number of this peer.
func (t *Translator) Self() int { return t.near.Self() }

// Peers returns how many peers the job has.
func (t *Translator) Peers() int { return len(t.hosts) }

// Caps returns the Caps of the NIC within the host.
func (t *Translator) Caps() ir.Caps { return t.near.Caps() }

// NICs returns the Caps of both.
func (t *Translator) NICs() []ir.Caps { return []ir.Caps{t.near.Caps(), t.far.Caps()} }

// NIC returns which of them reaches a peer.
func (t *Translator) NIC(peer int) int {
	if t.elsewhere(peer) {
		return 1
	}
	return 0
}

// Host returns the number of the host that a peer is on.
func (t *Translator) Host(peer int) int { return t.hosts[peer] }

func (t *Translator) elsewhere(peer int) bool {
	return uint(peer) < uint(len(t.hosts)) && t.hosts[peer] != t.host
}

// Post has the NIC of the peer carry out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	shared := cmd.Op == ir.Shared
	if t.elsewhere(int(cmd.Peer)) {
		t.posted, t.warm = t.posted || shared, warmTurns
		t.far.Post(cmd)
		return
	}
	t.unsure = t.unsure || shared
	t.near.Post(cmd)
}

// Poll gives the next event of either NIC.
func (t *Translator) Poll(ev *ir.Event) bool { return t.poll(ev, nobody) }

// nobody is the peer of a poll that leaves no ring out.
const nobody = -1

// poll is Poll that leaves out the packet ring that peer but writes. Refusals of the far side come before all
// events. Those of the near side come first among its own events, so the far side has its turn only after
// them.
func (t *Translator) poll(ev *ir.Event, but int) bool {
	if t.posted {
		if t.consume(); t.refuser.Refused(ev) {
			return true
		}
		t.posted = false
	}
	t.turns++
	due := t.hot || t.armed || t.warm > 0 || t.turns%farTurns == 0
	if due && !t.unsure && t.turns%2 == 0 {
		t.consume()
		return t.pollFar(ev) || t.pollNear(ev, but)
	}
	return t.pollNear(ev, but) || due && t.pollFar(ev)
}

// consume frees the packet of the near side that the latest Poll gave, as a Poll there does.
func (t *Translator) consume() {
	if !t.lent {
		return
	}
	if t.lent = false; t.express != nil {
		t.express.Look(t.Self(), &t.view) // this peer has no ring to itself
	} else if t.aimer != nil {
		t.aimer.Expect(0)
	}
}

func (t *Translator) pollNear(ev *ir.Event, but int) bool {
	for {
		t.lent = false
		found := false
		if but == nobody {
			found = t.near.Poll(ev)
		} else {
			found = t.express.PollOthers(but, ev)
		}
		if !found {
			t.unsure = false
			return false
		}
		if t.concerns(ev, 0) {
			t.unsure = t.unsure && ev.Kind == ir.Busy
			t.lent = ev.Kind == ir.Arrived
			return true
		}
	}
}

func (t *Translator) pollFar(ev *ir.Event) bool {
	for t.far.Poll(ev) {
		if t.concerns(ev, 1) {
			t.warm = warmTurns
			return true
		}
	}
	t.warm = max(t.warm-1, 0)
	return false
}

// concerns reports whether an event of a NIC is for the caller: the end of a peer is reported by the NIC that
// reaches it.
func (t *Translator) concerns(ev *ir.Event, nic int) bool {
	return ev.Kind != ir.Failed || ev.Token != 0 || int(ev.Peer) == t.Self() || t.NIC(int(ev.Peer)) == nic
}

// Hint says which peer the caller waits for.
func (t *Translator) Hint(peer int) {
	t.hot = t.elsewhere(peer)
	t.near.Hint(peer)
}

// Arm announces that this peer is about to sleep.
func (t *Translator) Arm() {
	t.near.Arm()
	t.far.Arm()
	t.armed = true
}

// Sleep blocks until the doorbell has rung, by peers on this host or by the network, or d has passed.
func (t *Translator) Sleep(d time.Duration) { t.far.Sleep(d) }

// Disarm withdraws Arm and reports whether the doorbell has rung since.
func (t *Translator) Disarm() (rung bool) {
	t.armed = false
	return t.near.Disarm()
}

// Wake rings the doorbell of a peer.
func (t *Translator) Wake(peer int) {
	if t.elsewhere(peer) {
		t.far.Wake(peer)
		return
	}
	t.near.Wake(peer)
}

// Close closes both, first the one that must get rid of its packets.
func (t *Translator) Close() error { return errors.Join(t.far.Close(), t.near.Close()) }
