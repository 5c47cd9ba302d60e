package mpi

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// WaitAll completes all requests; nil and inactive ones count as complete. It waits for
// all even if some fail; their errors are [RequestErrors].
//
// MPI 4.1, section 3.7.5.
func WaitAll(reqs ...*Request) error {
	var c *Comm                     // of the plain transfers
	var first *llc.Request          // the transfers that the transport waits for
	var sent, sentLast *llc.Request // the sends that are complete
	end := &first
	rest := false // some are left to Wait
	for _, r := range reqs {
		p := r.active()
		if p == nil {
			continue
		}
		if p.c != c || !p.plain() {
			if !p.joins(c) { // or the request is listed twice
				rest = true
				continue
			}
			c = p.c
		}
		if p.phase == gone {
			if c.w.Debug {
				p.phase = held
			} else {
				p.again()
			}
			if sentLast == nil {
				sentLast = &p.Request
			}
			p.Link, sent = sent, &p.Request
			continue
		}
		if p.phase == begun {
			p.phase, rest = kept, true
		} else {
			p.phase = held
		}
		*end, end = &p.Request, &p.Link
	}
	*end = nil
	if first != nil {
		c.t.WaitAll(first)
		rest = c.w.requests.complete(first) || rest
	}
	if sent != nil {
		if c.w.Debug {
			rest = c.w.requests.complete(sent) || rest
		} else {
			c.w.requests.Put(sent, sentLast)
		}
	}
	if rest {
		return waitEach(reqs, first != nil)
	}
	return nil
}

// joins reports whether WaitAll can have the transport wait for p together with
// transfers of c, which is nil as long as there are none.
func (p *transfer) joins(c *Comm) bool {
	if c != nil && p.c != c && (p.c == nil || p.c.w != c.w) {
		return false
	}
	return p.plain() || p.phase == begun && p.c != nil && p.started() && p.c.ctx == nil
}

// waitEach completes one request after the other, in a WaitAll that has been counted or not.
func waitEach(reqs []*Request, counted bool) error {
	var failed *RequestErrors
	all := beginMany(reqs)
	for i, r := range reqs {
		_, err := r.waitIn("WaitAll")
		failed = failedAt(failed, i, len(reqs), err)
	}
	all.end("WaitAll", counted)
	return failed.result()
}

// waitIn is Wait in a call that waits for several requests, and counts itself.
func (r *Request) waitIn(many string) (Status, error) {
	r.label(many)
	st, err := r.wait(many)
	if p := r.active(); err != nil && p != nil && p.started() {
		p.Label = "" // the request goes on
	}
	return st, err
}

// completeIn is waitIn for a request that is complete, or whose wait has ended, which other calls have found out. They
// have been counted, so it counts nothing.
func (r *Request) completeIn(call string) (Status, error) {
	if p := r.active(); p != nil && p.c != nil && p.c.w.Observe != nil {
		return r.waitIn(call)
	}
	return r.Wait()
}

// A scratch is memory for one WaitAny.
type scratch struct {
	rs    []*llc.Request
	index []int
	first int // of rs that is complete: see some
}

// WaitAny completes one of the requests, the first that is complete, and returns its
// index and its status. If none is active, the index is Undefined.
//
// MPI 4.1, section 3.7.5.
func WaitAny(reqs ...*Request) (int, Status, error) { return waitAny("WaitAny", reqs) }

// waitAny is WaitAny, reported as a wait of call.
func waitAny(call string, reqs []*Request) (int, Status, error) {
	var w *world
	var means waitMeans
	for i, r := range reqs {
		if p := r.active(); p != nil {
			if p.task == nil && !p.started() || p.task != nil && p.task.ended() {
				st, err := r.completeIn(call)
				return i, st, err
			}
			means = max(means, p.means())
			w = p.c.w
		}
	}
	if w == nil {
		return Undefined, emptyStatus(), nil
	}
	k := w.requests.scratch()
	i := k.wait(call, reqs, means)
	w.requests.keep(k)
	st, err := reqs[i].completeIn(call)
	return i, st, err
}

// waitMeans are ways to wait for one of several requests; each one also serves requests
// that need only an earlier one.
type waitMeans uint8

const (
	asTransfers waitMeans = iota // all are transfers, which the transport can wait for
	asCondition                  // some are tasks that it advances
	asChannels                   // some are completed by others
)

// means returns what a wait for p needs.
func (p *transfer) means() waitMeans {
	switch {
	case p.task == nil:
		return asTransfers
	case p.task.carrier != nil && (p.c.ctx == nil || p.c.w.Clock == nil):
		return asCondition
	}
	return asChannels
}

// wait returns the index of a request whose Wait returns at once.
func (k *scratch) wait(call string, reqs []*Request, means waitMeans) int {
	limited := false
	for i, r := range reqs {
		if p := r.active(); p != nil {
			limited = limited || p.c.ctx != nil
			k.rs, k.index = append(k.rs, &p.Request), append(k.index, i)
		}
	}
	c := k.rs[0].Owner.(*transfer).c
	switch {
	case means == asChannels || means == asCondition && limited && c.w.Clock != nil:
		return selectAny(call, reqs)
	case means == asCondition:
		if k.awaitSome(call, c, limited); k.first >= 0 {
			return k.index[k.first]
		}
		return selectAny(call, reqs) // the network has been lost
	case !limited:
		return k.index[c.t.WaitAny(call, k.rs, nil)]
	}
	done := -1
	c.untilOver(k.limits(), k.over, func(over func() bool) bool {
		done = c.t.WaitAny(call, k.rs, over)
		return done >= 0
	})
	if done < 0 {
		done = k.first
	}
	return k.index[done]
}

