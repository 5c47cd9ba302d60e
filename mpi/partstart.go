package mpi

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A partStart is one start of a partitioned request: the task that completes it. No
// goroutine belongs to it: the transfer of a partition begins when both sides know each
// other and, at the sender, Pready has named it, and a wait or a test finds all of them
// complete. So the request of a receive is complete as soon as Parrived has reported
// all partitions.
type partStart struct {
	task
	p *partitioned
}

// start begins one transfer of the message.
func (p *partitioned) start() Request {
	v := &partStart{p: p}
	v.st = emptyStatus()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on, p.reqs, p.failed, p.left = p.send || !p.null, nil, nil, p.partitions // a receive from ProcNull is complete at once
	if p.ready, p.all = make([]bool, p.partitions), make(chan struct{}); p.left == 0 {
		close(p.all)
	}
	r := p.c.request(p.site, &v.task)
	p.guard(r)
	if !p.on {
		v.end(nullStatus(), nil)
		return r
	}
	if v.late = v; p.matched {
		p.beginAll()
	}
	return r
}

// meet notes that both sides know each other, or that they do not match, and goes on
// with a start.
func (p *partitioned) meet() {
	p.mu.Lock()
	if p.matched = true; p.on {
		p.beginAll()
	}
	p.mu.Unlock()
	close(p.met)
	p.c.rouse()
}

// beginAll begins the transfers of a start that need not wait for Pready. The lock is
// held.
func (p *partitioned) beginAll() {
	if p.err != nil {
		return
	}
	p.reqs = make([]*llc.Request, p.theirs)
	for i := range p.reqs {
		if !p.null && (!p.send || p.ready[i]) && p.failed == nil {
			p.failed = p.begin(i)
		}
	}
}

// progress is what has been reached of a start. Transfers that are not nil do not change.
type progress struct {
	on, matched bool
	left        int
	reqs        []*llc.Request
	step        *llc.Request
	failed      error
}

// now returns how far the start is.
func (p *partitioned) now() progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := progress{p.on, p.matched, p.left, p.reqs, p.step, p.failed}
	if p.matched && p.err != nil {
		at.failed = p.err
	}
	return at
}

// look completes the request, if the start need not wait, and reports whether it did.
func (v *partStart) look() bool {
	p := v.p
	switch at := p.now(); {
	case !at.matched:
		p.glance(at.step)
		return false
	case at.failed != nil: // settle waits for the transfers that have begun
	case p.over() != nil: // and gives them up
	case p.send && at.left > 0:
		p.glance(nil) // other goroutines may be about to call Pready
		return false
	default:
		for _, q := range at.reqs {
			if q != nil && !p.c.t.Test(q) {
				return false
			}
		}
	}
	v.late = nil
	v.conclude()
	return true
}

// glance makes progress with a request, if it is not nil, and lets other goroutines run.
func (p *partitioned) glance(step *llc.Request) {
	if step != nil {
		p.c.t.Test(step)
	}
	runtime.Gosched()
}

// await waits for the end of the start. Its caller completes the request next.
func (v *partStart) await(many string) {
	v.late = nil
	v.settle(noted(cmp.Or(many, "Wait"), v.p.site.call))
}

// here is not asked: WaitAny waits for the channel of the request.
func (v *partStart) here() bool { return v.over.Load() }

// hand has a goroutine wait for the end, for which several may wait from now on.
func (v *partStart) hand() {
	v.late, v.done = nil, make(chan struct{})
	v.attended = v.p.c.w.Clock == nil
	go v.conclude()
}

// conclude completes the request.
func (v *partStart) conclude() {
	v.settle(v.p.c.unattended(v.p.site.call))
	v.end(v.st, v.err)
	v.p.c.rouse()
}

// settle waits for the end of the start, and records how it has ended. The label is that of its waits.
func (v *partStart) settle(label string) {
	p := v.p
	select {
	case <-p.met:
	default:
		p.sleepUntil(label, &ir.Holder{Peer: p.peer, Missing: p.unmatched()}, nil, p.met)
		<-p.met
	}
	if at := p.now(); at.failed == nil && p.send && at.left > 0 {
		p.awaitReady(label)
	}
	p.forsakeRest()
	at := p.now()
	err := at.failed
	for _, q := range at.reqs {
		if q == nil {
			continue
		}
		switch lost := p.complete(label, q); {
		case err != nil:
		case lost != nil:
			err = lost
		default:
			err = p.ended(q)
		}
	}
	p.mu.Lock()
	p.on = false
	if over := p.over(); over != nil && err != nil && p.err == nil {
		p.err = over // of all later starts, too
	}
	p.mu.Unlock()
	if v.st, v.err = emptyStatus(), err; !p.send && err == nil {
		v.st = Status{Source: p.site.peer, Tag: p.site.tag, Bytes: int64(p.bytes), Count: p.elem.number(p.bytes)}
	}
}

// awaitReady waits until Pready has named all partitions.
func (p *partitioned) awaitReady(label string) {
	p.mu.Lock()
	all := p.all
	p.waits = true
	p.mu.Unlock()
	var over <-chan struct{} // never, without a context
	if p.c.ctx != nil {
		over = p.c.ctx.Done()
	}
	held := &ir.Holder{Peer: ir.NoPeer}
	p.sleepUntil(label, held, p.unready(held), all)
	if lost := failure(p.c.t); lost != nil { // that has ended the sleep
		p.giveUp(p.failure(lost))
		return
	}
	select {
	case <-all:
	case <-over:
		p.giveUp(p.over())
	}
}

