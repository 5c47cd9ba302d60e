package user

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
)

// ErrNoMemory says that the network interface of the job cannot do what was asked: memory that
// all peers share, or remote access.
var ErrNoMemory = errors.New("user: the network interface has no such memory")

// An Area is memory that all peers load from and store to.
type Area struct {
	At    uint64 // its name at all peers; hand it on with a message
	Bytes []byte // here
}

// Allocate takes n bytes of the memory that all peers share. They are 0.
func (p *Peer) Allocate(n int) (Area, error) {
	m := p.port.Memory()
	if m == nil {
		return Area{}, ErrNoMemory
	}
	if n < 1 {
		return Area{}, fmt.Errorf("user: Allocate: %d bytes are no area", n)
	}
	at, err := m.Reserve(n)
	if err != nil {
		return Area{}, fmt.Errorf("user: Allocate: %w", err)
	}
	return Area{at, m.Reserved(at, uint64(n))}, nil
}

// Area returns n bytes of an area that any peer has allocated, from at on, a multiple of 8.
func (p *Peer) Area(at uint64, n int) (Area, error) {
	m := p.port.Memory()
	if m == nil {
		return Area{}, ErrNoMemory
	}
	if at%8 != 0 {
		return Area{}, fmt.Errorf("user: Area: %#x is not a multiple of 8", at)
	}
	b := m.Reserved(at, uint64(max(n, 0)))
	if b == nil {
		return Area{}, fmt.Errorf("user: Area: %d bytes at %#x are not all within one area", n, at)
	}
	return Area{at, b}, nil
}

// Free gives an area back that any peer has allocated. Nobody may use it any more.
func (p *Peer) Free(a Area) error {
	m := p.port.Memory()
	if m == nil {
		return ErrNoMemory
	}
	if err := m.Release(a.At); err != nil {
		return fmt.Errorf("user: Free: %w", err)
	}
	return nil
}

// A Segment names memory of a program at all peers; hand it on with a message.
type Segment = ir.Segment

// Expose lets all peers read and write b, until Conceal. Its bytes must stay in place: they are
// pinned.
func (p *Peer) Expose(b []byte) (Segment, error) {
	m := p.port.Remote()
	if m == nil {
		return 0, ErrNoMemory
	}
	s, err := m.ExposeMemory(b)
	if err != nil {
		return 0, fmt.Errorf("user: Expose: %w", err)
	}
	return s, nil
}

// Conceal ends what Expose began.
func (p *Peer) Conceal(s Segment) error {
	m := p.port.Remote()
	if m == nil {
		return ErrNoMemory
	}
	if err := m.ConcealMemory(s); err != nil {
		return fmt.Errorf("user: Conceal: %w", err)
	}
	return nil
}

// Read copies memory that peer has exposed to buf, from offset on. What the network
// interface refuses is an error, and no byte has moved.
func (p *Peer) Read(peer int, s Segment, offset uint64, buf []byte) error {
	return p.access("Read", peer, func(m ir.Remote) error { return m.ReadMemory(peer, s, offset, buf) })
}

// Write copies data to memory that peer has exposed, from offset on. What the network
// interface refuses is an error, and no byte has moved.
func (p *Peer) Write(peer int, s Segment, offset uint64, data []byte) error {
	return p.access("Write", peer, func(m ir.Remote) error { return m.WriteMemory(peer, s, offset, data) })
}

func (p *Peer) access(call string, peer int, f func(ir.Remote) error) error {
	if err := p.known(call, peer); err != nil {
		return err
	}
	m := p.port.Remote()
	if m == nil {
		return ErrNoMemory
	}
	if err := f(m); err != nil {
		return fmt.Errorf("user: %s at peer %d: %w", call, peer, err)
	}
	return nil
}
