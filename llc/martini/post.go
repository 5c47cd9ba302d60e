package martini

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// errWatched reports a second packet ring from one peer.
var errWatched = errors.New("llc/martini: a packet ring of this peer is polled already")

// Post carries out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	if uint(cmd.Peer) >= uint(len(t.peers)) && cmd.Op != ir.Expose && cmd.Op != ir.Conceal {
		t.Fail(cmd, fmt.Errorf("llc/martini: peer %d; the job has 0 to %d", cmd.Peer, len(t.peers)-1))
		return
	}
	var err error
	switch cmd.Op {
	case ir.Packet:
		err = t.packetTo(&t.peers[cmd.Peer], cmd)
	case ir.Shared:
		err = t.shared(&t.peers[cmd.Peer], cmd)
	case ir.Open:
		_, err = t.channel(&t.peers[cmd.Peer], cmd)
	case ir.Watch:
		err = t.watch(&t.peers[cmd.Peer], cmd)
	case ir.ReadTail:
		err = t.readTail(&t.peers[cmd.Peer], cmd)
	case ir.Expose:
		err = t.Expose(cmd)
	case ir.Conceal:
		err = t.Conceal(cmd)
	case ir.Pull, ir.Push:
		err = t.Move(cmd)
	case ir.Swap:
		err = t.swap(cmd)
	default:
		panic(fmt.Sprintf("llc/martini: no operation %d", cmd.Op))
	}
	if err != nil {
		t.Fail(cmd, err)
	}
}

// channel returns the way into the packet ring that cmd names.
func (t *Translator) channel(p *peer, cmd *ir.Command) (*martini.Channel, error) {
	if p.channel != nil && p.ring == cmd.Ring {
		return p.channel, nil
	}
	c, err := t.NIC().Channel(t.NIC().Next(), int(cmd.Peer), int(cmd.Ring))
	if err == nil {
		p.channel, p.ring, p.bell = c, cmd.Ring, t.Bell(int(cmd.Peer))
	}
	return c, err
}

func (t *Translator) packetTo(p *peer, cmd *ir.Command) error {
	c, err := t.channel(p, cmd)
	if err != nil {
		return err
	}
	head := cmd.Header.Words()
	if err := c.Put(cmd.Slot, cmd.Pos, &head, cmd.Data); err != nil {
		return err
	}
	t.Wake(int(cmd.Peer))
	return nil
}

func (t *Translator) shared(p *peer, cmd *ir.Command) error {
	if p.mail == nil {
		m, err := t.NIC().Mailbox(t.NIC().Next(), int(cmd.Peer))
		if err != nil {
			return err
		}
		p.mail = m
	}
	head := cmd.Header.Words()
	ok, err := p.mail.Append(&head, cmd.Data)
	if err != nil {
		return err
	}
	if !ok {
		t.Busy(cmd)
	}
	t.Wake(int(cmd.Peer))
	return nil
}

func (t *Translator) watch(p *peer, cmd *ir.Command) error {
	if p.watched {
		return errWatched
	}
	r := t.NIC().RingReader(int(cmd.Ring))
	if r == nil {
		return fmt.Errorf("llc/martini: packet ring %d; the pool has 0 to %d", cmd.Ring, t.caps.Rings-1)
	}
	p.watched = true
	t.set.Add(int(cmd.Peer), uint32(cmd.Ring), r)
	return nil
}

func (t *Translator) readTail(p *peer, cmd *ir.Command) error {
	c, err := t.channel(p, cmd)
	if err != nil {
		return err
	}
	slot, pos, err := c.Consumed()
	if err != nil {
		return err
	}
	ev := t.Answer(ir.Tail, cmd)
	ev.Slot, ev.Pos = slot, pos
	return nil
}

func (t *Translator) swap(cmd *ir.Command) error {
	old, err := t.NIC().Next().Swap(int(cmd.Peer), cmd.Offset, cmd.Old, cmd.New)
	if err != nil {
		return err
	}
	t.Answer(ir.Swapped, cmd).Old = old
	return nil
}
