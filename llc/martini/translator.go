package martini

import (
	"fmt"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// A Translator drives the NIC of one rank.
type Translator struct {
	endpoint.Endpoint
	caps   ir.Caps
	peers  []peer
	set    *ring.Set
	packet ring.Packet
	flags  []ring.Line
	pole   *martini.Flagpole // opened on first use
	turn   int               // whose account is written anew next
}

// A peer is what is open towards one peer; each is opened on first use.
type peer struct {
	ring    ir.Ring // of channel
	channel *martini.Channel
	bell    *fabric.Doorbell
	mail    *martini.Mailbox
	watched bool // its packet ring is in the set
}

var (
	_ ir.Translator = (*Translator)(nil)
	_ ir.Board      = (*Translator)(nil)
	_ ir.Aimer      = (*Translator)(nil)
	_ ir.Auditor    = (*Translator)(nil)
)

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	end, err := endpoint.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	nic := end.NIC()
	g := f.Geometry()
	return &Translator{
		Endpoint: end, peers: make([]peer, f.Ranks()), flags: nic.Flags(),
		set: ring.NewSet(nic.MailReader(), f.Ranks()),
		caps: ir.Caps{
			Name: "martini", Rings: g.Rings, Slots: g.Ring.Slots, Bytes: g.Ring.Bytes, Spread: g.Ring.Spread, Words: g.Words,
			Remote: nic.Remote(), Fragment: min(fragment, g.Ring.Bytes/2), Eager: eager, Split: split, SplitUnit: splitUnit, Copies: 1,
		},
	}, nil
}

// Caps returns what the engine must know of the NIC.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Hint looks at peer's ring first from now on.
func (t *Translator) Hint(peer int) { t.set.Hint(peer) }

// Expect asks for the payload of the next packet of the peer hinted at.
func (t *Translator) Expect() (apart bool) { return t.set.Expect() }

// Aim tells where the next packet of the peer hinted at shows.
func (t *Translator) Aim() (word *uint64, seq uint32) { return t.set.Aim() }

// Arm announces that this peer is about to sleep.
func (t *Translator) Arm() {
	t.Endpoint.Arm()
	t.set.Sweep()
}

// Poll gives the next answer, or else the next arrival.
func (t *Translator) Poll(ev *ir.Event) bool {
	if t.Answered() {
		t.set.Consume()
		t.answer(ev)
		return true
	}
	ok, err := t.set.Poll(&t.packet)
	return t.report(ev, ok, err)
}

// report makes an event of what a pass over the rings found.
func (t *Translator) report(ev *ir.Event, ok bool, err error) bool {
	if !ok {
		return err != nil && t.corrupt(ev, err)
	}
	p := &t.packet
	ev.Kind = ir.Arrived
	ev.Peer = int32(p.Peer)
	ev.Ring = ir.Ring(p.Ring)
	ev.Data = p.Data
	ev.Header.Unpack(&p.Head, len(p.Data))
	ev.Token, ev.Err = 0, nil
	return true
}

// corrupt reports that nothing more is read from the ring that the latest Poll
// of the set looked at: from its writer, or from anybody if it is the shared ring.
func (t *Translator) corrupt(ev *ir.Event, err error) bool {
	from := t.packet.Peer
	if t.packet.Ring == ring.Everybody {
		err = fmt.Errorf("llc/martini: the shared ring of rank %d: %w", t.Self(), err)
		from = -1
	}
	if t.LoseFrom(from, err); !t.Answered() {
		return false
	}
	t.answer(ev)
	return true
}

// answer gives the oldest answer. After the end of a peer nothing of it arrives.
func (t *Translator) answer(ev *ir.Event) {
	t.Next(ev)
	if ev.Kind == ir.Failed && ev.Token == 0 && t.Gone(int(ev.Peer)) {
		t.set.Remove(int(ev.Peer))
	}
}
