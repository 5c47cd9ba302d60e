package checksum

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// ErrDamaged reports a packet or a flag that is not what its sender wrote.
var ErrDamaged = errors.New("does not have the checksum that its sender gave it: the memory that ranks share has been overwritten")

// A translator adds checksums to what the wrapped one sends, and verifies those of what it receives.
type translator struct {
	ir.Translator

	caps  ir.Caps
	peers []peer
	out   []byte // room for a packet that is sent, with its checksum
	cmd   ir.Command
	in    []byte // room for the payload of a received packet

	some atomic.Bool // lost has an entry
	mu   sync.Mutex  // guards what Raised touches, which any goroutine may call
	lost []error     // by peer: why nothing from it is used any more
	news []int       // lost peers that Poll has not reported
}

// A peer is the ways to one peer and from it.
type peer struct {
	toRing, toShared     way
	fromRing, fromShared way // the first counts from the latest Watch on
}

// Wrap returns t with checksums, and with the optional abilities that t has, except Switch. t belongs to the
// result.
func Wrap(t ir.Translator) ir.Translator {
	c := t.Caps()
	w := &translator{Translator: t, caps: reduced(c), peers: make([]peer, t.Peers()), lost: make([]error, t.Peers())}
	self := t.Self()
	for i := range w.peers {
		w.peers[i] = peer{wayOf(self, i, true), wayOf(self, i, false), wayOf(i, self, true), wayOf(i, self, false)}
	}
	a := ir.AbilitiesOf(t)
	if a.FlagArray != nil {
		a.FlagArray = &flagArray{t: w, b: a.FlagArray}
	}
	if a.Express != nil {
		x := &express{t: w, x: a.Express, lanes: a.Lanes, outs: make([]*ring.Outlet, t.Peers())}
		if a.Express = x; a.Lanes != nil {
			a.Lanes = x
		}
	}
	a.Switch = nil // multicasts would have no checksum
	if a.Refuser != nil {
		a.Refuser = &refuser{w, a.Refuser}
	}
	return a.Give(w)
}

// reduced returns the Caps for the engine: packets are shorter by their checksums.
func reduced(c ir.Caps) ir.Caps {
	c.Fragment -= sumBytes
	c.Gathers = false // a checksum is of what lies in one piece
	if c.Rings > 0 {
		c.Trailer += sumBytes
	}
	return c
}

// Caps returns what the engine must know of the NIC.
func (t *translator) Caps() ir.Caps { return t.caps }

// Post carries out cmd, with a checksum if it is a packet.
func (t *translator) Post(cmd *ir.Command) {
	if uint(cmd.Peer) >= uint(len(t.peers)) {
		t.Translator.Post(cmd)
		return
	}
	p := &t.peers[cmd.Peer]
	switch cmd.Op {
	case ir.Watch:
		p.fromRing.count = 0
	case ir.Packet:
		t.send(cmd, &p.toRing, cmd.Slot)
		return
	case ir.Shared:
		number := p.toShared.count
		p.toShared.count++
		t.send(cmd, &p.toShared, number)
		return
	}
	t.Translator.Post(cmd)
}

// send posts cmd, packet number number of w, with a checksum.
func (t *translator) send(cmd *ir.Command, w *way, number uint64) {
	c := &t.cmd
	*c = *cmd
	words := cmd.Header.Words()
	t.out = room(t.out, len(cmd.Data)+sumBytes)
	c.Data = w.seal(number, &words, t.out, cmd.Data)
	c.Header.Length = uint32(len(c.Data))
	t.Translator.Post(c)
}

// Poll gives the next event; a packet is given only if it is as its sender wrote it.
func (t *translator) Poll(ev *ir.Event) bool {
	for t.Translator.Poll(ev) {
		if t.take(ev) {
			return true
		}
	}
	return t.tell(ev)
}

// A refuser is that of the NIC: a packet that was refused does not count.
type refuser struct {
	t *translator
	r ir.Refuser
}

// Refused is that of the NIC.
func (r *refuser) Refused(ev *ir.Event) bool { return r.r.Refused(ev) && r.t.take(ev) }

// take reports whether the engine gets an event.
func (t *translator) take(ev *ir.Event) bool {
	if uint(ev.Peer) >= uint(len(t.peers)) {
		return true
	}
	p := &t.peers[ev.Peer]
	switch ev.Kind {
	case ir.Busy:
		p.toShared.count--
	case ir.Failed:
		if ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone) {
			return t.lose(int(ev.Peer), ev.Err)
		}
	case ir.Arrived:
		return t.verify(p, ev)
	}
	return true
}

// verify reports whether a packet is what its sender wrote, and removes the checksum.
func (t *translator) verify(p *peer, ev *ir.Event) bool {
	w, shared := &p.fromRing, ev.Ring == ir.NoRing
	if shared {
		w = &p.fromShared
	}
	number := w.count
	w.count++
	if t.gone(int(ev.Peer)) {
		return false
	}
	words := ev.Header.Words()
	t.in = room(t.in, len(ev.Data))
	if payload, ok := w.open(number, &words, t.in, ev.Data); ok {
		ev.Data, ev.Header.Length = payload, uint32(len(payload))
		return true
	}
	if !shared {
		t.damaged(int(ev.Peer), fmt.Errorf("llc/checksum: packet %d from rank %d to rank %d %w", number, ev.Peer, t.Self(), ErrDamaged))
		return false
	}
	// The number of the sender may be what was overwritten.
	err := fmt.Errorf("llc/checksum: a packet in the shared ring of rank %d, in the name of rank %d, %w", t.Self(), ev.Peer, ErrDamaged)
	for i := range t.peers {
		if i != t.Self() {
			t.damaged(i, err)
		}
	}
	return false
}

// room returns memory of n bytes, in b if it is large enough.
func room(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// gone reports whether nothing from a peer is used any more.
func (t *translator) gone(peer int) bool { return t.some.Load() && t.isLost(peer) }

func (t *translator) isLost(peer int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost[peer] != nil
}

// lose notes that a peer is gone and reports whether that is new.
func (t *translator) lose(peer int, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost[peer] != nil {
		return false
	}
	t.lost[peer] = err
	t.some.Store(true)
	return true
}

// damaged has Poll report the end of a peer.
func (t *translator) damaged(peer int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.damagedLocked(peer, err)
}

func (t *translator) damagedLocked(peer int, err error) {
	if t.lost[peer] == nil {
		t.lost[peer] = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
		t.some.Store(true)
		t.news = append(t.news, peer)
	}
}

// tell reports the end of a peer that Poll has not reported, if there is one.
func (t *translator) tell(ev *ir.Event) bool {
	if !t.some.Load() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.news) == 0 {
		return false
	}
	peer := t.news[0]
	t.news = t.news[1:]
	*ev = ir.Event{Kind: ir.Failed, Peer: int32(peer), Err: t.lost[peer]}
	return true
}
