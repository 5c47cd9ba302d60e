package endpoint

import (
	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

var (
	_ ir.Memory     = (*Endpoint)(nil)
	_ ir.Remote     = (*Endpoint)(nil)
	_ ir.BlockMover = (*Endpoint)(nil)
)

// ExposeMemory pins own memory down and registers it. It stays so.
func (e *Endpoint) ExposeMemory(b []byte) (ir.Segment, error) {
	s, err := e.nic.Expose(b)
	return ir.Segment(s), err
}

// ConcealMemory withdraws a registration.
func (e *Endpoint) ConcealMemory(s ir.Segment) error { return e.nic.Conceal(martini.Segment(s)) }

// ReadMemory is PULL.
func (e *Endpoint) ReadMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return e.transfer(peer, s, offset, buf, (*martini.Window).Pull)
}

// WriteMemory is PUSH.
func (e *Endpoint) WriteMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return e.transfer(peer, s, offset, buf, (*martini.Window).Push)
}

// MoveBlocks is PUSH or PULL of blocks.
func (e *Endpoint) MoveBlocks(peer int, s ir.Segment, offset uint64, buf []byte, m strided.Move, write bool) error {
	return e.transfer(peer, s, offset, buf, func(w *martini.Window, r martini.Request, b []byte) error { return w.MoveBlocks(write, r, b, m) })
}

func (e *Endpoint) transfer(peer int, s ir.Segment, offset uint64, buf []byte, move func(*martini.Window, martini.Request, []byte) error) error {
	pin, err := e.nic.Hold(buf)
	if err != nil {
		return err
	}
	err = move(e.nic.Next(), martini.Request{Node: peer, Segment: martini.Segment(s), Offset: offset}, buf)
	if unpin := e.nic.Unpin(pin); err == nil {
		err = unpin
	}
	return err
}