// giveUp ends a start that waits for Pready, if that has not named all partitions yet.
func (p *partitioned) giveUp(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left > 0 && p.failed == nil {
		p.failed = err
	}
}

// sleepUntil waits until done is closed, or the context of the communicator ends, in a call of the program: see
// core.sleepFor.
func (p *partitioned) sleepUntil(label string, held *ir.Holder, renew func(), done <-chan struct{}) {
	if !llc.Serves(label) {
		p.c.sleepFor(label, held, renew, done, p.c.ctx)
	}
}

// unmatched says which call of the other side is missing.
func (p *partitioned) unmatched() string {
	call := "PrecvInit"
	if !p.send {
		call = "PsendInit"
	}
	return fmt.Sprintf("no %s with tag %d", call, p.site.tag)
}

// How many partitions without Pready a report names, in how many bytes, so that a status line has room for them, and
// among how many it looks for them, from the first one on.
const (
	mostUnready  = 3
	unreadyBytes = 17
	unreadySpan  = 1 << 12
)

// unready returns a function that notes in held which partitions Pready has not named yet. It is called with the
// port's lock held, which a Pready takes while it holds that of the message: if one is under way, the note stays.
func (p *partitioned) unready(held *ir.Holder) func() {
	first, noted := 0, 0 // all partitions before the first have been named
	return func() {
		if !p.mu.TryLock() {
			return
		}
		defer p.mu.Unlock()
		if p.left == 0 || p.left == noted {
			return
		}
		for noted = p.left; p.ready[first]; {
			first++
		}
		held.Missing = unreadyText(p.ready[first:], first, p.left)
	}
}

// unreadyText names the first of n partitions that are not ready. The partitions are those from first on.
func unreadyText(ready []bool, first, n int) string {
	var list []byte
	named := 0
	for i, is := range ready[:min(len(ready), unreadySpan)] {
		if is {
			continue
		}
		more := append(list, strconv.Itoa(first+i)...)
		if len(more) > unreadyBytes {
			break
		}
		list = append(more, ',')
		if named++; named == min(n, mostUnready) {
			break
		}
	}
	text := "no Pready of " + strings.TrimSuffix(string(list), ",")
	if named < n {
		text += fmt.Sprintf(" and %d more", n-named)
	}
	return text
}

// complete waits for a transfer of the message. The label is that of the wait. It fails, and gives the transfer up, if the
// context of the communicator ends first.
func (p *partitioned) complete(label string, q *llc.Request) error {
	t := p.c.t
	if label != "" {
		q.Label = label
	}
	if p.c.ctx == nil {
		t.Wait(q)
		return nil
	}
	if t.WaitContext(p.c.ctx, q) == nil {
		return nil
	}
	over := p.over()
	if over == nil { // the transport has been closed
		t.Wait(q)
	} else if !t.Cancel(q) && t.Test(q) {
		return nil // it completed while the context ended
	}
	return over
}

// over returns why no wait for the message goes on, or nil.
func (p *partitioned) over() error {
	if p.c.ctx != nil {
		if cause := context.Cause(p.c.ctx); cause != nil {
			return p.c.limited(p.site, cause, "the context ended while waiting")
		}
	}
	return nil
}

// Parrived reports whether partition i of the message that is being received has
// arrived. All partitions of a complete request have, and those of a request that is
// nil or not active. If the message cannot be received, it returns the error that Wait
// will return.
//
// MPI 4.1, section 4.2.2.
func (r *Request) Parrived(i int) (_ bool, err error) {
	if r.repeated() == nil && r.active() == nil {
		return true, nil
	}
	defer r.raised(&err)
	p, err := r.partitioned("Parrived", false)
	if err != nil {
		return false, err
	}
	if i < 0 || i >= p.partitions {
		return false, p.noPartition("Parrived", i)
	}
	at := p.now()
	there := !at.on
	switch {
	case there:
	case !at.matched:
		p.glance(at.step)
	case at.failed != nil:
		return false, at.failed
	case p.over() != nil:
		return false, p.over()
	default:
		if there, err = p.arrived(at.reqs, i); err != nil {
			return false, err
		}
	}
	if there {
		p.mu.Lock()
		p.arrive()
		p.mu.Unlock()
	}
	return there, nil
}

// arrived reports whether all partitions of the sender that overlap with partition i
// have arrived.
func (p *partitioned) arrived(reqs []*llc.Request, i int) (bool, error) {
	from, to := i*p.theirs/p.partitions, ((i+1)*p.theirs+p.partitions-1)/p.partitions
	for _, q := range reqs[from:to] {
		if !p.c.t.Test(q) {
			return false, nil
		}
		if err := p.ended(q); err != nil {
			return false, p.fail(err)
		}
	}
	return true, nil
}

// fail notes the failure of a transfer, and returns the error of the start, which is
// the first.
func (p *partitioned) fail(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = err
	}
	return p.failed
}
