package checksum

import (
	"errors"
	"fmt"
	"sync"

	"rhinet/llc/ir"
)

// ErrDamaged reports a packet or a flag that is not what its sender wrote.
var ErrDamaged = errors.New("does not have the checksum that its sender gave it: the memory that ranks share has been overwritten")

// A translator adds checksums to what another one sends, and verifies them.
type translator struct {
	ir.Translator

	caps  ir.Caps
	inner ir.Caps
	peers []peer
	out   []byte // the packet that is sent
	cmd   ir.Command
	in    []byte // the packet that has come

	mu   sync.Mutex // guards what Raised, which any goroutine may call, touches
	lost []error    // by peer: why nothing of it is used any more
	news []int      // peers lost that Poll has not reported
}

// A peer is the traffic with one peer.
type peer struct {
	ring      ring   // that this peer writes there
	shared    uint64 // packets sent in its shared ring
	fromRing  uint64 // packets that have come in the packet ring watched last
	fromEvery uint64 // packets that have come in the shared ring
}

// A ring is a packet ring as the engine and as the NIC count it: there each
// payload is longer, so that positions differ.
type ring struct {
	slot  uint64   // next line
	pos   uint64   // next data position of the engine
	wire  uint64   // of the NIC
	after []uint64 // the engine's position after a line, by number modulo the window
}

// Wrap returns t with checksums, and with the optional abilities that t has. t
// belongs to the result.
func Wrap(t ir.Translator) ir.Translator {
	c := t.Caps()
	w := &translator{Translator: t, inner: c, caps: reduced(c), peers: make([]peer, t.Peers()), lost: make([]error, t.Peers())}
	a := ir.AbilitiesOf(t)
	if a.Board != nil {
		a.Board = &board{t: w, b: a.Board}
	}
	a.Express = nil // its packets would pass without
	return a.Give(w)
}

// reduced returns what the engine may use: packets that are shorter by their
// checksums, and so few lines that they fit however they lie, since the engine
// keeps its account without the checksums.
func reduced(c ir.Caps) ir.Caps {
	in := c
	if c.Rings == 0 {
		c.Fragment -= sumBytes // of the shared ring
		return c
	}
	c.Fragment = max(min(c.Fragment, c.Bytes/8)-ir.LineBytes, ir.Inline)
	unit := ir.LineBytes * ((c.Fragment+sumBytes-1)/ir.LineBytes + 1)
	if c.Spread {
		unit = (unit + pageBytes - 1) / pageBytes * pageBytes
	}
	for c.Slots > 2 && (c.Slots+1)*unit > in.Bytes {
		c.Slots /= 2
	}
	return c
}

const pageBytes = 4096

// Caps returns what the engine must know of the NIC.
func (t *translator) Caps() ir.Caps { return t.caps }

// Post carries out cmd, with a checksum if it is a packet.
func (t *translator) Post(cmd *ir.Command) {
	if uint(cmd.Peer) >= uint(len(t.peers)) {
		t.Translator.Post(cmd)
		return
	}
	p := &t.peers[cmd.Peer]
	at := place{from: int32(t.Self()), to: cmd.Peer}
	switch cmd.Op {
	case ir.Open:
		p.ring = ring{}
	case ir.Watch:
		p.fromRing = 0
	case ir.Packet:
		at.ring, at.number = true, cmd.Slot
		t.send(cmd, at, p.ring.place(cmd, &t.caps, &t.inner))
		return
	case ir.Shared:
		at.number = p.shared
		p.shared++
		t.send(cmd, at, 0)
		return
	}
	t.Translator.Post(cmd)
}

// send posts cmd with a checksum.
func (t *translator) send(cmd *ir.Command, at place, pos uint64) {
	c := &t.cmd
	*c = *cmd
	t.out = seal(append(t.out[:0], cmd.Data...), packetSum(at, &cmd.Header, cmd.Data))
	c.Data, c.Pos = t.out, pos
	c.Header.Length = uint32(len(c.Data))
	t.Translator.Post(c)
}

// place counts a packet and returns its data position for the NIC.
func (r *ring) place(cmd *ir.Command, engine, nic *ir.Caps) uint64 {
	if r.after == nil {
		r.after = make([]uint64, engine.Slots)
	}
	n := len(cmd.Data)
	_, r.pos = ir.Place(r.pos, uint64(engine.Bytes), n, engine.Spread)
	at, next := ir.Place(r.wire, uint64(nic.Bytes), n+sumBytes, nic.Spread)
	r.slot, r.wire = cmd.Slot+1, next
	r.after[cmd.Slot%uint64(len(r.after))] = r.pos
	return at
}

// position returns the engine's data position after slots lines.
func (r *ring) position(slots uint64) uint64 {
	if slots == 0 || r.after == nil {
		return 0
	}
	return r.after[(slots-1)%uint64(len(r.after))]
}

// Poll gives the next event, if a packet then one that is as its sender wrote it.
func (t *translator) Poll(ev *ir.Event) bool {
	for {
		if t.Translator.Poll(ev) {
			if t.take(ev) {
				return true
			}
			continue
		}
		return t.tell(ev)
	}
}

// take reports whether the engine shall see an event.
func (t *translator) take(ev *ir.Event) bool {
	if uint(ev.Peer) >= uint(len(t.peers)) {
		return true
	}
	p := &t.peers[ev.Peer]
	switch ev.Kind {
	case ir.Busy:
		p.shared--
	case ir.Tail:
		ev.Pos = p.ring.position(ev.Slot)
	case ir.Failed:
		if ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone) {
			return t.lose(int(ev.Peer), ev.Err)
		}
	case ir.Arrived:
		return t.verify(p, ev)
	}
	return true
}

// verify reports whether a packet is what its sender wrote, and takes off the
// checksum.
func (t *translator) verify(p *peer, ev *ir.Event) bool {
	at := place{from: ev.Peer, to: int32(t.Self()), number: p.fromEvery}
	if at.ring = ev.Ring != ir.NoRing; at.ring {
		at.number = p.fromRing
		p.fromRing++
	} else {
		p.fromEvery++
	}
	t.mu.Lock()
	gone := t.lost[ev.Peer] != nil
	t.mu.Unlock()
	if gone {
		return false
	}
	t.in = append(t.in[:0], ev.Data...)
	payload, sum, ok := split(t.in)
	if ok {
		ev.Data, ev.Header.Length = payload, uint32(len(payload))
	}
	if ok && sum == packetSum(at, &ev.Header, payload) {
		return true
	}
	if at.ring {
		t.damaged(int(ev.Peer), fmt.Errorf("llc/checksum: packet %d from rank %d to rank %d %w", at.number, at.from, at.to, ErrDamaged))
		return false
	}
	// The name of its sender may be what was overwritten.
	err := fmt.Errorf("llc/checksum: a packet in the shared ring of rank %d, in the name of rank %d, %w", at.to, at.from, ErrDamaged)
	for i := range t.peers {
		if i != t.Self() {
			t.damaged(i, err)
		}
	}
	return false
}

// lose notes that a peer is gone and reports whether that is new.
func (t *translator) lose(peer int, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost[peer] != nil {
		return false
	}
	t.lost[peer] = err
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
		t.news = append(t.news, peer)
	}
}

// tell reports the end of a peer that Poll has not reported, if there is one.
func (t *translator) tell(ev *ir.Event) bool {
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
