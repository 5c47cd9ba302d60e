package ofi

import (
	"errors"
	"fmt"
	"slices"

	"rhinet/internal/libfabric"
	"rhinet/llc/ir"
)

// errUnsupported answers a command that the Caps rule out.
var errUnsupported = errors.New("llc/ofi: not on this network")

// errSegment answers a command about memory that was never exposed.
var errSegment = errors.New("llc/ofi: no such segment")

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
		err = t.expose(cmd)
	case ir.Conceal:
		err = t.conceal(cmd.Segment)
	case ir.Pull, ir.Push:
		t.move(cmd)
	case ir.Packet, ir.Open, ir.Watch, ir.ReadTail, ir.Swap:
		err = errUnsupported
	default:
		panic(fmt.Sprintf("llc/ofi: no operation %d", cmd.Op))
	}
	if err != nil {
		t.Fail(cmd, err)
	}
}

// shared sends a packet, or keeps it for the next Poll. For a peer that takes nothing quota packets are kept,
// and then the answer is Busy.
func (t *Translator) shared(cmd *ir.Command) {
	p := &t.peers[cmd.Peer]
	if t.Gone(int(cmd.Peer)) {
		return
	}
	if p.used == quota {
		t.Busy(cmd)
		return
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	p.used++
	b := t.packet(t.outbox, int(i))
	t.PutHeader(b, &cmd.Header)
	t.lengths[i], t.owner[i] = int32(headerBytes+copy(b[headerBytes:], cmd.Data)), cmd.Peer
	if len(p.queue) > 0 {
		p.queue = append(p.queue, i)
		return
	}
	t.posted = true
	if err := t.send(p, int(cmd.Peer), i); err != nil {
		t.defers(p, cmd.Peer, i, err)
	}
}

// send starts to send a packet.
func (t *Translator) send(p *peer, number int, i int32) error {
	if !p.known && !t.find(p, number) {
		return libfabric.ErrAgain
	}
	return t.lib.Send(p.addr, t.packet(t.outbox, int(i))[:t.lengths[i]], t.sends+int(i))
}

// defers keeps a packet that could not be sent for now, or reports the end of a peer to which nothing can be
// sent.
func (t *Translator) defers(p *peer, number, i int32, err error) {
	if err != libfabric.ErrAgain {
		t.drop(i)
		t.End(int(number), err)
		return
	}
	if t.Gone(int(number)) {
		t.drop(i)
		return
	}
	if len(p.queue) == 0 {
		t.blocked = append(t.blocked, number)
	}
	p.queue = append(p.queue, i)
}

// find looks up the address of a peer, which the peer publishes when it starts.
func (t *Translator) find(p *peer, number int) bool {
	name := t.Name(number)
	if name == nil {
		return false
	}
	addr, err := t.lib.Insert(name)
	if err != nil {
		t.End(number, err)
		return false
	}
	p.addr, p.known = addr, true
	return true
}

// retry starts what could not be started, and checks from time to time whether peers that take nothing are
// still there.
func (t *Translator) retry() {
	t.tries++
	kept := t.blocked[:0]
	for _, number := range t.blocked {
		if t.flush(&t.peers[number], int(number)) {
			kept = append(kept, number)
		}
	}
	t.blocked = kept
	if len(t.waiting) > 0 {
		t.startMoves()
	}
	if t.tries%triesPerLook == 0 {
		t.census()
	}
}

// flush sends the packets that wait for a peer, and reports whether some still wait.
func (t *Translator) flush(p *peer, number int) bool {
	for len(p.queue) > 0 {
		i := p.queue[0]
		err := t.send(p, number, i)
		if err == libfabric.ErrAgain {
			return !t.Gone(number)
		}
		if p.queue = append(p.queue[:0], p.queue[1:]...); err != nil {
			t.drop(i)
			t.End(number, err)
		}
	}
	return false
}

// census reports the end of peers that are waited for and have left.
func (t *Translator) census() {
	for _, number := range t.blocked {
		t.Check(int(number))
	}
	for i := range t.waiting {
		t.Check(int(t.waiting[i].Peer))
	}
	for i := range t.moves {
		if m := &t.moves[i]; m.cmd.Op != 0 && !m.over {
			t.Check(int(m.cmd.Peer))
		}
	}
}

// forget ends what is under way to a peer that has ended.
func (t *Translator) forget(number int, err error) {
	p := &t.peers[number]
	for _, i := range p.queue {
		t.drop(i)
	}
	p.queue = p.queue[:0]
	for i := range t.moves {
		if m := &t.moves[i]; m.cmd.Op != 0 && !m.over && int(m.cmd.Peer) == number {
			m.over = true
			t.Fail(&m.cmd, err)
		}
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(cmd ir.Command) bool {
		if int(cmd.Peer) != number {
			return false
		}
		t.Fail(&cmd, err)
		return true
	})
}

// sent ends a send.
func (t *Translator) sent(i int32, err error) {
	number := int(t.owner[i])
	t.drop(i)
	if err != nil {
		t.End(number, err)
	}
}

// drop frees the place of a packet.
func (t *Translator) drop(i int32) {
	t.peers[t.owner[i]].used--
	t.free = append(t.free, i)
}