// awaitSome waits until one of the requests is complete, or the wait for it has ended, and sets first to it.
func (k *scratch) awaitSome(call string, c *Comm, limited bool) {
	if k.first = -1; !limited {
		c.t.AwaitCollective(call, nil, nil, k.some)
		return
	}
	c.untilOver(k.limits(), k.over, func(over func() bool) bool {
		c.t.AwaitCollective(call, nil, nil, func() bool { return k.some() || over() })
		return k.first >= 0
	})
}

// limits returns the contexts that end waits for the requests.
func (k *scratch) limits() (all []context.Context) {
	var last *Comm
	for _, r := range k.rs {
		if c := r.Owner.(*transfer).c; c != last && c.ctx != nil {
			all = append(all, c.ctx)
			last = c
		}
	}
	return all
}

// over reports whether the wait for one of the transfers has ended though it is not complete. Tasks end themselves.
func (k *scratch) over() bool {
	for i, r := range k.rs {
		p := r.Owner.(*transfer)
		if p.task != nil {
			continue
		}
		if p.c.ctx != nil && p.c.ctx.Err() != nil || p.wild() && p.c.failures.fromAnyone().Err() != nil {
			k.first = i
			return true
		}
	}
	return false
}

// some reports whether one of the requests is complete. It is called with the port's lock held.
func (k *scratch) some() bool {
	for i, r := range k.rs {
		p := r.Owner.(*transfer)
		if p.task == nil && r.Done() || p.task != nil && p.task.met() {
			k.first = i
			return true
		}
	}
	return false
}

// selectAny waits until one of the active requests is complete, by their channels, if
// the transport does not complete all of them.
func selectAny(call string, reqs []*Request) int {
	var cases []reflect.SelectCase
	var index []int
	var c *Comm
	ours := true // none is completed by the program
	for i, r := range reqs {
		if p := r.active(); p != nil {
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.Done())})
			index = append(index, i)
			c, ours = p.c, ours && p.task != nil && (p.task.attended || p.task.carrier != nil)
		}
	}
	if ours && c.w.Clock == nil {
		return index[c.selectReported(call, cases)]
	}
	i, _, _ := reflect.Select(cases)
	return index[i]
}

// selectReported is a Select that reports show as call: they do not show the goroutines that make it end.
func (c *Comm) selectReported(call string, cases []reflect.SelectCase) (i int) {
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		i, _, _ = reflect.Select(cases)
		over.Store(true)
		close(done)
		c.t.Wake(c.w.Rank)
	}()
	c.t.AwaitCollective(call, nil, nil, over.Load)
	<-done
	return i
}

// untilOver has wait wait until over holds, or until it returns true, which it does at once if it can. The end of one
// of the contexts wakes it, and so does the death of a rank.
func (c *core) untilOver(limits []context.Context, over func() bool, wait func(over func() bool) bool) {
	if wait(func() bool { return true }) || over() {
		return
	}
	for _, ctx := range limits {
		defer c.wakeAtEnd(ctx)()
	}
	wait(over)
}

// wakeAtEnd has this rank's waits check their conditions when ctx ends, until stop is called.
func (c *core) wakeAtEnd(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { c.t.Wake(c.w.Rank) })
}

// sleepUntil waits until done is closed, by one who wakes this rank then, or one of the contexts ends; these may be nil.
// It waits in the transport, so that reports show call. It returns early if the network is lost, and at once in virtual
// time, where a wait in the transport is for an event.
func (c *core) sleepUntil(call string, done <-chan struct{}, limits ...context.Context) {
	c.sleepFor(call, &ir.Holder{Peer: ir.NoPeer}, nil, done, limits...)
}

// sleepFor is sleepUntil in a call that waits for what held says. renew, if not nil, brings that up to date.
func (c *core) sleepFor(call string, held *ir.Holder, renew func(), done <-chan struct{}, limits ...context.Context) {
	if c.w.Clock != nil {
		return
	}
	limits = slices.DeleteFunc(limits, func(ctx context.Context) bool { return ctx == nil })
	for _, ctx := range limits {
		defer c.wakeAtEnd(ctx)()
	}
	c.t.AwaitCollective(call, &ir.Collective{Holder: held}, nil, func() bool {
		select {
		case <-done:
			return true
		default:
			if renew != nil {
				renew()
			}
			return slices.ContainsFunc(limits, func(ctx context.Context) bool { return ctx.Err() != nil })
		}
	})
}

// poll calls cond until it holds or ctx ends. It serves what no transport waits for: calls that others carry out
// for this rank after it has left them, and waits that a context ends on the library of another MPI, which cannot
// end them, and in virtual time, where a wait in the transport is for an event. Other waits do not use it: it wakes
// late and often, and reports of hangs do not show it.
func poll(ctx context.Context, cond func() bool) error {
	const longest = time.Millisecond
	pause := time.Duration(0)
	for i := 0; !cond(); i++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if i < 100 {
			runtime.Gosched()
			continue
		}
		pause = min(pause+10*time.Microsecond, longest)
		time.Sleep(pause)
	}
	return nil
}

// waitAnyUntil is WaitAny of a transport that does not wait for a condition.
func waitAnyUntil(t interface{ Test(*llc.Request) bool }, rs []*llc.Request, over func() bool) (done int) {
	_ = poll(context.Background(), func() bool {
		done = slices.IndexFunc(rs, t.Test)
		return done >= 0 || over()
	})
	return done
}

// probeUntil is ProbeUntil of such a transport.
func probeUntil(t Transport, ctx uint16, src, tag int, over func() bool) (st llc.Status, ok bool) {
	_ = poll(context.Background(), func() bool {
		st, ok = t.Probe(ctx, src, tag)
		return ok || failure(t) != nil || over()
	})
	return st, ok
}
