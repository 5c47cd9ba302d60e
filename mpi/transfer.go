package mpi

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"rhinet/llc"
)

// A transfer is the half of a request that the transport works on. Its world
// owns it and uses it again; gen tells its users apart, so that a request that
// was completed can never reach the transfer of another one.
type transfer struct {
	llc.Request
	c    *Comm
	elem *elem
	site site
	kind kind
	null bool  // partner is ProcNull: nothing was started
	err  error // found at the start: nothing was started, and not in the pool
	gen  uint64
	live bool
	lost bool       // the transport may still complete it: it is not used again
	task *task      // what completes it instead of the transport, or nil
	made [8]uintptr // callers of the call that made it, if the world is in debug mode
}

// A kind is what a transfer does.
type kind uint8

const (
	sending kind = iota
	sendingSync
	receiving
	compound // not one transfer of the transport: a task completes it
)

// waits is the call that waits for a transfer made here, if that is not left
// to Wait and its kin.
func (s *site) waits() string {
	if s.call[0] == 'I' || s.call == "Bsend" || strings.HasSuffix(s.call, "Init") {
		return ""
	}
	return s.call
}

// started reports whether p is completed by the transport.
func (p *transfer) started() bool { return p.err == nil && !p.null && p.task == nil }

// ready reports whether p is complete.
func (p *transfer) ready() bool {
	if p.task != nil {
		return p.task.over.Load()
	}
	return !p.started() || p.c.t.Test(&p.Request)
}

// finish ends a complete transfer: its result, and back to the pool.
func (p *transfer) finish() (Status, error) {
	if p.err != nil {
		return emptyStatus(), p.err
	}
	st, err := p.result()
	p.release()
	return st, err
}

// result is what became of a complete transfer.
func (p *transfer) result() (Status, error) {
	switch {
	case p.err != nil:
		return emptyStatus(), p.err
	case p.task != nil:
		return p.task.st, p.task.err
	case p.null:
		return nullStatus(), nil
	case p.kind == receiving:
		return p.c.received(p.site, p.elem, p.Status, p.Status.Err, p.Bytes())
	case p.Status.Err != nil:
		return emptyStatus(), p.c.sendFailed(p.site, p.elem, p.Status.Err)
	}
	return emptyStatus(), nil
}

// fine reports whether a transfer that the transport has completed has gone well, which
// received and sendFailed would find too. A receive in pieces is not asked: it is left to them.
func (p *transfer) fine() bool {
	if p.kind != receiving || p.Status.Err != nil {
		return p.Status.Err == nil
	}
	n := int(p.Status.Bytes)
	return n <= len(p.Buf) && n == p.elem.count(n)*p.elem.size
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
		return emptyStatus(), p.c.sendFailed(p.site, p.elem, p.Status.Err)
	}
	return emptyStatus(), nil
}

// waitContext waits within the limits of the communicator's context. On error
// the transfer is given up, and still to be released.
func (p *transfer) waitContext() error {
	t := p.c.t
	if t.WaitContext(p.c.ctx, &p.Request) == nil {
		return nil
	}
	withdrawn := t.Cancel(&p.Request)
	if !withdrawn && t.Test(&p.Request) {
		if p.Status.Err == nil {
			return nil // it completed while the context ended
		}
		withdrawn = true
	}
	err := p.c.because(p.site, ErrCancelled, context.Cause(p.c.ctx), "the context ended while waiting")
	p.lost = !withdrawn
	return err
}

// release returns p to the pool.
func (p *transfer) release() {
	if p.lost {
		p.abandon()
	} else if p.err == nil {
		p.c.w.requests.put(p)
	}
}

// abandon leaves p to the transport, which may still complete it. It is never
// used again.
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
	if p.made[0] != 0 {
		text += p.callSite()
	}
	return text
}

// A requestPool holds the transfers of a world.
type requestPool struct {
	mu   sync.Mutex
	free []*transfer
	all  map[*transfer]struct{}

	scratches []*scratch
}

// take hands out a transfer.
func (k *requestPool) take(debug bool) *transfer {
	k.mu.Lock()
	var p *transfer
	if n := len(k.free); n > 0 {
		p = k.free[n-1]
		k.free = k.free[:n-1]
	} else {
		p = new(transfer)
		if k.all == nil {
			k.all = map[*transfer]struct{}{}
		}
		k.all[p] = struct{}{}
	}
	p.live = true
	k.mu.Unlock()
	if debug {
		clear(p.made[:])
		runtime.Callers(2, p.made[:])
	}
	return p
}

// put takes a transfer back.
func (k *requestPool) put(p *transfer) {
	k.mu.Lock()
	k.reclaim(p)
	k.mu.Unlock()
}

// reclaim is put under the lock.
func (k *requestPool) reclaim(p *transfer) {
	p.Buf, p.Body, p.c, p.task = nil, nil, nil, nil
	p.gen++
	p.live = false
	k.free = append(k.free, p)
}

// drop forgets a transfer that cannot be used again.
func (k *requestPool) drop(p *transfer) {
	k.mu.Lock()
	delete(k.all, p)
	p.live = false
	k.mu.Unlock()
}

// scratch hands out memory for one WaitAny, and keep takes it back.
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

// pending lists the transfers that nobody completed.
func (k *requestPool) pending() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for p := range k.all {
		if p.live {
			list = append(list, p.String())
		}
	}
	return list
}

// callSite is the first caller outside this package.
func (p *transfer) callSite() string {
	frames := runtime.CallersFrames(p.made[:])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "rhinet/mpi.") {
			return fmt.Sprintf(" (%s:%d)", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}
