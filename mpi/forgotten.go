package mpi

import "runtime"

// In a job that wants to know of forgotten requests (see Job.Forgotten) the handle of each points
// to something that only handles point to; the transfer itself is in the world's list. The Go
// runtime tells when all handles are gone. It is asked for the first requests one by one, which
// costs more than the messages, and then for some at a time: a program that forgets more than a
// few hundred requests hears of them a little later.

// aloneHandles are watched one by one, and as many of later ones as handlesTogether together.
const (
	aloneHandles    = 256
	handlesTogether = 128
)

// Handles give out what the handles of requests point to.
type handles struct {
	alone int     // so far
	next  *shared // what the next point to
	lease *lease  // what is behind it
	left  int     // how many are yet to point to it
}

// A shared is what several handles point to. To watch one more object the Go runtime looks at all
// that it watches in the same pages, so these are few.
type shared struct {
	handle
	_ [1016]byte
}

// A lease is what is known of requests whose handles are watched together, or of one. The lock of the pool guards it.
type lease struct {
	w    *world
	open int // so many are not complete
}

// watch has the world told when all handles of r are gone and it is not complete:
// the program can never complete it.
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

// take returns what the handle of the request that p is for points to. The pool is locked.
func (h *handles) take(p *transfer) *handle {
	if h.left == 0 {
		h.more(p.c.w)
	}
	p.lease, p.told = h.lease, true
	h.lease.open++
	k := &h.next.handle
	if h.left--; h.left == 0 {
		h.next, h.lease = nil, nil // they go with the last handle
	}
	return k
}

// more begins to give out another handle.
func (h *handles) more(w *world) {
	if h.left = handlesTogether; h.alone < aloneHandles {
		h.left = 1
		h.alone++
	}
	h.next, h.lease = new(shared), &lease{w: w}
	runtime.AddCleanup(h.next, (*lease).tell, h.lease)
}

// unlease notes that the request that p is for is complete. The pool is locked.
func (p *transfer) unlease() {
	if p.lease != nil {
		p.lease.open--
		p.lease = nil
	}
}

// tell reports the requests that were not completed, freed or finalized before their handles went.
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
