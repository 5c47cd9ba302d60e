package mpi

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/clock"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// Compute says that this rank has carried out so many operations of a kind since the
// last call. It matters only in virtual time, if the job counts operations (mpirun
// --time MODEL --compute counted): then they take as long as they would on the host
// named by the model. Otherwise it does nothing. A kind for which the host has no rate
// is an error of class [ErrArg].
//
// Not in the standard.
func Compute(c *Comm, kind string, operations float64) (err error) {
	defer c.raised(&err)
	s := at("Compute")
	if err := c.check(s); err != nil {
		return err
	}
	if !(operations >= 0) {
		return c.errorAt(s, ErrArg, "%v operations; there are none, or some", operations)
	}
	if c.w.Clock == nil {
		return nil
	}
	if err := c.w.Clock.Compute(kind, operations); err != nil {
		return c.because(s, ErrArg, err, "")
	}
	return nil
}

// A virtual is the transport of a rank in virtual time: it tells the clock which
// goroutines are in calls, and how much the others have computed.
type virtual struct {
	Transport
	clock ir.Clock
	self  int // this rank
	base  int // goroutines that are not the program's
	// waiting returns how many goroutines wait for an event, or for each other
	waiting func() int

	windows windowService

	mu      sync.Mutex
	inside  int           // goroutines in calls
	limited int           // of these, those whose wait may end without an event
	used    time.Duration // processor time up to the end of the latest call
}

// InVirtualTime has the rank of a job, one goroutine of a process that has others, run
// in the time of j.Clock. [Wtime] does not return that time, since it is the same for
// the whole process, but Clock.Now does; processor time does not count.
//
// Not in the standard.
func InVirtualTime(j Job) Job {
	v := &virtual{Transport: j.observed(), clock: j.Clock, self: j.Rank}
	j.Clock.Others(func() bool { return false })
	j.Transport = v
	return j
}

// virtualTime has this process run in the time of clock. The only goroutine of the
// program calls it.
func virtualTime(t Transport, waiting func() int, c ir.Clock, self int) *virtual {
	v := &virtual{Transport: t, waiting: waiting, clock: c, self: self, base: runtime.NumGoroutine() - 1, used: processorTime()}
	c.Others(v.others)
	clock.Use(v.now)
	return v
}

// processorTime returns how much processor time this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// others reports whether a goroutine of the program may make a call, or go on in its
// call, without an event: one that does not wait, or whose wait may end without one.
func (v *virtual) others() bool {
	v.mu.Lock()
	limited := v.limited
	v.mu.Unlock()
	return limited > 0 || runtime.NumGoroutine() > v.base+v.waiting()
}

// now returns the rank's time, including what it has computed since its last call.
func (v *virtual) now() float64 {
	v.mu.Lock()
	used := v.computed()
	v.mu.Unlock()
	v.clock.Used(used)
	return v.clock.Now()
}

// computed returns how long the program has computed since the last call of computed,
// if no goroutine is in a call. The lock is held; the clock, which calls others, must
// be told without it.
func (v *virtual) computed() time.Duration {
	if v.inside > 0 || !v.clock.Measures() {
		return 0
	}
	before := v.used
	v.used = processorTime()
	return v.used - before
}

// enter begins a call with so many waits that only an event ends (1 or 0).
func (v *virtual) enter(patient int) {
	v.mu.Lock()
	used := v.computed()
	v.inside++
	v.mu.Unlock()
	v.clock.Used(used)
	if patient != 0 {
		v.clock.Patient(patient)
	}
}

func (v *virtual) leave(patient int) {
	if patient != 0 {
		v.clock.Patient(-patient)
	}
	v.mu.Lock()
	if v.inside--; v.inside == 0 && v.clock.Measures() {
		v.used = processorTime()
	}
	v.mu.Unlock()
}

func (v *virtual) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	v.enter(1)
	defer v.leave(1)
	if v.windows.some() {
		r := llc.Request{Peer: dst, Context: key.Context(), Type: key.Type(), Tag: tag, Mode: mode, Buf: buf}
		return v.transfer("Send", &r, true).Err
	}
	return v.Transport.Send(key, dst, tag, mode, buf)
}

func (v *virtual) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	if v.windows.some() {
		return v.RecvFor("", key, src, tag, buf)
	}
	v.enter(1)
	defer v.leave(1)
	return v.Transport.Recv(key, src, tag, buf)
}

func (v *virtual) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	v.enter(1)
	defer v.leave(1)
	if v.windows.some() {
		r := llc.Request{Peer: src, Context: key.Context(), Type: key.Type(), Tag: tag, Buf: buf, Label: call}
		st := v.transfer("Recv", &r, false)
		return st, st.Err
	}
	return v.Transport.RecvFor(call, key, src, tag, buf)
}

