package mpi

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
)

// In a checked job (see Job.Check) the buffers of a request that the program must
// complete are guarded until then: they must not overlap those of another request or of
// a blocking call if either is received into, and what is sent must not change (MPI 4.1,
// sections 3.7.2, 3.7.3, 6.12 and 8.7). A violation is the error of the request, or of
// the blocking call.

// guards are the buffers of a rank's requests. The lock of the pool protects them.
type guards struct {
	seed         maphash.Seed
	reads, fills spans
	top          atomic.Uintptr // all guarded memory is below: a look without the lock
}

// A region is memory that a request sends, or receives into.
type region struct {
	buf   []byte // if it is one piece; not needed to guard a receive buffer
	in    *body  // else the layout: size bytes of its data from at on
	at    int
	size  int
	fills bool
}

// regionOf returns the region of b, or that of in if b is a copy of its data.
func regionOf(b []byte, in *body, fills bool) region {
	if in == nil {
		return region{buf: b, fills: fills}
	}
	return region{in: in, size: in.Size(), fills: fills}
}

// span returns the memory from the first byte of r to the last.
func (r *region) span() []byte {
	switch {
	case r.in == nil:
		return r.buf
	case r.size == 0:
		return nil
	}
	return r.in.span()
}

// A guard guards one region.
type guard struct {
	region
	from, to uintptr // the memory that it spans
	owner    *transfer
	term     uint64 // number of its use, which counts up
	duty     duty
	sum      uint64 // of what is sent, for duty compare
	clash    string // the request whose buffer overlaps, for duty tell
}

// A duty is what a guard does when its request completes.
type duty uint8

const (
	leave   duty = iota // nothing: the region is received into, for this request or for a later one, which reports the overlap
	compare             // it is sent, and must not have changed
	tell                // report that it overlaps that of another request
)

// gatheredBytes is how much of a buffer in pieces is hashed at a time.
const gatheredBytes = 4 << 10

// guard begins to guard the buffer of p, unless p is internal. The pool is locked.
func (k *guards) guard(p *transfer) {
	if p.c.core.private {
		return
	}
	p.room(1)
	if p.Body != nil {
		k.post(p, p.region())
		return
	}
	if len(p.Buf) == 0 {
		return
	}
	p.guards = p.guards[:1]
	g := &p.guards[0]
	g.fills = p.kind == receiving
	if !g.fills {
		g.buf = p.Buf
	}
	k.add(p, g, p.Buf)
}

// region returns the buffer of p.
func (p *transfer) region() region {
	in, _ := p.Body.(*body)
	return regionOf(p.Buf, in, p.kind == receiving)
}

// guard guards the buffer of p. That of Bsend is a copy.
func (k *requestPool) guard(p *transfer) {
	if p.site.call == "Bsend" {
		return
	}
	k.mu.Lock()
	k.guards.guard(p)
	k.mu.Unlock()
}

// guardAll guards the several regions of p. They may overlap each other: the call has
// checked them.
func (k *requestPool) guardAll(p *transfer, all []region) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.room(len(all))
	for _, r := range all {
		k.guards.post(p, r)
	}
	if len(p.guards) > 1 {
		for i := range p.guards {
			k.guards.share(&p.guards[i])
		}
	}
}

// guardInstead guards the buffers of the transfers that p consists of, until p is
// complete: they have just begun, and may be complete before.
func (k *requestPool) guardInstead(p *transfer, parts ...*transfer) {
	var all []region
	k.mu.Lock()
	for _, o := range parts {
		if o.started() {
			all = append(all, o.region())
			k.guards.dismiss(o)
		}
	}
	k.mu.Unlock()
	k.guardAll(p, all)
}

// room makes room for n guards in p, which must not move later. p has none.
func (p *transfer) room(n int) {
	if cap(p.guards) < n {
		p.guards = make([]guard, 0, n)
	}
}

// post begins to guard a region of p, which has room for one more guard.
func (k *guards) post(p *transfer, r region) {
	if mem := r.span(); len(mem) > 0 {
		n := len(p.guards)
		p.guards = p.guards[:n+1]
		p.guards[n].region = r
		k.add(p, &p.guards[n], mem)
	}
}

