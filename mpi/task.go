package mpi

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// A task completes a request that is not one transfer of the transport, or one whose
// owner waits on a channel. A goroutine or the transport advances it, so it makes
// progress whatever the program does meanwhile (MPI 4.1, section 3.7.4).
type task struct {
	over  atomic.Bool // set at the end
	early bool        // it has ended before the program got its request: no other goroutine waits for it
	st    Status      // valid at the end
	err   error
	done  chan struct{} // closed when over is set; unless a goroutine completes the task, nil until channel is called

	cancel   func() error  // what Cancel calls; nil: the operation cannot be cancelled
	launch   *launch       // the launch whose operation it is; nil: none
	neighbor *neighborTask // the neighborhood call that it is; nil: none
	late     late          // work that a wait or a test completes; nil: none
	attended bool          // a goroutine that reports do not show completes the task, and wakes this rank then

	carrier port.Carrier // advances the task; nil: a goroutine does
	steps   port.Task

	kept *transfer // of the last request, for the next one; nil: none
}

// A late is work that makes no progress until a goroutine waits for it or tests it.
type late interface {
	// await waits for the end, in the call many: see task.wait. Its caller completes the
	// request next, so no waiter is woken.
	await(many string)
	// look ends the work, if it need not wait, and reports whether it did.
	look() bool
	// here reports whether there is nothing to wait for. It is called with the port's
	// lock held.
	here() bool
	// hand has the transport, or a goroutine, advance the work: several goroutines may
	// wait for it from now on.
	hand()
}

func newTask() *task { return &task{done: make(chan struct{}), st: emptyStatus()} }

// end completes the task.
func (k *task) end(st Status, err error) {
	k.st, k.err = st, err
	k.over.Store(true)
	if k.carrier == nil && k.done != nil {
		close(k.done)
	}
}

// spent keeps p, and the launch or neighborTask of the task, for another call. The task succeeded, and its
// request, which had p, is complete.
func (k *task) spent(p *transfer) {
	if p.told || k.launch == nil && k.neighbor == nil {
		p.release()
	} else {
		p.again()
		k.kept = p
	}
	switch {
	case k.launch != nil && k.launch.once:
		k.launch.spent()
	case k.neighbor != nil:
		k.neighbor.spent()
	}
}

// discard gives back what the task keeps for another call that will not come.
func (k *task) discard() {
	if p := k.kept; p != nil {
		k.kept = nil
		p.release()
	}
}

// ended reports whether the task is complete.
func (k *task) ended() bool { return k.early || k.over.Load() }

// wait waits until the task is complete. Reports show the wait as one in the call many,
// which waits for several requests; empty: in another one.
func (k *task) wait(many string) {
	switch {
	case k.ended():
	case k.late != nil:
		k.late.await(many)
	case k.carrier == nil:
		<-k.done
	default:
		k.carrier.Join(&k.steps, many)
	}
}

// ready reports whether the task is complete.
func (k *task) ready() bool {
	switch {
	case k.ended():
		return true
	case k.late != nil:
		return k.late.look()
	case k.carrier != nil:
		return k.carrier.Look(&k.steps)
	}
	runtime.Gosched() // a loop of tests must not keep the goroutine that completes it from running
	return k.over.Load()
}

// met reports whether the task is complete, or a waiter can complete it without
// waiting. It is called with the port's lock held.
func (k *task) met() bool { return k.ended() || k.late != nil && k.late.here() }

// channel returns a channel that is closed when the task is complete. The first call
// for a task that no goroutine completes starts one.
func (k *task) channel() <-chan struct{} {
	if k.done == nil && k.late != nil {
		k.late.hand()
	}
	if k.done == nil {
		k.done = make(chan struct{})
		go func() {
			if k.carrier != nil && k.late == nil && !k.ended() { // one that has ended early never ends for the carrier
				k.carrier.Attend(&k.steps)
			}
			k.wait("")
			close(k.done)
		}()
	}
	return k.done
}

// request returns a request that k completes.
func (c *Comm) request(s site, k *task) Request {
	p := k.kept
	if p == nil {
		p = c.w.requests.take(c.w.Debug)
		p.kind, p.null = compound, false
	} else if k.kept, p.phase = nil, begun; c.w.Debug {
		c.w.requests.note(p)
	}
	p.c, p.site, p.task = c, s, k
	r := Request{p: p, gen: p.gen}
	if c.w.Forgotten != nil {
		r = c.watch(r)
	}
	return r
}

// failedRequest returns a request for a call that has failed.
func (c *Comm) failedRequest(s site, err error) *Request {
	return &Request{p: &transfer{c: c, site: s, err: err}}
}

