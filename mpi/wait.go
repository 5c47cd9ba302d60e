package mpi

import (
	"context"
	"reflect"
	"runtime"
	"time"

	"rhinet/llc"
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
		return waitEach(reqs)
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

// waitEach completes one request after the other.
func waitEach(reqs []*Request) error {
	var failed *RequestErrors
	for i, r := range reqs {
		_, err := r.Wait()
		failed = failedAt(failed, i, len(reqs), err)
	}
	return failed.result()
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
func WaitAny(reqs ...*Request) (int, Status, error) {
	var w *world
	var means waitMeans
	for i, r := range reqs {
		if p := r.active(); p != nil {
			if p.task == nil && !p.started() || p.task != nil && p.task.ended() {
				st, err := r.Wait()
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
	i := k.wait(reqs, means)
	w.requests.keep(k)
	st, err := reqs[i].Wait()
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
	case p.task.carrier != nil && p.c.ctx == nil:
		return asCondition
	}
	return asChannels
}

// wait returns the index of a request whose Wait returns at once.
func (k *scratch) wait(reqs []*Request, means waitMeans) int {
	var limited *transfer
	for i, r := range reqs {
		if p := r.active(); p != nil {
			if p.c.ctx != nil {
				limited = p
			}
			k.rs, k.index = append(k.rs, &p.Request), append(k.index, i)
		}
	}
	t := reqs[k.index[0]].active().c.t
	if means == asChannels || means == asCondition && limited != nil {
		return selectAny(reqs)
	}
	if means == asCondition {
		k.first = -1
		if t.AwaitCollective("WaitAny", nil, nil, k.some); k.first >= 0 {
			return k.index[k.first]
		}
		return selectAny(reqs) // the network has been lost
	}
	if limited == nil {
		return k.index[t.WaitAny(k.rs)]
	}
	found := -1
	err := poll(limited.c.ctx, func() bool {
		for j, r := range k.rs {
			if t.Test(r) || reqs[k.index[j]].active().failurePending() != nil {
				found = k.index[j]
				return true
			}
		}
		return false
	})
	if err != nil { // Wait on a request with the ended context returns at once
		for i, r := range reqs {
			if r.active() == limited {
				return i
			}
		}
	}
	return found
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
func selectAny(reqs []*Request) int {
	var cases []reflect.SelectCase
	var index []int
	for i, r := range reqs {
		if r.active() != nil {
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.Done())})
			index = append(index, i)
		}
	}
	i, _, _ := reflect.Select(cases)
	return index[i]
}

// poll calls cond until it holds or ctx ends. It serves waits that the transport cannot
// end with a context; waits without one do not use it.
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
