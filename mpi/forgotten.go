package mpi

import "runtime"

// A forgotten is what is left of a request when nobody has its handle any more.
type forgotten struct {
	w   *world
	p   *transfer
	gen uint64
}

// watch has the world told when all handles of r are gone and it is not complete:
// the program can never complete it. The handle points to something that only
// handles point to; the transfer itself is in the world's list.
func (c *Comm) watch(r Request) Request {
	if r.p == nil || r.p.err != nil {
		return r
	}
	k := &persistent{c: c, site: r.p.site, current: r}
	runtime.AddCleanup(k, forgotten.tell, forgotten{c.w, r.p, r.gen})
	return Request{again: k}
}

// tell reports the request, unless it was completed, freed or finalized.
func (f forgotten) tell() {
	k := &f.w.requests
	k.mu.Lock()
	text := ""
	if f.p.gen == f.gen && f.p.live {
		text = "mpi: a request was dropped before it was complete: " + f.p.String() + "; keep it, and Wait for it"
	}
	k.mu.Unlock()
	if text != "" {
		f.w.Forgotten(text)
	}
}
