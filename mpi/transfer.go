package mpi

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"rhinet/internal/callsite"
	"rhinet/internal/origin"
	"rhinet/llc"
	"rhinet/llc/port"
)

// A transfer is the part of a request that the transport works on. Its world owns it
// and uses it again; gen grows with each use, so that a request that has been completed can
// never reach the transfer of another one.
type transfer struct {
	llc.Request
	c     *Comm
	elem  *elem
	gen   uint64
	site  site
	kind  kind
	phase phase
	told  bool // shared with others, since its handle is or was watched, or its buffers are
	null  bool // peer is ProcNull: nothing was started
	lost  bool // the transport may still complete it: it is not used again
	freed bool // a send whose request was freed, and that is not known to have ended

	err    error          // found at the start: nothing was started, and not in the pool
	task   *task          // completes it instead of the transport; or nil
	guards []guard        // until it is complete: see guard
	lease  *lease         // until it is complete, if its handle is watched
	made   *callsite.Line // that began it, if the world is in debug mode
}

// A phase is the state of a transfer between two uses.
//
//	spare --Isend, Irecv--> handed --WaitAll--> held
//	  |          \--complete at once--> gone
//	  \--any other call--> begun --WaitAll--> kept
//	                          \--Free--> disowned
//
// From each of them it becomes a spare at its end.
type phase uint8

const (
	spare    phase = iota // in the pool
	begun                 // by any call
	handed                // by Isend or Irecv: the transport has it
	gone                  // a send of which only the handle is left
	held                  // as handed, and a WaitAll waits for it
	kept                  // as begun, and a WaitAll waits for it
	disowned              // its handle was given up: Finalize does not report it
)

// plain reports whether Isend or Irecv began p by the short path, and no call waits for
// it.
func (p *transfer) plain() bool { return p.phase == handed || p.phase == gone }

// unfinished reports whether the program has a handle of the transfer, or a call is using it.
func (p *transfer) unfinished() bool { return p.phase != spare && p.phase != disowned }

// reported reports whether the end of a session, or of the world, names the transfer:
// one that the program must complete. That excludes transfers that windows make
// themselves, and those that a call has just begun to fill in.
func (p *transfer) reported(of *Session) bool {
	return p.unfinished() && p.c != nil && p.c.session == of && (!p.c.core.private || p.kind == compound)
}

// A kind is what a transfer does.
type kind uint8

const (
	sending kind = iota
	sendingSync
	receiving
	compound // not one transfer of the transport: a task completes it
)

// waits is the call that waits for a transfer made here, if it is not Wait or a similar
// call.
func (s *site) waits() string {
	if s.call[0] == 'I' || s.call == "Bsend" || strings.HasSuffix(s.call, "Init") {
		return ""
	}
	return s.call
}

// started reports whether the transport completes p.
func (p *transfer) started() bool { return p.err == nil && !p.null && p.task == nil }

// ready reports whether p is complete.
func (p *transfer) ready() bool {
	if p.task != nil {
		return p.task.ready()
	}
	return !p.started() || p.c.t.Test(&p.Request) || p.endIfRevoked()
}

// finish ends a complete transfer: it returns the result, and p to the pool.
func (p *transfer) finish() (Status, error) {
	if p.err != nil {
		return emptyStatus(), p.raise(p.err)
	}
	st, err := p.outcome()
	k := p.task
	if len(p.guards) > 0 {
		if e := p.unguard(); err == nil {
			err = e
		}
	}
	if err != nil {
		_ = p.raise(err)
	}
	if k != nil && err == nil {
		k.spent(p)
	} else {
		p.leave()
	}
	return st, err
}

// result returns the result of a complete transfer.
func (p *transfer) result() (Status, error) {
	if p.err != nil {
		return emptyStatus(), p.err
	}
	return p.outcome()
}

// outcome is result for a transfer that was begun.
func (p *transfer) outcome() (Status, error) {
	switch {
	case p.task != nil:
		return p.task.st, p.task.err
	case p.null:
		return nullStatus(), nil
	case p.kind == receiving:
		return p.c.received(p.site, p.elem, p.Status, p.Status.Err, p.Bytes())
	case p.Status.Err != nil:
		return emptyStatus(), p.c.sendFailed(p.site, p.elem, p.Bytes(), p.Status.Err)
	}
	return emptyStatus(), nil
}

