package martini

import (
	"errors"
	"fmt"
	"time"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// A Translator drives the NIC of one rank.
type Translator struct {
	nic     *martini.NIC
	fabric  *fabric.Fabric
	self    int
	caps    ir.Caps
	peers   []peer
	set     *ring.Set
	packet  ring.Packet
	answers []ir.Event
	next    int // first of answers that Poll has not given
	flags   []ring.Line
}

// A peer is what is open towards one peer; each is opened on first use.
type peer struct {
	ring    ir.Ring // of channel
	channel *martini.Channel
	mail    *martini.Mailbox
	pole    *martini.Flagpole
	watched bool // its packet ring is in the set
	gone    bool // reported as dead
}

var (
	_ ir.Translator = (*Translator)(nil)
	_ ir.Board      = (*Translator)(nil)
	_ ir.Aimer      = (*Translator)(nil)
)

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	if f.Ranks() > ir.MaxPeers {
		return nil, fmt.Errorf("llc/martini: %d ranks; at most %d", f.Ranks(), ir.MaxPeers)
	}
	nic, err := martini.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	g := f.Geometry()
	t := &Translator{
		nic: nic, fabric: f, self: rank, peers: make([]peer, f.Ranks()), flags: nic.Flags(),
		set: ring.NewSet(nic.MailReader(), f.Ranks()),
		caps: ir.Caps{
			Name: "martini", Rings: g.Rings, Slots: g.Ring.Slots, Bytes: g.Ring.Bytes, Words: g.Words,
			Remote: nic.Remote(), Fragment: min(fragment, g.Ring.Bytes/2), Eager: eager, Split: split, SplitUnit: splitUnit, Copies: 1,
		},
	}
	t.Clear()
	return t, nil
}

// Self returns the own number.
func (t *Translator) Self() int { return t.self }

// Peers returns how many peers the job has, this one included.
func (t *Translator) Peers() int { return len(t.peers) }

// Caps returns what the engine must know of the NIC.
func (t *Translator) Caps() ir.Caps { return t.caps }

// NIC returns the NIC, for programs that measure or examine it.
func (t *Translator) NIC() *martini.NIC { return t.nic }

// Close withdraws all registrations. A rank that aborts stays one.
func (t *Translator) Close() error {
	if s, _ := t.fabric.Status(t.self); s.State != fabric.Aborting {
		t.fabric.Publish(t.self, &fabric.Status{State: fabric.Finished})
	}
	return t.nic.Close()
}

// Hint looks at peer's ring first from now on.
func (t *Translator) Hint(peer int) { t.set.Hint(peer) }

// Aim tells where the next packet of the peer hinted at shows.
func (t *Translator) Aim() (word *uint64, seq uint32) { return t.set.Aim() }

// Arm announces that this peer is about to sleep.
func (t *Translator) Arm() {
	t.fabric.Bell(t.self).Arm()
	t.set.Sweep()
}

// Sleep blocks until the doorbell rings or d has passed.
func (t *Translator) Sleep(d time.Duration) { t.fabric.Bell(t.self).Sleep(d) }

// Disarm withdraws Arm.
func (t *Translator) Disarm() { t.fabric.Bell(t.self).Disarm() }

// Wake rings peer's doorbell if peer sleeps.
func (t *Translator) Wake(peer int) { t.fabric.Bell(peer).Ring() }

// Poll gives the next answer, or else the next arrival.
func (t *Translator) Poll(ev *ir.Event) bool {
	if t.next < len(t.answers) {
		t.set.Consume()
		*ev = t.answers[t.next]
		if t.next++; t.next == len(t.answers) {
			t.answers, t.next = t.answers[:0], 0
		}
		return true
	}
	p := &t.packet
	ok, err := t.set.Poll(p)
	if !ok {
		if err == nil {
			return false
		}
		*ev = ir.Event{Kind: ir.Failed, Peer: int32(p.Peer), Ring: ir.Ring(p.Ring), Err: err}
		return true
	}
	ev.Kind = ir.Arrived
	ev.Peer = int32(p.Peer)
	ev.Ring = ir.Ring(p.Ring)
	ev.Data = p.Data
	// Field by field: a header built first and copied then costs 7 ns, because
	// its wide loads must wait for the narrow stores before them.
	h := &ev.Header
	h.Kind, h.Flags, h.Context = uint8(p.Head[0]>>32), uint8(p.Head[0]>>40), uint16(p.Head[0]>>48)
	h.Tag, h.Length, h.Word = int32(p.Head[1]>>32), uint32(len(p.Data)), p.Head[2]
	ev.Token, ev.Err = 0, nil
	return true
}

// pack makes a packet's header words.
func pack(h *ir.Header) [3]uint64 {
	return [3]uint64{
		uint64(h.Kind)<<32 | uint64(h.Flags)<<40 | uint64(h.Context)<<48,
		uint64(uint32(h.Tag)) << 32,
		h.Word,
	}
}

// answer queues an event.
func (t *Translator) answer(kind ir.Kind, cmd *ir.Command) *ir.Event {
	t.answers = append(t.answers, ir.Event{Kind: kind, Peer: cmd.Peer, Ring: cmd.Ring, Token: cmd.Token})
	return &t.answers[len(t.answers)-1]
}

// fail answers a command with the NIC's refusal. The first refusal that shows
// a peer to be dead is followed by the report that says so.
func (t *Translator) fail(cmd *ir.Command, err error) {
	if errors.Is(err, martini.Gone) {
		err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	t.answer(ir.Failed, cmd).Err = err
	if errors.Is(err, ir.ErrPeerGone) && !t.peers[cmd.Peer].gone {
		t.peers[cmd.Peer].gone = true
		t.answer(ir.Failed, &ir.Command{Peer: cmd.Peer}).Err = err
	}
}
