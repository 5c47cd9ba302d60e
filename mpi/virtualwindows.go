package mpi

import (
	"context"
	"slices"
	"sync/atomic"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A windowService is how a rank in virtual time serves its windows: within its calls,
// where it makes all its progress. A goroutine would run at times that the scheduler of
// Go chooses.
//
// A wait also ends when a request of another rank has arrived; the goroutine that
// waited then answers the request and waits again. Meanwhile no other request is taken,
// so answers never wait for each other.
type windowService struct {
	windows atomic.Pointer[[]*served]
	busy    atomic.Bool // a request is being answered, or the windows change
}

// some reports whether there are windows to serve.
func (a *windowService) some() bool { return a.windows.Load() != nil }

// claim returns a window for which a request has arrived, or nil. The caller, which
// holds the lock of the port, answers it and calls release.
func (a *windowService) claim() *served {
	all := a.windows.Load()
	if all == nil || !a.busy.CompareAndSwap(false, true) {
		return nil
	}
	for _, s := range *all {
		if s.pending.p.Request.Done() {
			return s
		}
	}
	a.busy.Store(false)
	return nil
}

func (a *windowService) release() { a.busy.Store(false) }

// change replaces the windows. The caller has claimed them.
func (a *windowService) change(all []*served) {
	if len(all) == 0 {
		a.windows.Store(nil)
		return
	}
	a.windows.Store(&all)
}

func (a *windowService) all() []*served {
	if all := a.windows.Load(); all != nil {
		return slices.Clone(*all)
	}
	return nil
}

// attend starts to serve s.
func (v *virtual) attend(s *served) {
	v.seize("WinCreate")
	s.listen()
	v.windows.change(append(v.windows.all(), s))
	v.free()
}

// dismiss stops serving s.
func (v *virtual) dismiss(s *served) {
	v.seize("WinFree")
	v.drop(s)
	v.free()
}

// drop takes s out of the windows that are served. The caller has claimed them.
func (v *virtual) drop(s *served) {
	v.windows.change(slices.DeleteFunc(v.windows.all(), func(o *served) bool { return o == s }))
	s.pending.withdraw()
}

// seize waits until no request is being answered, and claims the windows.
func (v *virtual) seize(call string) {
	v.enter(1)
	defer v.leave(1)
	mine := false
	v.Transport.AwaitCollective(call, nil, nil, func() bool {
		mine = mine || v.windows.busy.CompareAndSwap(false, true)
		return mine
	})
}

// free releases the windows, and wakes the other goroutines that wait for them.
func (v *virtual) free() {
	v.windows.release()
	v.mu.Lock()
	others := v.inside > 1
	v.mu.Unlock()
	if others {
		v.Transport.Wake(v.self)
	}
}

// answer answers the request that has arrived for s.
func (v *virtual) answer(s *served) {
	if s.answerNext() {
		s.listen()
	} else {
		v.drop(s)
	}
	v.free()
}

// until waits until done, and answers requests meanwhile. It returns earlier if the
// network has been lost. done is called with the port's lock held.
func (v *virtual) until(call string, c *ir.Collective, begin func(), done func() bool) {
	for met := false; ; begin = nil {
		var s *served
		v.Transport.AwaitCollective(call, c, begin, func() bool {
			if met = met || done(); !met && s == nil {
				s = v.windows.claim()
			}
			return met || s != nil
		})
		if s == nil {
			return
		}
		v.answer(s)
	}
}

// glance answers the requests that have arrived, and does not wait.
func (v *virtual) glance() {
	for v.windows.some() {
		var s *served
		v.Transport.Perform(func() { s = v.windows.claim() })
		if s == nil {
			return
		}
		v.answer(s)
	}
}

// pass has time pass for a program that polls its own memory.
func (v *virtual) pass(c *Comm) error {
	_, _, err := Iprobe(c, AnySource, tagPost)
	return err
}

// await is Wait.
func (v *virtual) await(call string, r *llc.Request) {
	if v.windows.some() {
		v.until(call, nil, nil, r.Done)
	}
	v.Transport.Wait(r)
}

// transfer is Send or Recv.
func (v *virtual) transfer(call string, r *llc.Request, send bool) llc.Status {
	v.Transport.Start(r, send)
	v.await(call, r)
	return r.Status
}

// awaitContext is WaitContext.
func (v *virtual) awaitContext(ctx context.Context, r *llc.Request) error {
	if v.windows.some() {
		defer context.AfterFunc(ctx, func() { v.Transport.Wake(v.self) })()
		v.until("Wait", nil, nil, func() bool { return r.Done() || ctx.Err() != nil })
	}
	return v.Transport.WaitContext(ctx, r)
}

// probe is a Probe that waits, on a rank that serves windows: it polls, which takes
// time.
func (v *virtual) probe(call string, ctx uint16, src, tag int) (llc.Status, bool) {
	for v.windows.some() && failure(v.Transport) == nil {
		if st, ok := v.Transport.Probe(ctx, src, tag); ok {
			return st, true
		}
		v.glance()
	}
	return v.Transport.ProbeUntil(call, ctx, src, tag, nil)
}