// fine reports whether a transfer that the transport has completed succeeded, as
// received and sendFailed would find, too. For a receive in pieces it is false: they
// decide.
func (p *transfer) fine() bool {
	if p.kind != receiving || p.Status.Err != nil {
		return p.Status.Err == nil
	}
	n := int(p.Status.Bytes)
	return n <= len(p.Buf) && p.elem.whole(n)
}

// await waits for the transport and returns the result.
func (p *transfer) await() (Status, error) {
	if p.c.ctx == nil {
		p.c.t.Wait(&p.Request)
	} else if err := p.waitContext(); err != nil {
		return emptyStatus(), err
	}
	if p.kind == receiving {
		return p.c.received(p.site, p.elem, p.Status, p.Status.Err, p.Bytes())
	}
	if p.Status.Err != nil {
		return emptyStatus(), p.c.sendFailed(p.site, p.elem, p.Bytes(), p.Status.Err)
	}
	return emptyStatus(), nil
}

// waitContext waits until the communicator's context ends. On error the transfer has
// been given up, and must still be released.
func (p *transfer) waitContext() error {
	t := p.c.t
	var cause error
	for {
		ctx, stop := p.limit()
		cause = t.WaitContext(ctx, &p.Request)
		ended := ctx.Err() != nil
		stop()
		if cause == nil {
			return nil
		}
		if over := p.over(); over != nil {
			cause = over // and not the death that may have ended the wait
			break
		}
		if !ended {
			break // the transport has been closed
		}
		if err := p.failurePending(); err != nil {
			return err
		} // if not, the death has been acknowledged meanwhile, or the message has come
	}
	withdrawn := t.Cancel(&p.Request)
	if !withdrawn && t.Test(&p.Request) {
		if p.Status.Err == nil {
			return nil // it completed while the context ended
		}
		withdrawn = true
	}
	err := p.c.limited(p.site, cause, "the context ended while waiting")
	p.lost = !withdrawn
	return err
}

// release returns p to the pool, if it comes from there.
func (p *transfer) release() {
	if p.err == nil {
		p.leave()
	}
}

// leave is release for a transfer that was begun.
func (p *transfer) leave() {
	if p.lost {
		p.abandon()
	} else {
		p.c.w.requests.put(p)
	}
}

// reuse readies p for its next use, which may be by the transport.
func (p *transfer) reuse() {
	if p.told {
		p.c.w.requests.guards.dismiss(p) // given up: the error is not reported
		p.unlease()
	}
	p.again()
	p.Body, p.Label, p.Attended = nil, "", false
	p.c, p.task, p.null = nil, nil, false
}

// claim has the caller complete use number gen of p, unless another goroutine does. From here on every handle is
// inactive. Best effort: only one goroutine may use a Request, and an atomic operation would cost all of them.
func (p *transfer) claim(gen uint64) bool {
	if p.gen != gen {
		return false
	}
	p.gen = gen + 1
	return true
}

// again is reuse for a transfer that was handed or gone, and is not guarded. From here
// on every handle is inactive.
func (p *transfer) again() {
	p.Buf, p.phase = nil, spare
	p.gen++
}

// retire is again for a transfer that is shared with others. If its buffers were not
// left alone, it does nothing and returns false.
func (k *requestPool) retire(p *transfer) (fine bool) {
	k.mu.Lock()
	if fine = k.guards.end(p); fine {
		p.unlease()
		p.again()
	}
	k.mu.Unlock()
	return fine
}

// abandon leaves p to the transport, which may still complete it. It is never used
// again.
func (p *transfer) abandon() { p.c.w.requests.drop(p) }

// String describes an unfinished transfer for the report of Finalize.
func (p *transfer) String() string {
	e := Error{Call: p.site.call, Comm: p.c.name, Peer: p.site.peer, Tag: p.site.tag, role: p.site.role}
	text := strings.TrimPrefix(e.Error(), "mpi: ")
	if p.kind == compound {
		text = strings.TrimSuffix(text, ": ")
	} else {
		text += fmt.Sprintf("%d bytes", p.Request.Bytes())
	}
	return text + p.callSite()
}

