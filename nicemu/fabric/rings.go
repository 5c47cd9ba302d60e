package fabric

import "rhinet/internal/ring"

// readyRings is how many packet rings, own and of others, get all their pages when they are opened,
// 288 KiB each: a page costs 0.3 us then and 1.5 us when it is first touched. Where each rank talks
// to hundreds, each ring is used less, and memory would run out. On a virtual machine where a page costs 2.7 us, all
// pages of a ring take 0.2 ms, and a first exchange among 16 ranks 4 ms. To map the data area only as it comes to be used spares that to short messages, but then a first Alltoall of
// 1 KiB on 16 ranks takes three times as long, for some 10 ms.
const readyRings = 32

// A RingPool opens packet rings of a job for the NIC of one rank. One goroutine at a time
// uses it.
type RingPool struct {
	f     *Fabric
	ready int // rings opened so far with all their pages
}

// RingPool returns a new pool.
func (f *Fabric) RingPool() RingPool { return RingPool{f: f} }

// Memory returns packet ring i of a rank, or nil if there is no such ring. The first few rings come
// with their pages mapped.
func (p *RingPool) Memory(rank, i int) []byte {
	g := &p.f.geo
	if uint(i) >= uint(g.Rings) {
		return nil
	}
	mem := p.f.Bytes(rank, Rings)[i*p.f.ring:][:g.Ring.Size():g.Ring.Size()]
	if p.ready < readyRings {
		p.ready++
		p.f.Ready(mem)
	}
	return mem
}

// Reader returns a reader of packet ring i of a rank, of which nothing has been read yet, or nil if
// there is no such ring.
func (p *RingPool) Reader(rank, i int) *ring.Reader {
	mem := p.Memory(rank, i)
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
