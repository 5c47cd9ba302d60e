package mpi

import "runtime"

// In a job that reports forgotten requests (see Job.Forgotten) the handle of each
// request points to an object that only handles point to; the transfer itself is in the
// world's list. The Go runtime tells when all handles are gone. The first requests are
// watched one by one, which costs more than the messages, and later ones in groups: a
// program that forgets more than a few hundred requests is told a little later.

// The first aloneHandles are watched one by one, later ones in groups of
// handlesTogether.
const (
	aloneHandles    = 256
	handlesTogether = 128
)

// handles gives out the objects that the handles of requests point to.
type handles struct {
	alone int     // so far
	next  *shared // the object for the next handles
	lease *lease  // its lease
	left  int     // how many more handles will point to it
}

// A shared is an object that several handles point to. To watch one more object the Go
// runtime looks at all that it watches in the same pages, so a shared is large, to have
// few in a page.
type shared struct {
	handle
	_ [1016]byte
}

// A lease records requests whose handles are watched together, or one request. The lock
// of the pool guards it.
type lease struct {
	w    *world
	open int // how many are not complete
}

// watch has the world told when all handles of r are gone before it is complete: the
// program can then never complete it.
func (c *Comm) watch(r Request) Request {
	if r.p == nil || r.p.err != nil {
		return r
	}
	k := &c.w.requests
	k.mu.Lock()
	defer k.mu.Unlock()
	r.handle = k.handles.take(r.p)
	return r
}

// take returns the object for the handle of the request that p belongs to. The pool is
// locked.
func (h *handles) take(p *transfer) *handle {
	if h.left == 0 {
		h.more(p.c.w)
	}
	p.lease, p.told = h.lease, true
	h.lease.open++
	k := &h.next.handle
	if h.left--; h.left == 0 {
		h.next, h.lease = nil, nil // the last handle holds them now
	}
	return k
}

// more makes the next object to give out.
func (h *handles) more(w *world) {
	if h.left = handlesTogether; h.alone < aloneHandles {
		h.left = 1
		h.alone++
	}
	h.next, h.lease = new(shared), &lease{w: w}
	runtime.AddCleanup(h.next, (*lease).tell, h.lease)
}

// unlease records that the request of p is complete. The pool is locked.
func (p *transfer) unlease() {
	if p.lease != nil {
		p.lease.open--
		p.lease = nil
	}
}

// tell reports the requests that were not completed, freed or finalized before their
// handles were gone.
func (l *lease) tell() {
	for _, text := range l.w.requests.forgotten(l) {
		l.w.Forgotten("mpi: a request was dropped before it was complete: " + text + "; keep it, and Wait for it")
	}
}

// forgotten lists the requests of a lease that the program can never complete.
func (k *requestPool) forgotten(l *lease) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.open == 0 { // most often
		return nil
	}
	return k.list(func(p *transfer) bool { return p.lease == l && p.unfinished() })
}