// Done returns a channel that is closed when the operation is complete, for select
// statements. It does not complete the request: Wait or Test must still be called, and
// then return at once. The first call starts a goroutine.
//
// Not in the standard.
func (r *Request) Done() <-chan struct{} {
	p := r.active()
	if p == nil {
		k := newTask()
		k.end(emptyStatus(), nil)
		return k.done
	}
	if p.task != nil {
		return p.task.channel()
	}
	k := newTask()
	switch {
	case p.err != nil: // Wait returns it
		k.end(emptyStatus(), nil)
		return k.done
	case p.ready():
		k.end(p.result())
	default:
		p.attend(k)
	}
	p.task, p.phase = k, begun
	return k.done
}

// attend has a goroutine wait for p and end k.
func (p *transfer) attend(k *task) {
	if p.c.w.Clock == nil {
		p.Label = llc.Serving
	}
	p.c.attend(k, p.await)
}

// attend has a goroutine carry out f and end k with its results. Reports show the calls of the program that wait for k
// instead: see call.
func (c *core) attend(k *task, f func() (Status, error)) {
	k.attended = c.w.Clock == nil
	go func() {
		k.end(f())
		c.rouse()
	}()
}

// call waits for the task of p within a call of the program: see task.wait.
func (p *transfer) call(many string) {
	k := p.task
	if k.attended {
		held, label := ir.Collective{Holder: &ir.Holder{Peer: ir.NoPeer}}, cmp.Or(many, "Wait")
		if p.kind != compound {
			held.Holder.Peer = p.Peer
		} else {
			label = noted(label, p.site.call)
		}
		p.c.t.AwaitCollective(label, &held, nil, k.over.Load)
	}
	k.wait(many)
}

// Status reports whether the operation is complete, and its status, without completing
// the request.
//
// MPI 4.1, section 3.7.6 (MPI_Request_get_status).
func (r *Request) Status() (Status, bool, error) {
	p := r.active()
	if p == nil {
		return emptyStatus(), true, nil
	}
	if !p.ready() {
		return emptyStatus(), false, nil
	}
	st, err := p.result()
	return st, true, p.raise(err)
}

// Free gives up the request, which becomes inactive. The operation continues, and its
// buffer stays in use until it is complete, which only the peer can tell. Its errors
// are lost. A persistent request that has been freed cannot be started again. Requests of
// nonblocking collective calls can be freed, too, which MPI does not allow.
//
// MPI 4.1, section 3.7.3 (MPI_Request_free).
func (r *Request) Free() error {
	p, k := r.active(), r.repeated()
	if k != nil {
		if k.freed {
			k = nil // by another copy
		} else {
			k.freed = true
		}
	}
	if p == nil {
		if r != nil {
			*r = Request{}
		}
		k.release()
		return nil
	}
	done := r.Done()
	*r = Request{}
	p.c.disown(p)
	p.c.w.requests.freed(p)
	if len(p.guards) > 0 {
		p.c.w.requests.unguarded(p)
	}
	go func() {
		<-done
		p.c.w.requests.unfreed(p)
		p.release()
		k.release()
	}()
	return nil
}

// disown has Finalize not report p.
func (c *Comm) disown(p *transfer) {
	if c.isNull() || p.err != nil {
		return
	}
	k := &c.w.requests
	k.mu.Lock()
	p.phase = disowned
	k.mu.Unlock()
}

// Cancel cancels a receive that no message has matched yet. The request must still be
// completed; then [Status.Cancelled] says whether the receive was cancelled. On a send
// that is complete, like every one in buffered mode, it has no effect. Other sends and
// collective calls cannot be cancelled (ErrRequest): a context can end waits for them,
// see [Comm.WithContext]. For requests of the program see [NewRequest].
//
// MPI 4.1, section 3.8.4.
func (r *Request) Cancel() (err error) {
	defer r.raised(&err)
	p := r.active()
	switch {
	case p == nil:
		var none *Comm
		return none.errorAt(at("Cancel"), ErrRequest, "the request is not active; cancel it before it is completed")
	case p.err != nil || p.null:
		return nil
	case p.kind == receiving:
		p.c.t.Cancel(&p.Request)
		return nil
	case p.kind != compound && p.ready():
		return nil
	case p.task != nil && p.task.cancel != nil:
		return p.task.cancel()
	}
	return p.c.errorAt(at("Cancel"), ErrRequest, "%s cannot be cancelled, only receives; use a communicator WithContext to end its wait", p.site.call)
}