func (v *virtual) Start(r *llc.Request, send bool) {
	v.enter(0)
	defer v.leave(0)
	v.Transport.Start(r, send)
}

func (v *virtual) Wait(r *llc.Request) {
	v.enter(1)
	defer v.leave(1)
	v.await("Wait", r)
}

func (v *virtual) Isend(s *port.Spares, key llc.Key, dst, tag int, buf []byte) (*llc.Request, bool) {
	v.enter(0)
	defer v.leave(0)
	return v.Transport.Isend(s, key, dst, tag, buf)
}

func (v *virtual) Irecv(s *port.Spares, key llc.Key, src, tag int, buf []byte) *llc.Request {
	v.enter(0)
	defer v.leave(0)
	return v.Transport.Irecv(s, key, src, tag, buf)
}

func (v *virtual) WaitAll(first *llc.Request) {
	v.enter(1)
	defer v.leave(1)
	if v.windows.some() {
		for r := first; r != nil; r = r.Link {
			v.until("WaitAll", nil, nil, r.Done)
		}
	}
	v.Transport.WaitAll(first)
}

func (v *virtual) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	v.enter(0)
	defer v.leave(0)
	return v.Transport.TrySend(key, dst, tag, buf)
}

func (v *virtual) Test(r *llc.Request) bool {
	v.enter(0)
	defer v.leave(0)
	v.glance()
	return v.Transport.Test(r)
}

// WaitAny with over looks again and again, and so does ProbeUntil: the clock must not take them for waits that only an
// event ends.
func (v *virtual) WaitAny(call string, rs []*llc.Request, over func() bool) int {
	if over != nil {
		return waitAnyUntil(v, rs, over)
	}
	v.enter(1)
	defer v.leave(1)
	if v.windows.some() {
		v.until(call, nil, nil, func() bool { return slices.ContainsFunc(rs, (*llc.Request).Done) })
	}
	return v.Transport.WaitAny(call, rs, nil)
}

func (v *virtual) WaitContext(ctx context.Context, r *llc.Request) error {
	v.enter(1)
	v.limit(1)
	defer v.leave(1)
	defer v.limit(-1)
	return v.awaitContext(ctx, r)
}

func (v *virtual) limit(n int) {
	v.mu.Lock()
	v.limited += n
	v.mu.Unlock()
}

func (v *virtual) Probe(ctx uint16, src, tag int) (llc.Status, bool) {
	v.enter(0)
	defer v.leave(0)
	v.glance()
	return v.Transport.Probe(ctx, src, tag)
}

func (v *virtual) ProbeUntil(call string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	if over != nil {
		return probeUntil(v, ctx, src, tag, over)
	}
	patient, serves := 1, v.windows.some()
	if serves {
		patient = 0
	}
	v.enter(patient)
	defer v.leave(patient)
	if serves {
		return v.probe(call, ctx, src, tag)
	}
	v.glance()
	return v.Transport.ProbeUntil(call, ctx, src, tag, nil)
}

func (v *virtual) Match(ctx uint16, src, tag int, as uint16, handle int) (llc.Status, bool) {
	v.enter(0)
	defer v.leave(0)
	v.glance()
	return v.Transport.Match(ctx, src, tag, as, handle)
}

func (v *virtual) AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool) {
	v.enter(1)
	defer v.leave(1)
	v.until(call, c, begin, cond)
}

func (v *virtual) Perform(f func()) {
	v.enter(0)
	defer v.leave(0)
	v.Transport.Perform(f)
}

// Carrier makes waits for operations and tests of them calls of the clock.
func (v *virtual) Carrier() port.Carrier {
	if c := v.Transport.Carrier(); c != nil {
		return virtualCarrier{c, v}
	}
	return nil
}

// A virtualCarrier is the carrier of a rank in virtual time.
type virtualCarrier struct {
	port.Carrier
	v *virtual
}

func (c virtualCarrier) Join(t *port.Task, many string) {
	c.v.enter(1)
	defer c.v.leave(1)
	if c.v.windows.some() {
		c.v.until(new(partLabel).in(many, t.Call), t.Collective, nil, t.Over)
	}
	c.Carrier.Join(t, many)
}

// Attend is Join: in virtual time all waits of a rank count.
func (c virtualCarrier) Attend(t *port.Task) { c.Join(t, "") }

func (c virtualCarrier) Look(t *port.Task) bool {
	c.v.enter(0)
	defer c.v.leave(0)
	c.v.glance()
	return c.Carrier.Look(t)
}

// Failure returns why the network has been lost, see failure.
func (v *virtual) Failure() error { return failure(v.Transport) }

// Close ends virtual time as well.
func (v *virtual) Close() error { return v.end(v.Transport.Close) }

// end has f end the use of the transport, in virtual time.
func (v *virtual) end(f func() error) error {
	v.enter(1)
	defer v.leave(1)
	return f()
}