// add has g guard its region for p. The region spans mem.
func (k *guards) add(p *transfer, g *guard, mem []byte) {
	g.from, g.duty, g.owner = address(mem), leave, p
	g.to = g.from + uintptr(len(mem))
	if g.to > k.top.Load() {
		k.top.Store(g.to)
	}
	p.told = true
	if o := k.touching(g); o != nil {
		g.duty, g.clash = tell, o.owner.String()
		k.share(g)
	}
	if g.fills {
		k.fills.add(g)
		return
	}
	if g.duty == leave && p.Label == "" { // else of a blocking call
		g.duty, g.sum = compare, g.content(k.seed)
	}
	k.reads.add(g)
}

// touching returns a guard of another request whose buffer shares memory with that of g but must not, or nil.
func (k *guards) touching(g *guard) (o *guard) {
	if g.from < k.fills.end {
		o = k.fills.touching(g)
	}
	if o == nil && g.fills && g.from < k.reads.end {
		o = k.reads.touching(g)
	}
	return o
}

// unguard ends the guards of p, and returns the error if a buffer was not left alone.
func (p *transfer) unguard() (err error) {
	k := &p.c.w.requests
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.guards.end(p) {
		return nil
	}
	for i := range p.guards {
		if g := &p.guards[i]; g.duty == tell {
			err = p.c.errorAt(p.site, ErrBuffer, "the buffer overlaps that of a request that was not complete: %s; this one%s; give each a buffer of its own, or Wait before",
				g.clash, p.callSite())
		}
	}
	if err == nil {
		err = p.c.errorAt(p.site, ErrBuffer, "the buffer was changed before the request%s was complete; Wait for it first", p.callSite())
	}
	k.guards.dismiss(p)
	return err
}

// unguarded ends the guards of p, whose handle was given up: when it is complete, which the
// program may learn from the peer, is not seen here in time.
func (k *requestPool) unguarded(p *transfer) {
	k.mu.Lock()
	k.guards.dismiss(p)
	k.mu.Unlock()
}

// end removes the guards of p, if there is no error. The pool is locked.
func (k *guards) end(p *transfer) bool {
	all := p.guards
	if len(all) == 1 { // most often
		g := &all[0]
		if g.duty != leave && !g.kept(k.seed) {
			return false
		}
		k.drop(g)
		p.guards = all[:0]
		return true
	}
	for i := range all {
		if g := &all[i]; g.duty != leave && !g.kept(k.seed) {
			return false
		}
	}
	k.dismiss(p)
	return true
}

// kept reports whether g compares its region and finds it unchanged.
func (g *guard) kept(seed maphash.Seed) bool { return g.duty == compare && g.content(seed) == g.sum }

// drop removes one guard.
func (k *guards) drop(g *guard) {
	g.buf, g.in = nil, nil
	s := &k.reads
	if g.fills {
		s = &k.fills
	}
	if s.remove(g); k.reads.in+k.fills.in == 0 {
		k.top.Store(0)
	}
}

// dismiss removes the guards of p.
func (k *guards) dismiss(p *transfer) {
	all := p.guards
	for i := range all {
		k.drop(&all[i])
	}
	p.guards = all[:0]
}

// share stops comparing what is sent from the memory that g fills but must not: the
// overlap is reported anyway, and a comparison would read memory that is being written.
func (k *guards) share(g *guard) {
	if g.fills {
		for o := range k.reads.overlapping(g) {
			if o.duty == compare {
				o.duty = leave
			}
		}
	}
}

// content returns the bytes of what is sent, or a hash of them.
func (g *guard) content(seed maphash.Seed) uint64 {
	if len(g.buf) == 8 { // most often, and one word
		return binary.NativeEndian.Uint64(g.buf)
	}
	return g.hash(seed)
}

func (g *guard) hash(seed maphash.Seed) uint64 {
	if g.in == nil {
		return maphash.Bytes(seed, g.buf)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	var part [gatheredBytes]byte
	for off, end := g.at, g.at+g.size; off < end; off += gatheredBytes {
		b := part[:min(end-off, gatheredBytes)]
		g.in.Gather(b, off)
		h.Write(b)
	}
	return h.Sum64()
}

// shares reports whether two buffers that span the same memory have a byte in common.
func (g *guard) shares(o *guard) bool {
	if g.in == nil && o.in == nil {
		return true
	}
	a, b := g.pieces(), o.pieces()
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to <= b[0].from:
			a = a[1:]
		case b[0].to <= a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}
