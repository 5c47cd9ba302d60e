package endpoint

import (
	"errors"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/lowlevel"
)

// KeepPinned has the endpoint keep memory pinned after its use, within the limits of a pin-down cache,
// because programs use the same buffers again. A registration still lasts for one use only: a peer reaches
// nothing after Conceal.
func (e *Endpoint) KeepPinned() {
	e.cache, e.lent = lowlevel.NewPinCache(e.nic, 0), map[martini.Segment]*lowlevel.Pinned{}
}

// Cache returns the pin-down cache, or nil.
func (e *Endpoint) Cache() *lowlevel.PinCache { return e.cache }

// Expose pins own memory and registers it.
func (e *Endpoint) Expose(cmd *ir.Command) error {
	s, err := e.expose(cmd.Data)
	if err != nil {
		return err
	}
	e.Answer(ir.Exposed, cmd).Segment = ir.Segment(s)
	return nil
}

func (e *Endpoint) expose(b []byte) (martini.Segment, error) {
	if e.cache == nil {
		return e.nic.Expose(b)
	}
	p, err := e.cache.Pin(b)
	if err != nil {
		return 0, err
	}
	s, err := e.nic.RegisterPinned(p.Pin, b)
	if err != nil {
		e.cache.Release(p)
		return 0, err
	}
	e.lent[s] = p
	return s, nil
}

// Conceal withdraws a registration.
func (e *Endpoint) Conceal(cmd *ir.Command) error {
	s := martini.Segment(cmd.Segment)
	p := e.lent[s]
	if p == nil {
		return e.nic.Conceal(s)
	}
	if err := e.nic.Release(s); err != nil {
		return err // a transfer still uses it: the memory stays pinned
	}
	delete(e.lent, s)
	e.cache.Release(p)
	return nil
}

// hold pins the local side of a transfer until release, which takes what hold has returned.
func (e *Endpoint) hold(b []byte) (pin martini.Pin, cached *lowlevel.Pinned, err error) {
	if e.cache == nil {
		pin, err = e.nic.Hold(b)
		return pin, nil, err
	}
	cached, err = e.cache.Pin(b)
	return 0, cached, err
}

func (e *Endpoint) release(pin martini.Pin, cached *lowlevel.Pinned) error {
	if cached == nil {
		return e.nic.Unpin(pin)
	}
	e.cache.Release(cached)
	return nil
}

// Move carries out a Pull or a Push. The caller lends the local side until the answer, which is ready on
// return.
func (e *Endpoint) Move(cmd *ir.Command) error {
	kind, err := e.Carry(cmd)
	if err != nil {
		return err
	}
	e.Answer(kind, cmd)
	return nil
}

// Carry is Move without the answer: it returns the kind of the answer. It pins the local side while the NIC
// moves it.
func (e *Endpoint) Carry(cmd *ir.Command) (ir.Kind, error) {
	pin, cached, err := e.hold(cmd.Data)
	if err != nil {
		return 0, err
	}
	r := martini.Request{Node: int(cmd.Peer), Segment: martini.Segment(cmd.Segment), Offset: cmd.Offset}
	kind := ir.Pulled
	if cmd.Op == ir.Pull {
		err = e.nic.Next().Pull(r, cmd.Data)
	} else {
		kind = ir.Pushed
		err = e.nic.Next().Push(r, cmd.Data)
	}
	return kind, errors.Join(err, e.release(pin, cached))
}
