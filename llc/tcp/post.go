package tcp

import (
	"errors"
	"fmt"
	"time"

	"rhinet/internal/tcp"
	"rhinet/llc/ir"
)

// errUnsupported answers a command that the Caps rule out.
var errUnsupported = errors.New("llc/tcp: not on this network")

// A peer is what is known of one peer.
type peer struct {
	link    *link     // the stream to it, or one that may become it; nil: there is none
	awaited time.Time // its own stream is on its way; until then none is made here
	left    bool      // its stream has ended

	queue tcp.Queue // what must be sent to it
}

// Post carries out cmd, or starts it.
func (t *Translator) Post(cmd *ir.Command) {
	if t.NoPeer(cmd) {
		return
	}
	var err error
	switch cmd.Op {
	case ir.Shared:
		t.shared(cmd)
	case ir.Expose:
		t.expose(cmd)
	case ir.Conceal:
		err = t.conceal(cmd.Segment)
	case ir.Pull, ir.Push:
		t.move(cmd)
	case ir.Packet, ir.Open, ir.Watch, ir.ReadTail, ir.Swap:
		err = errUnsupported
	default:
		panic(fmt.Sprintf("llc/tcp: no operation %d", cmd.Op))
	}
	if err != nil {
		t.Fail(cmd, err)
	}
}

// shared sends a packet, or keeps it. For a peer that takes nothing quota packets are kept, and then the
// answer is Busy.
func (t *Translator) shared(cmd *ir.Command) {
	number := int(cmd.Peer)
	p := &t.peers[number]
	switch {
	case t.Gone(number):
		return
	case p.left:
		if p.link == nil { // if not, Poll first looks at what came on it
			t.End(number, errLeft)
		}
		return
	case p.queue.Packets() == quota || number == t.Self() && len(t.own) == quota:
		t.Busy(cmd)
		return
	}
	t.posted = true
	if number != t.Self() && p.queue.Empty() && p.link != nil && p.link.state == joined {
		t.straight(p, number, cmd)
		return
	}
	b := t.framed(cmd)
	if number == t.Self() {
		t.own = append(t.own, b)
		return
	}
	p.queue.AddPacket(b)
	t.send(number)
}

// framed copies a packet, with its head, to memory of the pool.
func (t *Translator) framed(cmd *ir.Command) []byte {
	b := t.pool.Get()
	t.lead((*tcp.Head)(b), packet, len(cmd.Data), &cmd.Header)
	return b[:tcp.HeadBytes+copy(b[tcp.HeadBytes:], cmd.Data)]
}

// straight sends a packet from where it lies, and keeps what the system does not take.
func (t *Translator) straight(p *peer, number int, cmd *ir.Command) {
	var n int
	var err error
	h := t.scratch[:tcp.HeadBytes]
	t.lead((*tcp.Head)(h), packet, len(cmd.Data), &cmd.Header)
	if len(cmd.Data) <= short {
		n, err = p.link.socket.Send(append(h, cmd.Data...))
	} else {
		n, err = p.link.socket.SendBoth(h, cmd.Data)
	}
	if err != nil {
		t.cut(p.link)
	} else if n < tcp.HeadBytes+len(cmd.Data) {
		p.queue.Begun(t.framed(cmd), n)
		t.block(number)
	}
}

// send sends what waits for a peer, or has Poll try again.
func (t *Translator) send(number int) {
	if !t.flush(number) {
		t.block(number)
	}
}

// block has Poll try again to send to a peer.
func (t *Translator) block(number int) {
	for _, other := range t.blocked {
		if int(other) == number {
			return
		}
	}
	t.blocked = append(t.blocked, int32(number))
}

// retry starts what could not be started, and checks from time to time whether peers that take nothing are
// still there.
func (t *Translator) retry() {
	t.tries++
	for i := 0; i < len(t.blocked); {
		number := t.blocked[i]
		if t.flush(int(number)) {
			t.blocked = append(t.blocked[:i], t.blocked[i+1:]...)
		} else {
			i++
		}
	}
	if len(t.waiting) > 0 {
		t.startMoves()
	}
	if t.tries%triesPerLook == 0 {
		t.census()
	}
}

// flush sends what waits for a peer, as far as the system takes it, and reports whether nothing is left.
func (t *Translator) flush(number int) bool {
	p := &t.peers[number]
	if p.queue.Empty() {
		return true
	}
	if p.link == nil {
		t.reach(number)
	}
	if p.link == nil || p.link.state != joined {
		return t.Gone(number)
	}
	all, err := p.queue.Flush(p.link.socket, &t.pool)
	if err != nil {
		t.cut(p.link)
	}
	return all || err != nil
}

// cut handles the end of a stream that shows when something is sent. Poll still looks at what has come on it
// before.
func (t *Translator) cut(l *link) {
	p := &t.peers[l.peer]
	p.queue.Drop(&t.pool)
	p.left, l.cut = true, true
	t.freshen(l)
}

// census reports the end of peers that are waited for and have left.
func (t *Translator) census() {
	for i := 0; i < len(t.blocked); i++ {
		t.Check(int(t.blocked[i]))
	}
	for i := range t.waiting {
		t.Check(int(t.waiting[i].Peer))
	}
}

// forget ends what is under way to a peer that has ended.
func (t *Translator) forget(number int, err error) {
	p := &t.peers[number]
	if p.link != nil {
		t.hangUp(p.link)
	}
	p.queue.Drop(&t.pool)
	*p = peer{left: true}
	t.forgetMoves(number, err)
}
