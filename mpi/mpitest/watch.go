package mpitest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
	"rhinet/mpi"
)

// A watch is a transport that records what its rank waits for.
type watch struct {
	mpi.Transport
	rank int

	die  func()
	once sync.Once   // of die
	dead atomic.Bool // calls do not return any more
	left int         // calls until the rank dies; 0: it does not

	mu    sync.Mutex
	waits []wait // by number; those with an empty call are free
}

// A wait is one blocking call.
type wait struct {
	call      string // with a note behind a blank, if it names no message
	held      ir.Holder
	comm      string // of a collective call; or empty
	ctx       uint16
	peer, tag int
	bytes     int
	since     time.Time
}

// begin records a wait and returns its number.
func (w *watch) begin(v wait) int {
	v.since = time.Now()
	w.step()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.waits {
		if w.waits[i].call == "" {
			w.waits[i] = v
			return i
		}
	}
	w.waits = append(w.waits, v)
	return len(w.waits) - 1
}

func (w *watch) end(i int) {
	w.mu.Lock()
	w.waits[i] = wait{}
	w.mu.Unlock()
	if w.dead.Load() {
		runtime.Goexit()
	}
}

// step counts a call, at which the rank may die. No goroutine returns from a call of a
// dead rank.
func (w *watch) step() {
	w.mu.Lock()
	if w.left > 0 {
		if w.left--; w.left == 0 {
			w.dead.Store(true)
		}
	}
	w.mu.Unlock()
	if w.dead.Load() {
		w.die()
		runtime.Goexit()
	}
}

// Start counts as a call.
func (w *watch) Start(r *llc.Request, send bool) {
	w.step()
	w.Transport.Start(r, send)
}

// Test counts as a call.
func (w *watch) Test(r *llc.Request) bool {
	w.step()
	return w.Transport.Test(r)
}

// Carrier watches waits for operations of several transfers.
func (w *watch) Carrier() port.Carrier {
	if c := w.Transport.Carrier(); c != nil {
		return watchedCarrier{c, w}
	}
	return nil
}

// A watchedCarrier is the carrier of a watch.
type watchedCarrier struct {
	port.Carrier
	w *watch
}

// Join watches a wait for an operation.
func (c watchedCarrier) Join(t *port.Task, many string) {
	i := c.w.begin(wait{call: t.Call, comm: commOf(t.Collective), peer: noPeer})
	defer c.w.end(i)
	c.Carrier.Join(t, many)
}

// Look counts as a call.
func (c watchedCarrier) Look(t *port.Task) bool {
	c.w.step()
	return c.Carrier.Look(t)
}

// String lists the waits in progress.
func (w *watch) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, v := range w.waits {
		if v.call != "" && !llc.Serves(v.call) {
			lines = append(lines, fmt.Sprintf("rank %d: %s", w.rank, v))
		}
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("rank %d: not in a call of mpi", w.rank)}
	}
	return strings.Join(lines, "\n")
}

func (v wait) String() string {
	text, note, noted := strings.Cut(v.call, " ")
	if v.comm != "" && !noted {
		text += " on " + v.comm
	}
	if note = v.held.Behind(note); note != "" {
		text += " (" + note + ")"
	}
	switch {
	case v.peer == noPeer:
	case noted || v.tag == noTag:
		text += " with world rank " + orAny(v.peer)
	case v.ctx&1 == 1: // of a collective call: the tag is not the program's
		text += fmt.Sprintf(" with world rank %d, %d bytes", v.peer, v.bytes)
	default:
		text += fmt.Sprintf(" with world rank %s, tag %s, %d bytes", orAny(v.peer), orAny(v.tag), v.bytes)
	}
	return fmt.Sprintf("%s since %v", text, time.Since(v.since).Round(time.Millisecond))
}

// A wait for no single rank, and one without a tag.
const (
	noPeer = ir.NoPeer
	noTag  = ir.NoTag
)

func orAny(n int) string {
	if n == llc.AnyPeer {
		return "any"
	}
	return fmt.Sprint(n)
}

// Send watches a blocking send.
func (w *watch) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	call := "Send"
	if mode == llc.Synchronous {
		call = "Ssend"
	}
	i := w.begin(wait{call: call, ctx: key.Context(), peer: dst, tag: tag, bytes: len(buf)})
	defer w.end(i)
	return w.Transport.Send(key, dst, tag, mode, buf)
}

// Recv watches a blocking receive.
func (w *watch) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	i := w.begin(wait{call: "Recv", ctx: key.Context(), peer: src, tag: tag, bytes: len(buf)})
	defer w.end(i)
	return w.Transport.Recv(key, src, tag, buf)
}

// RecvFor watches a blocking receive of another call.
func (w *watch) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	i := w.begin(wait{call: call, ctx: key.Context(), peer: src, tag: tag, bytes: len(buf)})
	defer w.end(i)
	return w.Transport.RecvFor(call, key, src, tag, buf)
}

// Wait watches a wait for one request.
func (w *watch) Wait(r *llc.Request) {
	w.await("Wait", r)
}

// await watches a wait for a request in a call.
func (w *watch) await(call string, r *llc.Request) {
	i := w.begin(waitFor(call, r))
	defer w.end(i)
	w.Transport.Wait(r)
}

// WaitAll watches a wait for each of several requests.
func (w *watch) WaitAll(first *llc.Request) {
	for r := first; r != nil; r = r.Link {
		w.await("WaitAll", r)
	}
}

// WaitAny watches a wait for one of several requests.
func (w *watch) WaitAny(call string, rs []*llc.Request, over func() bool) int {
	i := w.begin(wait{call: fmt.Sprintf("%s %d requests", call, len(rs)), peer: noPeer})
	defer w.end(i)
	return w.Transport.WaitAny(call, rs, over)
}

// WaitContext watches a wait that a context limits.
func (w *watch) WaitContext(ctx context.Context, r *llc.Request) error {
	i := w.begin(waitFor("Wait", r))
	defer w.end(i)
	return w.Transport.WaitContext(ctx, r)
}

// ProbeUntil watches a probe that blocks.
func (w *watch) ProbeUntil(call string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	i := w.begin(wait{call: call, ctx: ctx, peer: src, tag: tag})
	defer w.end(i)
	return w.Transport.ProbeUntil(call, ctx, src, tag, over)
}

// AwaitCollective watches a wait for a condition.
func (w *watch) AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool) {
	i := w.begin(wait{call: call, comm: commOf(c), peer: noPeer})
	defer w.end(i)
	if c == nil || c.Holder == nil {
		w.Transport.AwaitCollective(call, c, begin, cond)
		return
	}
	w.Transport.AwaitCollective(call, c, begin, func() bool {
		met := cond()
		w.hold(i, *c.Holder)
		return met
	})
}

// hold notes who has what wait i is for.
func (w *watch) hold(i int, h ir.Holder) {
	w.mu.Lock()
	v := &w.waits[i]
	v.held, v.peer, v.tag = h, h.Peer, noTag
	w.mu.Unlock()
}

func waitFor(call string, r *llc.Request) wait {
	if r.Label != "" {
		call = r.Label
	}
	return wait{call: call, comm: commOf(r.Collective), ctx: r.Context, peer: r.Peer, tag: r.Tag, bytes: r.Bytes()}
}

// commOf returns the name of the communicator of a collective call, or "".
func commOf(c *ir.Collective) string {
	if c == nil || c.Comm == nil {
		return ""
	}
	return *c.Comm
}
