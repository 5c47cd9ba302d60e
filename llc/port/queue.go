package port

import "rhinet/llc"

// A queue holds finished requests that are not waited for one by one: the event queue of "llc", section 3.3.
// Those that have been returned are before next.
type queue struct {
	done []*llc.Request
	next int
	used bool // Enqueue has been called
}

func (q *queue) empty() bool { return q.next == len(q.done) }

func (q *queue) push(r *llc.Request) {
	if q.empty() {
		q.done, q.next = q.done[:0], 0
	}
	q.done = append(q.done, r)
}

func (q *queue) pop() *llc.Request {
	r := q.done[q.next]
	q.done[q.next] = nil
	q.next++
	return r
}

// queued reports the end of a request to its task, or to Next.
func (p *Port) queued(r *llc.Request) {
	if t, ok := r.Owner.(*Task); ok {
		r.Queued = false
		p.closer(t)
	} else {
		p.queue.push(r)
	}
}

// Enqueue is Start for a transfer whose end Next returns, once; it must not be waited for or cancelled
// otherwise. On a closed port it returns ErrClosed, and nothing has begun.
func (p *Port) Enqueue(r *llc.Request, send bool) error {
	p.lock()
	defer p.gate.leave()
	if p.is(drained) {
		return ErrClosed
	}
	r.Queued, p.queue.used = true, true
	p.eng.Silence(false)
	if send {
		p.isend(r, 0)
	} else {
		p.irecv(r)
	}
	return nil
}

// Next returns a request that Enqueue has started and that is done, in the order in which they were done.
// With block it waits for one; then nil means that the port is closed, or that nothing is under way and a
// peer has been lost (see Failure).
func (p *Port) Next(block bool) *llc.Request {
	p.lock()
	for i := 0; p.queue.empty() && !p.is(closed) && i < burst && p.peek(); i++ {
	}
	if !p.queue.empty() || !block {
		return p.leaveWith()
	}
	w := p.waiters.take()
	w.kind, w.call, w.cond = waitCond, "Next", func() bool { return !p.queue.empty() }
	p.nic.Hint(llc.AnyPeer)
	b := p.policy.Begin()
	for p.queue.empty() && !p.is(closed) { // another goroutine may take what the wait ended for
		if w.met = false; p.failed != nil && !p.under() {
			break
		}
		p.await(w, &b)
	}
	p.waiters.keep(w)
	return p.leaveWith()
}

// leaveWith leaves the port with the first of the queue, if there is one.
func (p *Port) leaveWith() (r *llc.Request) {
	if !p.queue.empty() {
		r = p.queue.pop()
	}
	p.miss(nil, r != nil)
	return r
}
