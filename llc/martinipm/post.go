package martinipm

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// errUnsupported answers a command that the capabilities rule out.
var errUnsupported = errors.New("llc/martinipm: not on this layer")

// Post carries out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	if uint(cmd.Peer) >= uint(t.Peers()) && cmd.Op != ir.Expose && cmd.Op != ir.Conceal {
		t.fail(cmd, fmt.Errorf("llc/martinipm: peer %d; the job has 0 to %d", cmd.Peer, t.Peers()-1))
		return
	}
	var err error
	switch cmd.Op {
	case ir.Shared:
		err = t.shared(cmd)
	case ir.Expose:
		err = t.expose(cmd)
	case ir.Conceal:
		err = t.nic.Conceal(martini.Segment(cmd.Segment))
	case ir.Pull, ir.Push:
		err = t.move(cmd)
	case ir.Packet, ir.Watch, ir.ReadTail, ir.Swap:
		err = errUnsupported
	default:
		panic(fmt.Sprintf("llc/martinipm: no operation %d", cmd.Op))
	}
	if err != nil {
		t.fail(cmd, err)
	}
}

// shared sends one PM message. A sender without room is answered Busy and
// tries again, as PM demands, after it has received.
func (t *Translator) shared(cmd *ir.Command) error {
	buf, err := t.pm.GetSendBuffer(int(cmd.Peer), headerBytes+len(cmd.Data))
	if err == nil {
		t.put(buf, &cmd.Header)
		copy(buf[headerBytes:], cmd.Data)
		err = t.pm.Send()
	}
	if err == pm.ErrNoBufs {
		t.answer(ir.Busy, cmd)
		err = nil
	}
	t.Wake(int(cmd.Peer))
	return err
}

func (t *Translator) expose(cmd *ir.Command) error {
	if !t.caps.Remote {
		return errUnsupported
	}
	s, err := t.nic.Expose(cmd.Data)
	if err != nil {
		return err
	}
	t.answer(ir.Exposed, cmd).Segment = ir.Segment(s)
	return nil
}

// move pins the local side while the NIC moves it: the caller lends it until
// the answer, which is ready on return.
func (t *Translator) move(cmd *ir.Command) error {
	if !t.caps.Remote {
		return errUnsupported
	}
	pin, err := t.nic.Hold(cmd.Data)
	if err != nil {
		return err
	}
	r := martini.Request{Node: int(cmd.Peer), Segment: martini.Segment(cmd.Segment), Offset: cmd.Offset}
	kind := ir.Pulled
	if cmd.Op == ir.Pull {
		err = t.nic.Next().Pull(r, cmd.Data)
	} else {
		kind = ir.Pushed
		err = t.nic.Next().Push(r, cmd.Data)
	}
	if err := errors.Join(err, t.nic.Unpin(pin)); err != nil {
		return err
	}
	t.answer(kind, cmd)
	return nil
}

// answer queues an event.
func (t *Translator) answer(kind ir.Kind, cmd *ir.Command) *ir.Event {
	t.answers = append(t.answers, ir.Event{Kind: kind, Peer: cmd.Peer, Ring: ir.NoRing, Token: cmd.Token})
	return &t.answers[len(t.answers)-1]
}

// fail answers a command with the refusal of NIC or layer. A shared packet has
// no such answer: a way to a peer that is broken is reported as the peer's end.
// The first refusal that shows a peer to be dead is followed by that report.
func (t *Translator) fail(cmd *ir.Command, err error) {
	inside := uint(cmd.Peer) < uint(len(t.gone))
	if errors.Is(err, martini.Gone) || cmd.Op == ir.Shared && inside {
		err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	if cmd.Op != ir.Shared || !inside {
		t.answer(ir.Failed, cmd).Err = err
	}
	if inside && errors.Is(err, ir.ErrPeerGone) && !t.gone[cmd.Peer] {
		t.gone[cmd.Peer] = true
		t.answers = append(t.answers, ir.Event{Kind: ir.Failed, Peer: cmd.Peer, Err: err})
	}
}
