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
	handlesTogether = 32
)

// Handles give out what the handles of requests point to.
type handles struct {
	alone  int // so far
	some   *[handlesTogether]persistent
	theirs *[handlesTogether]forgotten // what is behind each of some
	next   int
}

// A forgotten is what is left of a request when nobody has its handle any more.
type forgotten struct {
	w   *world
	p   *transfer
	gen uint64
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
	return c.handle(r)
}

// handle is watch of a request that is none of a wrong call. The pool is locked.
func (c *Comm) handle(r Request) Request {
	p := c.w.requests.handles.take(forgotten{c.w, r.p, r.gen})
	p.c, p.site, p.current = c, r.p.site, r
	r.p.told = true
	return Request{p: r.p, again: p}
}

// take returns what the handle of f is to point to.
func (h *handles) take(f forgotten) *persistent {
	if h.alone < aloneHandles {
		h.alone++
		k := new(persistent)
		runtime.AddCleanup(k, forgotten.tell, f)
		return k
	}
	if h.some == nil {
		h.some, h.theirs, h.next = new([handlesTogether]persistent), new([handlesTogether]forgotten), 0
		runtime.AddCleanup(h.some, tellAll, h.theirs)
	}
	k := &h.some[h.next]
	h.theirs[h.next] = f
	if h.next++; h.next == handlesTogether {
		h.some, h.theirs = nil, nil
	}
	return k
}

// tellAll reports those of requests that are forgotten.
func tellAll(all *[handlesTogether]forgotten) {
	for _, f := range all {
		f.tell()
	}
}

// tell reports the request, unless it was completed, freed or finalized.
func (f forgotten) tell() {
	k := &f.w.requests
	k.mu.Lock()
	text := ""
	if f.p.gen == f.gen && f.p.unfinished() {
		text = "mpi: a request was dropped before it was complete: " + f.p.String() + "; keep it, and Wait for it"
	}
	k.mu.Unlock()
	if text != "" {
		f.w.Forgotten(text)
	}
}
