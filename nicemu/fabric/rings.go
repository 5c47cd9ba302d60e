package fabric

import "rhinet/internal/ring"

// readyRings is how many packet rings, own and of others, get their pages many at a time: those of the slots when they
// are opened, those of the data area when their writer first comes to them, growBytes at a time. A page costs 0.3 us
// then and 1.5 us when it is first touched, where the kernel has it at hand, and several where it does not: all 72 of
// a ring took some 0.2 ms on a virtual machine, so a first exchange among 16 ranks took 4 ms. Where each rank talks
// to hundreds, each ring is used less, and memory would run out.
const (
	readyRings = 32
	growBytes  = 64 << 10
)

// A RingPool opens packet rings of a job for the NIC of one rank. One goroutine at a time
// uses it.
type RingPool struct {
	f     *Fabric
	ready int // rings opened so far that get their pages many at a time
}

// RingPool returns a new pool.
func (f *Fabric) RingPool() RingPool { return RingPool{f: f} }

// memory returns packet ring i of a rank, or nil if there is no such ring, and how many of its bytes are mapped. The
// first few rings come with their slots mapped.
func (p *RingPool) memory(rank, i int) (mem []byte, mapped int) {
	g := &p.f.geo
	if uint(i) >= uint(g.Rings) {
		return nil, 0
	}
	mem = p.f.Bytes(rank, Rings)[i*p.f.ring:][:g.Ring.Size():g.Ring.Size()]
	if p.ready >= readyRings {
		return mem, 0
	}
	p.ready++
	mapped = min(pages(g.Ring.Data()), len(mem))
	p.f.Ready(mem[:mapped])
	return mem, mapped
}

// Memory returns packet ring i of a rank, or nil if there is no such ring. The first few rings come with all their
// pages mapped, for writers that do not say where they write.
func (p *RingPool) Memory(rank, i int) []byte {
	mem, mapped := p.memory(rank, i)
	if 0 < mapped && mapped < len(mem) {
		p.f.Ready(mem[mapped:])
	}
	return mem
}

// Writer opens packet ring i of a rank for writing, and reports whether there is such a ring.
func (p *RingPool) Writer(rank, i int) (r ring.Ring, ok bool) {
	mem, mapped := p.memory(rank, i)
	if mem == nil {
		return ring.Ring{}, false
	}
	if r = ring.Open(mem, p.f.geo.Ring); mapped > 0 {
		data := p.f.geo.Ring.Data()
		r.Grow(func(to uint64) (grown uint64) {
			if end := min(pages(max(data+int(to), mapped+growBytes)), len(mem)); data+int(to) > mapped {
				p.f.Ready(mem[mapped:end])
				mapped = end
			}
			return uint64(mapped - data)
		})
	}
	return r, true
}

// Reader returns a reader of packet ring i of a rank, of which nothing has been read yet, or nil if
// there is no such ring.
func (p *RingPool) Reader(rank, i int) *ring.Reader {
	mem, _ := p.memory(rank, i)
	if mem == nil {
		return nil
	}
	return ring.NewReader(mem, p.f.geo.Ring, 0, 0)
}

// The accounts that each rank has for each peer that writes to it.
const (
	PacketAccount = iota // of its packet ring
	RecordAccount        // of what it has sent to the shared ring
	accounts
)

// Account returns one of the accounts of what rank from has written at rank to. From it a reader
// finds that packets for it were overwritten before it saw them (see [ring.Account]).
func (f *Fabric) Account(to, from, which int) ring.Account {
	return ring.NewAccount(&f.Lines(to, Accounts)[accounts*from+which])
}
