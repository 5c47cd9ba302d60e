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

// ExposeMemory pins own memory and registers it, until ConcealMemory.
func (e *Endpoint) ExposeMemory(b []byte) (ir.Segment, error) {
	s, err := e.nic.Expose(b)
	return ir.Segment(s), err
}

// LendMemory is ExposeMemory for memory that its owner keeps alive and in place until ConcealMemory.
func (e *Endpoint) LendMemory(b []byte) (ir.Segment, error) {
	s, err := e.nic.ExposeHeld(b)
	return ir.Segment(s), err
}

// ConcealMemory withdraws a registration.
func (e *Endpoint) ConcealMemory(s ir.Segment) error { return e.nic.Conceal(martini.Segment(s)) }

// ReadMemory is PULL.
func (e *Endpoint) ReadMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return e.nic.Move(false, martini.Request{Node: peer, Segment: martini.Segment(s), Offset: offset}, buf)
}

// WriteMemory is PUSH.
func (e *Endpoint) WriteMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return e.nic.Move(true, martini.Request{Node: peer, Segment: martini.Segment(s), Offset: offset}, buf)
}

// MoveBlocks is PUSH or PULL of blocks.
func (e *Endpoint) MoveBlocks(peer int, s ir.Segment, offset uint64, buf []byte, m strided.Move, write bool) error {
	pin, err := e.nic.Hold(buf)
	if err != nil {
		return err
	}
	err = e.nic.Next().MoveBlocks(write, martini.Request{Node: peer, Segment: martini.Segment(s), Offset: offset}, buf, m)
	if unpin := e.nic.Unpin(pin); err == nil {
		err = unpin
	}
	return err
}
