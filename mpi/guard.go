package mpi

import (
	"bytes"
	"hash/maphash"
)

// In a checked job (see Job.Check) the buffers of a request that the program must
// complete are guarded until then: they must not overlap those of another one if either
// is received into, and what is sent must stay as it is (MPI 4.1, sections 3.7.2, 3.7.3,
// 6.12 and 8.7). What is found is the error of the request.

// Guards are the buffers of a rank's requests. The lock of the pool of these guards them.
type guards struct {
	seed         maphash.Seed
	reads, fills spans
}

// A region is memory that a request sends, or receives into.
type region struct {
	buf   []byte // if it is one piece
	in    *body  // else what has it: size bytes of its data from at on
	at    int
	size  int
	fills bool
}

// A guard is what is known of one region.
type guard struct {
	region
	from, to uintptr            // the memory that it spans
	short    [guardedBytes]byte // a copy of what is sent, if it is short
	sum      uint64             // or its hash
	owner    *transfer
	clash    string // the request whose buffer overlaps, or ""
	shared   bool   // of one that is sent: a later request, which has the clash, or its own receives into it
}

// guardedBytes is up to which length a copy is compared.
const guardedBytes = 32

// gatheredBytes is how much of a buffer in pieces is hashed at a time.
const gatheredBytes = 4 << 10

// guard begins to guard the buffer of p. Blocking calls, which the program cannot
// disturb, and those of the runtime itself are left alone. The pool is locked.
func (p *transfer) guard() {
	if p.c.core.private || p.site.waits() != "" || p.site.call == "Bsend" {
		return
	}
	p.guards = p.guards[:0]
	r := p.region()
	p.spare(&r)
	p.post()
}

// region is the buffer of p.
func (p *transfer) region() region {
	if in, ok := p.Body.(*body); ok {
		return region{in: in, size: in.Size(), fills: p.kind == receiving}
	}
	return region{buf: p.Buf, fills: p.kind == receiving}
}

// guard is that of p.
func (k *requestPool) guard(p *transfer) {
	k.mu.Lock()
	p.guard()
	k.mu.Unlock()
}

// guardAll guards the regions of p, which has several.
func (k *requestPool) guardAll(p *transfer, all []region) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.guards = p.guards[:0]
	for i := range all {
		p.spare(&all[i])
	}
	p.post()
}

// spare has a region of p guarded from the next post on.
func (p *transfer) spare(r *region) {
	mem := r.buf
	if r.in != nil && r.size > 0 {
		mem = r.in.span()
	}
	if len(mem) == 0 {
		return
	}
	n := len(p.guards)
	if n == cap(p.guards) {
		p.guards = append(p.guards, guard{})
	}
	p.guards = p.guards[:n+1] // which may be one of an earlier request
	g := &p.guards[n]
	g.region, g.owner, g.clash, g.shared = *r, p, "", false
	g.from = address(mem)
	g.to = g.from + uintptr(len(mem))
}

// post sets up the guards of p. Those of one request may overlap: its call has looked at them.
func (p *transfer) post() {
	k := &p.c.w.requests.guards
	for i := range p.guards {
		g := &p.guards[i]
		if o := k.touching(g); o != nil {
			g.clash = o.owner.String()
			k.share(g)
		} else if !g.fills {
			g.remember(k.seed)
		}
	}
	for i := range p.guards {
		g := &p.guards[i]
		k.of(g.fills).add(g)
		p.guarded, p.told = true, true
	}
	if len(p.guards) > 1 {
		for i := range p.guards {
			k.share(&p.guards[i])
		}
	}
}

// unguard ends it, and returns the error of a request whose buffer was not left alone.
func (p *transfer) unguard() (err error) {
	k := &p.c.w.requests
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.undisturbed() {
		return nil
	}
	for i := range p.guards {
		if g := &p.guards[i]; g.clash != "" {
			err = p.c.errorAt(p.site, ErrBuffer, "the buffer overlaps that of a request that was not complete: %s; this one%s; give each a buffer of its own, or Wait before",
				g.clash, p.callSite())
		}
	}
	if err == nil {
		err = p.c.errorAt(p.site, ErrBuffer, "the buffer was changed before the request%s was complete; Wait for it first", p.callSite())
	}
	p.dismiss()
	return err
}

// undisturbed ends the guards of p, if there is nothing to say. The pool is locked.
func (p *transfer) undisturbed() bool {
	if !p.guarded {
		return true
	}
	k := &p.c.w.requests.guards
	for i := range p.guards {
		if g := &p.guards[i]; g.clash != "" || !g.fills && !g.shared && g.changed(k.seed) {
			return false
		}
	}
	p.dismiss()
	return true
}

// dismiss takes the guards of p away.
func (p *transfer) dismiss() {
	k := &p.c.w.requests.guards
	for i := range p.guards {
		g := &p.guards[i]
		k.of(g.fills).remove(g)
		g.buf, g.in = nil, nil
	}
	p.guarded = false
}

// of are the guards of one kind.
func (k *guards) of(fills bool) *spans {
	if fills {
		return &k.fills
	}
	return &k.reads
}

// touching is a guard whose buffer shares memory with that of g though it must not, or nil.
func (k *guards) touching(g *guard) *guard {
	if o := k.fills.touching(g); o != nil || !g.fills {
		return o
	}
	return k.reads.touching(g)
}

// share leaves alone what is sent from the memory that g fills though it must not: its error is
// told, and who looked whether the buffer changed would read what others are writing.
func (k *guards) share(g *guard) {
	if g.fills {
		for o := range k.reads.around(g) {
			o.shared = true
		}
	}
}

// remember notes what is sent.
func (g *guard) remember(seed maphash.Seed) {
	if g.in == nil && len(g.buf) <= guardedBytes {
		copy(g.short[:], g.buf)
		return
	}
	g.sum = g.hash(seed)
}

// changed reports whether that is no longer so.
func (g *guard) changed(seed maphash.Seed) bool {
	if g.in == nil && len(g.buf) <= guardedBytes {
		return !bytes.Equal(g.short[:len(g.buf)], g.buf)
	}
	return g.hash(seed) != g.sum
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

// shares reports whether two buffers that span the same memory have some of it in common.
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
