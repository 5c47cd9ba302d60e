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
	alone  int                      // so far
	some   *[handlesTogether]handle // given out together, some of them yet to come
	theirs *behind                  // what is behind these
}

// What is behind handles that are watched together: a lease for each that was given out.
type behind struct {
	w   *world
	all []lease
}

// A lease is a transfer as one of its users has it.
type lease struct {
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
	r.handle = c.w.requests.handles.take(c.w, lease{r.p, r.gen})
	r.p.told = true
	return r
}

// take returns the handle of l.
func (h *handles) take(w *world, l lease) *handle {
	if h.alone < aloneHandles {
		h.alone++
		k := new(handle)
		runtime.AddCleanup(k, (*behind).tell, &behind{w, []lease{l}})
		return k
	}
	if h.some == nil {
		h.some, h.theirs = new([handlesTogether]handle), &behind{w, make([]lease, 0, handlesTogether)}
		runtime.AddCleanup(h.some, (*behind).tell, h.theirs)
	}
	k := &h.some[len(h.theirs.all)]
	if h.theirs.all = append(h.theirs.all, l); len(h.theirs.all) == handlesTogether {
		h.some, h.theirs = nil, nil
	}
	return k
}

// tell reports the requests that were not completed, freed or finalized before their handles went.
func (b *behind) tell() {
	var texts []string
	b.w.requests.mu.Lock()
	for _, l := range b.all {
		if l.p.gen == l.gen && l.p.unfinished() {
			texts = append(texts, "mpi: a request was dropped before it was complete: "+l.p.String()+"; keep it, and Wait for it")
		}
	}
	b.w.requests.mu.Unlock()
	for _, text := range texts {
		b.w.Forgotten(text)
	}
}
