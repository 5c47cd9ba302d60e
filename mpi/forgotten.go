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
	alone  int // so far
	some   *[handlesTogether]handle
	theirs *behind // some
	next   int
}

// What is behind handles that are watched together.
type behind struct {
	w   *world
	all [handlesTogether]started
}

// A started is a transfer at one of its users.
type started struct {
	p   *transfer
	gen uint64
}

// A forgotten is what is left of a request when nobody has its handle any more.
type forgotten struct {
	w *world
	started
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
	r.handle = c.w.requests.handles.take(c.w, started{r.p, r.gen})
	r.p.told = true
	return r
}

// take returns the handle of s.
func (h *handles) take(w *world, s started) *handle {
	if h.alone < aloneHandles {
		h.alone++
		k := new(handle)
		runtime.AddCleanup(k, forgotten.tell, forgotten{w, s})
		return k
	}
	if h.some == nil {
		h.some, h.theirs, h.next = new([handlesTogether]handle), &behind{w: w}, 0
		runtime.AddCleanup(h.some, (*behind).tell, h.theirs)
	}
	k := &h.some[h.next]
	h.theirs.all[h.next] = s
	if h.next++; h.next == handlesTogether {
		h.some, h.theirs = nil, nil
	}
	return k
}

// tell reports those of requests that are forgotten.
func (b *behind) tell() {
	k := &b.w.requests
	k.mu.Lock()
	n := 0
	for _, s := range b.all {
		if s.dropped() {
			b.all[n] = s
			n++
		}
	}
	k.mu.Unlock()
	for _, s := range b.all[:n] {
		forgotten{b.w, s}.tell()
	}
}

// dropped reports whether the program can no longer complete s, whose handle is gone. The pool is locked.
func (s started) dropped() bool { return s.p != nil && s.p.gen == s.gen && s.p.unfinished() }

// tell reports the request, unless it was completed, freed or finalized.
func (f forgotten) tell() {
	k := &f.w.requests
	k.mu.Lock()
	text := ""
	if f.dropped() {
		text = "mpi: a request was dropped before it was complete: " + f.p.String() + "; keep it, and Wait for it"
	}
	k.mu.Unlock()
	if text != "" {
		f.w.Forgotten(text)
	}
}
