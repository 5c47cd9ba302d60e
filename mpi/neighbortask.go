package mpi

import (
	"errors"

	"rhinet/llc"
	"rhinet/llc/port"
)

// A neighborTask is a nonblocking neighborhood call: the task that completes its request. It
// has one step, the transfers with other ranks, which the transport makes without help:
// a wait or a test finds them complete, and no goroutine is needed. It is used again,
// with its requests, for a later call on the communicator.
type neighborTask struct {
	task
	c     *Comm
	site  site
	h     neighborCall
	sent  int           // number of farTo that were sent at once
	reqs  []llc.Request // receives of farFrom, then sends of farTo
	first *llc.Request  // of those in progress, linked
	part  partLabel
	// visits says that a checked job counts it among the calls in progress.
	visits bool
}

// nonblocking begins the call as a neighborTask, or returns nil, with nothing changed, in
// uncommon cases.
func (h *neighborCall) nonblocking(c *Comm, s site) (r Request, v *neighborTask) {
	carrier := c.t.Carrier()
	if carrier == nil {
		return r, nil
	}
	sent, ok := h.direct(c)
	if !ok {
		return r, nil
	}
	v = h.spare()
	v.carrier = carrier
	r = c.request(s, &v.task)
	v.post(c, s, h, sent)
	if c.w.Check {
		c.w.requests.guardAll(r.p, h.regions(c, s))
	}
	if v.first == nil {
		v.st, v.err, v.early = emptyStatus(), nil, true
	} else {
		v.late = v
		if v.visits = c.coll.history != nil; v.visits {
			c.coll.visits.Add(1)
		}
	}
	return r, v
}

// complete makes the transfers that direct has left of a blocking call, in memory that is used
// again.
func (h *neighborCall) complete(c *Comm, s site, sent int) error {
	v := h.spare()
	v.post(c, s, h, sent)
	c.t.WaitAll(v.first)
	err := v.result()
	if err == nil {
		v.spent()
	} else {
		v.discard()
	}
	return err
}

// regions returns the buffers of the call.
func (h *neighborCall) regions(c *Comm, s site) (all []region) {
	for i, e := range h.in {
		if e.peer != ProcNull {
			all = append(all, c.regionAt(s, h.recv.elem(c, i), h.recv.at(i), true))
		}
	}
	for i, e := range h.out {
		if e.peer != ProcNull {
			all = append(all, c.regionAt(s, h.send.elem(c, i), h.send.at(i), false))
		}
	}
	return all
}

// post begins the transfers that direct has left.
func (v *neighborTask) post(c *Comm, s site, h *neighborCall, sent int) {
	v.c, v.site, v.h, v.sent = c, s, *h, sent
	for k, i := range h.farFrom {
		v.start(k, h.recv.at(i), &h.in[i], h.recv.elem(c, i), c.id, false)
	}
	for k := sent; k < len(h.farTo); k++ {
		i := h.farTo[k]
		v.start(len(h.farFrom)+k, h.send.at(i), &h.out[i], h.send.elem(c, i), c.idOf(h.out[i].peer), true)
	}
}

// start begins a transfer.
func (v *neighborTask) start(k int, b []byte, e *edge, is *elem, id contextID, send bool) {
	r := &v.reqs[k]
	key, tag := v.h.edgeKey(id, is, e)
	r.Peer, r.Tag, r.Buf, r.Mode = v.c.global(e.peer), tag, b, llc.Standard
	r.Context, r.Type, r.Label = key.Context(), key.Type(), v.site.call
	r.Link, v.first = v.first, r
	v.c.t.Start(r, send)
}

// await waits for the transfers. Its caller completes the request next.
func (v *neighborTask) await(many string) {
	v.late = nil
	if many != "" {
		v.label(many)
		defer v.label("")
	}
	v.c.t.WaitAll(v.first)
	v.st, v.err = emptyStatus(), v.result()
}

// label has reports show the waits for the transfers as waits in the call many, unless that is empty.
func (v *neighborTask) label(many string) {
	text := v.part.in(many, v.site.call)
	for r := v.first; r != nil; r = r.Link {
		r.Label = text
	}
}

// look completes the call, if its transfers are complete, and reports whether it did.
func (v *neighborTask) look() bool {
	for r := v.first; r != nil; r = r.Link {
		if !v.c.t.Test(r) {
			return false
		}
	}
	v.late = nil
	v.conclude()
	return true
}

// here reports whether the transfers are complete. It is called with the port's lock held.
func (v *neighborTask) here() bool {
	for r := v.first; r != nil; r = r.Link {
		if !r.Done() {
			return false
		}
	}
	return true
}

// hand has the transport complete the call, for which several goroutines may wait from
// now on.
func (v *neighborTask) hand() {
	v.late = nil
	v.steps = port.Task{Work: v, Call: v.site.call}
	if v.carrier.When(&v.steps, v.first, nil) {
		v.conclude()
	} // else the transport completes it
}

// Step completes the call, whose transfers are complete, or will be at once: see [port.Stepper].
func (v *neighborTask) Step() {
	v.conclude()
	v.carrier.Conclude(&v.steps)
}

// conclude completes the call.
func (v *neighborTask) conclude() {
	v.c.t.WaitAll(v.first)
	v.end(emptyStatus(), v.result())
}

// result returns the error of the transfers, which are complete.
func (v *neighborTask) result() (failed error) {
	c, h, call := v.c, &v.h, v.site.call
	if v.visits {
		v.visits = false
		c.coll.visits.Add(-1)
		defer func() { failed = c.overruled(v.site, failed) }()
	}
	for k, i := range h.farFrom {
		r := &v.reqs[k]
		if r.Status.Err != nil || int(r.Status.Bytes) != len(r.Buf) {
			failed = h.arrived(c, v.site, failed, i, r.Status)
		}
	}
	for k := v.sent; k < len(h.farTo); k++ {
		i := h.farTo[k]
		if r := &v.reqs[len(h.farFrom)+k]; r.Status.Err != nil {
			if err := c.sendFailed(site{call, toPeer, h.out[i].peer, Undefined}, h.send.elem(c, i), len(r.Buf), r.Status.Err); err != nil {
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}

// spare returns a neighborTask that is not in use.
func (a *neighborhood) spare() *neighborTask {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.free); n > 0 {
		v := a.free[n-1]
		a.free = a.free[:n-1]
		return v
	}
	v := &neighborTask{reqs: make([]llc.Request, len(a.farFrom)+len(a.farTo))}
	v.neighbor = v
	return v
}

// spent keeps v for another call, unless the transport has had it, or its channel has
// been handed out. It succeeded, and its request is complete.
func (v *neighborTask) spent() {
	if v.steps.Work != nil || v.done != nil || v.c.state.Load() != commOpen {
		v.discard()
		return
	}
	for r := v.first; r != nil; r = r.Link {
		r.Buf = nil
	}
	a := v.h.neighborhood
	v.c, v.h, v.first = nil, neighborCall{}, nil
	if v.early = false; v.over.Load() {
		v.over.Store(false)
	}
	a.mu.Lock()
	a.free = append(a.free, v)
	a.mu.Unlock()
}

// discard discards the tasks of a communicator on which no call begins any more.
func (a *neighborhood) discard() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.free {
		v.discard()
	}
	a.free = nil
}
