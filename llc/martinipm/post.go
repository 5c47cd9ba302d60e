package martinipm

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini/pm"
)

// errUnsupported answers a command that the Caps rule out.
var errUnsupported = errors.New("llc/martinipm: not on this layer")

// Post carries out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	if t.NoPeer(cmd) {
		return
	}
	var err error
	switch cmd.Op {
	case ir.Shared:
		err = t.shared(cmd)
	case ir.Expose, ir.Pull, ir.Push:
		err = t.remote(cmd)
	case ir.Conceal:
		err = t.Conceal(cmd)
	case ir.Packet, ir.Open, ir.Watch, ir.ReadTail, ir.Swap:
		err = errUnsupported
	default:
		panic(fmt.Sprintf("llc/martinipm: no operation %d", cmd.Op))
	}
	if err != nil {
		t.Fail(cmd, err)
	}
}

// shared sends one PM message. Without room the answer is Busy, and the engine tries again after it has
// received, as PM demands.
func (t *Translator) shared(cmd *ir.Command) error {
	buf, err := t.pm.GetSendBuffer(int(cmd.Peer), headerBytes+len(cmd.Data))
	if err == nil {
		t.put(buf, &cmd.Header)
		copy(buf[headerBytes:], cmd.Data)
		err = t.pm.Send()
	}
	if err == pm.ErrNoBufs {
		t.Busy(cmd)
		err = nil
	}
	t.Wake(int(cmd.Peer))
	return err
}

// remote carries out commands that need RMA.
func (t *Translator) remote(cmd *ir.Command) error {
	switch {
	case !t.caps.Remote:
		return errUnsupported
	case cmd.Op == ir.Expose:
		return t.Expose(cmd)
	}
	return t.Move(cmd)
}