// A requestPool holds the transfers of a world. Most are taken by the transport, which
// has its own lock, and come back by Put.
type requestPool struct {
	port.Spares

	mu  sync.Mutex
	all map[*transfer]struct{}

	scratches []*scratch

	guards  guards           // of a checked job
	handles handles          // of a job that reports forgotten requests
	lines   *callsite.Finder // in debug mode
	origins *origin.Lines    // of what was sent; nil: not recorded
	untaken []string         // sends whose requests were freed, and that no rank has received before Finalize
}

// take hands out a transfer.
func (k *requestPool) take(debug bool) *transfer {
	k.mu.Lock()
	var p *transfer
	if r := k.Get(); r != nil {
		p = r.Owner.(*transfer)
	} else {
		p = new(transfer)
		p.Owner = p
		if k.all == nil {
			k.all = map[*transfer]struct{}{}
		}
		k.all[p] = struct{}{}
	}
	p.phase = begun
	k.mu.Unlock()
	if debug {
		k.note(p)
	}
	return p
}

// watched records p in debug mode: the line that made it, its buffer if that is
// checked, and its handle, which it returns, if the job reports forgotten requests.
func (p *transfer) watched() Request {
	w, r := p.c.w, Request{p: p, gen: p.gen}
	w.requests.note(p)
	k := &w.requests
	k.mu.Lock()
	if w.Check {
		k.guards.guard(p)
		if o := k.origins; o != nil && p.kind == sending {
			if key := origin.StreamOf(p.c.keyTo(p.site.peer).Context(), p.c.global(p.site.peer), p.site.tag); !o.Again(key, p.made) {
				o.Add(key, p.made)
			}
		}
	}
	if w.Forgotten != nil {
		r.handle = k.handles.take(p)
	}
	k.mu.Unlock()
	return r
}

// note records the line of the program that has made the call.
func (k *requestPool) note(p *transfer) { p.made = k.lines.Caller() }

// put takes a transfer back.
func (k *requestPool) put(p *transfer) {
	k.mu.Lock()
	p.reuse()
	k.mu.Unlock()
	k.Put(&p.Request, &p.Request)
}

// complete returns to the pool those transfers of a list that are held and succeeded,
// and reports whether others are left.
func (k *requestPool) complete(list *llc.Request) (left bool) {
	var last *llc.Request // returned to the pool
	locked := false
	for r := list; r != nil; r = r.Link {
		p := r.Owner.(*transfer)
		fine := p.phase == held && p.fine()
		if fine && p.told {
			if !locked {
				k.mu.Lock()
				locked = true
			}
			if fine = k.guards.end(p); fine {
				p.unlease()
			}
		}
		if fine {
			p.again()
			last = r
			continue
		}
		if left = true; p.phase == held { // else kept: Wait completes it
			p.phase = handed
		}
		if last == nil {
			list = r.Link
		} else {
			last.Link = r.Link
		}
	}
	if locked {
		k.mu.Unlock()
	}
	if last != nil {
		k.Put(list, last)
	}
	return left
}

// drop removes a transfer that cannot be used again.
func (k *requestPool) drop(p *transfer) {
	k.mu.Lock()
	delete(k.all, p)
	p.phase = disowned
	if p.told {
		k.guards.dismiss(p)
		p.unlease()
	}
	k.mu.Unlock()
}

// scratch returns memory for one WaitAny, and keep takes it back.
func (k *requestPool) scratch() *scratch {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.scratches); n > 0 {
		s := k.scratches[n-1]
		k.scratches = k.scratches[:n-1]
		return s
	}
	return new(scratch)
}

func (k *requestPool) keep(s *scratch) {
	clear(s.rs)
	s.rs, s.index = s.rs[:0], s.index[:0]
	k.mu.Lock()
	k.scratches = append(k.scratches, s)
	k.mu.Unlock()
}

// pending lists the transfers of a session, or of the world, that were never completed.
func (k *requestPool) pending(of *Session) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.list(func(p *transfer) bool { return p.reported(of) })
}

// list names transfers. The pool is locked.
func (k *requestPool) list(which func(*transfer) bool) []string {
	var list []string
	for p := range k.all {
		if which(p) {
			list = append(list, p.String())
		}
	}
	slices.Sort(list) // the same program prints the same
	return list
}

// callSite returns the line of the program that made p, in brackets, if it is known.
func (p *transfer) callSite() string {
	if p.made == nil {
		return ""
	}
	return fmt.Sprintf(" (%s)", p.made)
}
