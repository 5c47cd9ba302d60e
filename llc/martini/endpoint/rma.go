package endpoint

import (
	"errors"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// Expose pins own memory down and registers it.
func (e *Endpoint) Expose(cmd *ir.Command) error {
	s, err := e.nic.Expose(cmd.Data)
	if err != nil {
		return err
	}
	e.Answer(ir.Exposed, cmd).Segment = ir.Segment(s)
	return nil
}

// Conceal withdraws a registration.
func (e *Endpoint) Conceal(cmd *ir.Command) error { return e.nic.Conceal(martini.Segment(cmd.Segment)) }

// Move carries out a Pull or a Push. It pins the local side while the NIC moves
// it: the caller lends it until the answer, which is ready on return.
func (e *Endpoint) Move(cmd *ir.Command) error {
	pin, err := e.nic.Hold(cmd.Data)
	if err != nil {
		return err
	}
	r := martini.Request{Node: int(cmd.Peer), Segment: martini.Segment(cmd.Segment), Offset: cmd.Offset}
	kind := ir.Pulled
	if cmd.Op == ir.Pull {
		err = e.nic.Next().Pull(r, cmd.Data)
	} else {
		kind = ir.Pushed
		err = e.nic.Next().Push(r, cmd.Data)
	}
	if err := errors.Join(err, e.nic.Unpin(pin)); err != nil {
		return err
	}
	e.Answer(kind, cmd)
	return nil
}
