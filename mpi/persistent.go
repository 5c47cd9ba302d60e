package mpi

import "errors"

// A persistent is the operation that a persistent request repeats.
type persistent struct {
	handle
	c       *Comm
	site    site
	begin   func() Request
	current Request // the last start
	parts   *partitioned
	launch  *launch // of a collective operation; else nil
	freed   bool
}

// A handle is what all copies of a persistent or watched Request point to, and nothing
// else does.
type handle struct {
	repeats *persistent // nil if it is only watched
}

// repeated returns what r repeats, or nil if it is not persistent.
func (r *Request) repeated() *persistent {
	if r == nil || r.handle == nil {
		return nil
	}
	return r.handle.repeats
}

// SendInit makes a persistent request to send buf to rank dst of c: each
// [Request.Start] sends what buf holds at that time. Wait and similar calls complete
// the start, not the request, which may be started again. Invalid arguments are an
// error of SendInit.
//
// MPI 4.1, section 3.9.
func SendInit[T any](c *Comm, buf []T, dst, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return initTransfer(c, "SendInit", buf, dst, tag, sending)
}

// SsendInit is [SendInit] in synchronous mode.
//
// MPI 4.1, section 3.9.
func SsendInit[T any](c *Comm, buf []T, dst, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return initTransfer(c, "SsendInit", buf, dst, tag, sendingSync)
}

// RsendInit is [SendInit] in ready mode: see [Rsend].
//
// MPI 4.1, section 3.9.
func RsendInit[T any](c *Comm, buf []T, dst, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return initTransfer(c, "RsendInit", buf, dst, tag, sending)
}

// BsendInit is [SendInit] in buffered mode: see [Bsend].
//
// MPI 4.1, section 3.9.
func BsendInit[T any](c *Comm, buf []T, dst, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	s, e := site{"BsendInit", toPeer, dst, tag}, elemFor[T](c)
	if err := c.checkRepeated(s, e, view(buf), sending); err != nil {
		return nil, err
	}
	return c.repeat(s, func() Request { return c.buffered(s, e, view(buf)) }), nil
}

// RecvInit makes a persistent request to receive into buf: see [SendInit].
//
// MPI 4.1, section 3.9.
func RecvInit[T any](c *Comm, buf []T, src, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return initTransfer(c, "RecvInit", buf, src, tag, receiving)
}

func initTransfer[T any](c *Comm, call string, buf []T, peer, tag int, k kind) (*Request, error) {
	s, e := site{call, toPeer, peer, tag}, elemFor[T](c)
	if k == receiving {
		s.role = fromPeer
	}
	if err := c.checkRepeated(s, e, view(buf), k); err != nil {
		return nil, err
	}
	return c.repeat(s, func() Request { return c.start(s, e, view(buf), k) }), nil
}

// checkRepeated is checkTransfer for a persistent request, whose layout is not first looked
// at when it is started.
func (c *Comm) checkRepeated(s site, e *elem, b []byte, k kind) error {
	if err := c.checkTransfer(s, e); err != nil || !e.items {
		return err
	}
	_, err := c.bodyOf(s, elements[Item](b), k == receiving)
	return err
}

// repeat makes a persistent request.
func (c *Comm) repeat(s site, begin func() Request) *Request {
	k := &persistent{c: c, site: s, begin: begin}
	k.repeats = k
	return &Request{handle: &k.handle}
}

// Start starts a persistent request, which must not be active. If the transfer cannot
// begin, the call that completes the request returns the error, as with Isend.
//
// MPI 4.1, section 3.9.
func (r *Request) Start() (err error) {
	defer r.raised(&err)
	k := r.repeated()
	if k == nil {
		var none *Comm
		return none.errorAt(at("Start"), ErrRequest, "the request is not persistent, or was freed; make it with SendInit, RecvInit or another Init call")
	}
	if r.active() != nil {
		return k.c.errorAt(at("Start"), ErrRequest, "the request of %s is active; complete it first", k.site.call)
	}
	if k.freed {
		return k.c.errorAt(at("Start"), ErrRequest, "the request of %s has been freed; make another", k.site.call)
	}
	k.current = k.begin()
	return nil
}

// StartAll starts all requests, in order. It starts those that it can; errors are
// joined.
//
// MPI 4.1, section 3.9.
func StartAll(reqs ...*Request) error {
	var failed error
	for _, r := range reqs {
		failed = errors.Join(failed, r.Start())
	}
	return failed
}

// release gives back what k does not need any more, when its last start is complete.
func (k *persistent) release() {
	if k != nil && k.launch != nil {
		k.launch.discard()
	}
}
