package mpi

// The guards of partitioned messages in a checked job. A partition that is sent must
// not change from Pready until the request is complete (MPI 4.1, section 4.2.2);
// partitions that are not ready belong to the program. A receive buffer belongs to the
// request until Parrived reports that a partition has arrived: then the program may use
// that partition.

// region returns n bytes of data of p, from byte at on.
func (p *partitioned) region(at, n int) (region, error) {
	r := region{at: at, size: n, fills: !p.send}
	if p.elem.item == 0 {
		r.buf = p.buf[at : at+n]
		return r, nil
	}
	var err error
	r.in, err = p.c.bodyOf(p.site, elements[Item](p.buf), !p.send)
	return r, err
}

// guard begins to guard the buffer for a start of p with the request r. The lock of p
// is held.
func (p *partitioned) guard(r Request) {
	if !p.c.w.Check || p.null {
		return
	}
	p.of = Request{p: r.p, gen: r.gen} // without the handle, which the program may drop
	if r.p.room(p.partitions); !p.send {
		p.post(0, p.bytes)
	}
}

// post guards n bytes of data from byte at on, if p is guarded. The lock of p is held.
func (p *partitioned) post(at, n int) {
	t := p.of.active()
	if t == nil {
		return
	}
	r, err := p.region(at, n)
	if err != nil {
		return // begin returns this error
	}
	k := &p.c.w.requests
	k.mu.Lock()
	k.guards.post(t, r)
	k.mu.Unlock()
}

// arrive ends the guard of a receive buffer, unless it has an error to report. The lock
// of p is held.
func (p *partitioned) arrive() {
	k := &p.c.w.requests
	k.mu.Lock()
	if t := p.of.active(); t != nil {
		k.guards.end(t)
	}
	k.mu.Unlock()
}
