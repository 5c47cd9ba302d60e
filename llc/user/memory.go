package user

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
)

// ErrNoMemory says that the network interface of the job has no memory that all peers share, or no remote
// access.
var ErrNoMemory = errors.New("user: the network interface has no such memory")

// An Area is memory that all peers load from and store to.
type Area struct {
	At    uint64 // its name at all peers; pass it on in a message
	Bytes []byte // the memory at this peer
}

// Allocate takes n zeroed bytes of the memory that all peers share.
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

// Free gives back an area that any peer has allocated. No peer may use it any more.
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

// A Segment names memory of a program at all peers; pass it on in a message.
type Segment = ir.Segment

// Expose lets all peers read and write b, until Conceal. Its bytes must stay in place: they are pinned.
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

// Conceal withdraws what Expose has exposed.
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

// Read copies memory that peer has exposed, from offset on, to buf. If the network interface refuses, it
// returns an error and no byte has moved.
func (p *Peer) Read(peer int, s Segment, offset uint64, buf []byte) error {
	return p.access("Read", peer, func(m ir.Remote) error { return m.ReadMemory(peer, s, offset, buf) })
}

// Write copies data to memory that peer has exposed, from offset on. If the network interface refuses, it
// returns an error and no byte has moved.
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
