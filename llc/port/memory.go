package port

import (
	"rhinet/internal/strided"
	"rhinet/llc/ir"
)

// Host returns the number of the host that a peer is on, 0 if there is one host.
func (p *Port) Host(peer int) int {
	if p.router == nil {
		return 0
	}
	return p.router.Host(peer)
}

// Memory returns the memory that all peers on this host load from and store to, nil if the network has none.
func (p *Port) Memory() ir.Memory { return p.memory }

// GiveWay returns what gives the processor to others once, for a rank that polls memory
// without waiting, or nil if each rank has a processor. In virtual time, polling takes
// no time.
func (p *Port) GiveWay() func() {
	if p.clock != nil || !p.policy.Oversubscribed() {
		return nil
	}
	return p.policy.GiveWay
}

// Remote returns the access to exposed memory of peers on this host, nil if the network has none. It is an
// [ir.BlockMover] if the network has one.
func (p *Port) Remote() ir.Remote {
	if p.remote == nil {
		return nil
	}
	if blocks, can := p.remote.(ir.BlockMover); can && p.nic.Caps().Blocks > 0 {
		return blockRemote{remote{p}, blocks}
	}
	return remote{p}
}

// Atomics returns the updates of words of peers on this host, nil if the network cannot do them. They are
// used in begin and in the condition of Await, and within Perform.
func (p *Port) Atomics() ir.Atomics { return p.atomics }

// Locker returns the locks that the network keeps for peers on this host, nil if it keeps none. It is used as
// Atomics is.
func (p *Port) Locker() ir.Locker { return p.locker }

// Vectors returns the memory on the boards of peers on this host, nil if there is none. It is used as Atomics
// is.
func (p *Port) Vectors() ir.Vectors { return p.vectors }

// Wake wakes a peer that sleeps in [Port.Await], so that it looks at its condition again. A rank that changes
// memory that the condition looks at calls it afterwards.
func (p *Port) Wake(peer int) {
	p.lock()
	if !p.is(closed) {
		p.nic.Wake(peer)
	}
	p.gate.leave()
}

// A remote is the network's Remote for any goroutine.
type remote struct{ p *Port }

func (r remote) enter() error {
	r.p.lock()
	if r.p.is(drained) {
		r.p.gate.leave()
		return ErrClosed
	}
	return nil
}

// ExposeMemory registers memory of this peer.
func (r remote) ExposeMemory(b []byte) (ir.Segment, error) {
	if err := r.enter(); err != nil {
		return 0, err
	}
	defer r.p.gate.leave()
	return r.p.remote.ExposeMemory(b)
}

// ConcealMemory withdraws a registration.
func (r remote) ConcealMemory(s ir.Segment) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.p.gate.leave()
	return r.p.remote.ConcealMemory(s)
}

// ReadMemory reads memory of a peer.
func (r remote) ReadMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.p.gate.leave()
	return r.p.remote.ReadMemory(peer, s, offset, buf)
}

// WriteMemory writes memory of a peer.
func (r remote) WriteMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.p.gate.leave()
	return r.p.remote.WriteMemory(peer, s, offset, buf)
}

// A blockRemote is a remote that moves blocks as well.
type blockRemote struct {
	remote
	blocks ir.BlockMover
}

// MoveBlocks reads or writes blocks of memory of a peer.
func (r blockRemote) MoveBlocks(peer int, s ir.Segment, offset uint64, buf []byte, m strided.Move, write bool) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.p.gate.leave()
	return r.blocks.MoveBlocks(peer, s, offset, buf, m, write)
}
