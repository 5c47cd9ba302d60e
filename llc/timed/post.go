package timed

import (
	"fmt"

	"rhinet/llc/ir"
)

// Post carries out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	if t.NoPeer(cmd) {
		return
	}
	var err error
	switch cmd.Op {
	case ir.Shared:
		err = t.shared(cmd)
	case ir.Expose:
		err = t.Expose(cmd)
	case ir.Conceal:
		err = t.Conceal(cmd)
	case ir.Pull, ir.Push:
		err = t.move(cmd)
	case ir.Packet, ir.Open, ir.Watch, ir.ReadTail, ir.Swap:
		err = errUnsupported
	default:
		panic(fmt.Sprintf("llc/timed: no operation %d", cmd.Op))
	}
	if err != nil {
		t.Fail(cmd, err)
	}
}

// shared sends one packet.
func (t *Translator) shared(cmd *ir.Command) error {
	if len(cmd.Data) > t.caps.Fragment {
		return fmt.Errorf("llc/timed: a packet of %d bytes; there is room for %d", len(cmd.Data), t.caps.Fragment)
	}
	if t.Gone(int(cmd.Peer)) {
		return nil
	}
	t.head = cmd.Header.Words()
	if !t.node.Send(int(cmd.Peer), &t.head, cmd.Data, cmd.Offset != 0) {
		t.Busy(cmd)
	}
	return nil
}

// move copies the bytes of a transfer, and has the model delay its answer.
func (t *Translator) move(cmd *ir.Command) error {
	kind, err := t.Carry(cmd)
	if err != nil {
		return err
	}
	if kind == ir.Pulled {
		t.node.Pull(int(cmd.Peer), len(cmd.Data), t.under.begin(kind, cmd))
	} else {
		t.node.Push(int(cmd.Peer), len(cmd.Data), t.under.begin(kind, cmd))
	}
	return nil
}

// transfers are the transfers under way.
type transfers struct {
	all  []ir.Event // their answers; Kind 0: free
	free []int
}

// begin returns a number for a transfer.
func (u *transfers) begin(kind ir.Kind, cmd *ir.Command) uint64 {
	if len(u.free) == 0 {
		u.free = append(u.free, len(u.all))
		u.all = append(u.all, ir.Event{})
	}
	i := u.free[len(u.free)-1]
	u.free = u.free[:len(u.free)-1]
	u.all[i] = ir.Event{Kind: kind, Peer: cmd.Peer, Ring: cmd.Ring, Token: cmd.Token}
	return uint64(i)
}

// finish gives the answer of the transfer with a number.
func (u *transfers) finish(ev *ir.Event, number uint64) bool {
	if number >= uint64(len(u.all)) || u.all[number].Kind == 0 {
		return false
	}
	*ev, u.all[number] = u.all[number], ir.Event{}
	u.free = append(u.free, int(number))
	return true
}
