package mpi

import (
	"rhinet/internal/origin"
	"rhinet/llc"
	"rhinet/llc/port"
)

// In a checked job (see Job.Check) each rank remembers the lines from which it has
// sent (see package origin). The receiver of messages that nobody has received asks for
// their lines when all ranks meet in Finalize: see trace.

// A recorded is the transport of a rank that remembers the lines from which it has
// sent, for sends without a request: see transfer.watched.
type recorded struct {
	Transport
	k *requestPool
}

// recorded returns the transport of w, one that remembers origins if the job asks for
// them: not in virtual time, where that would be measured, nor on the library of
// another MPI.
func (w *world) recorded() Transport {
	_, foreign := w.Transport.(library)
	if foreign || !w.Check || w.requests.lines == nil || w.Clock != nil {
		return w.Transport
	}
	w.requests.origins = origin.New()
	r := recorded{w.Transport, &w.requests}
	if p, ok := w.Transport.(*port.Port); ok {
		return &recordedPort{p, r}
	}
	return &r
}

// A recordedPort is recorded for a port, whose other calls it passes on directly.
type recordedPort struct {
	*port.Port
	recorded recorded
}

func (t *recordedPort) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	t.recorded.note(key.Context(), dst, tag) // not through recorded: a deeper stack makes the line costlier to find
	if t.recorded.k.near(buf) {
		clash := t.recorded.touch(key, buf, false)
		return firstOf(t.Port.Send(key, dst, tag, mode, buf), clash)
	}
	return t.Port.Send(key, dst, tag, mode, buf)
}

func (t *recordedPort) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	if t.recorded.k.near(buf) {
		return t.recorded.Recv(key, src, tag, buf)
	}
	return t.Port.Recv(key, src, tag, buf)
}

func (t *recordedPort) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	if t.recorded.k.near(buf) {
		return t.recorded.RecvFor(call, key, src, tag, buf)
	}
	return t.Port.RecvFor(call, key, src, tag, buf)
}

func (t *recordedPort) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	return t.recorded.TrySend(key, dst, tag, buf)
}

func (t *recordedPort) Start(r *llc.Request, send bool) { t.recorded.Start(r, send) }
func (t *recordedPort) Cancel(r *llc.Request) bool      { return t.recorded.Cancel(r) }

// pointToPoint reports whether a context is for point-to-point messages on a
// communicator.
func pointToPoint(ctx uint16) bool { return ctx < 2*maxContexts && ctx&1 == 0 }

// note remembers a message with the line of the caller.
func (t *recorded) note(ctx uint16, to, tag int) {
	if pointToPoint(ctx) {
		line := t.k.lines.Caller()
		t.k.mu.Lock()
		t.k.origins.Add(origin.StreamOf(ctx, to, tag), line)
		t.k.mu.Unlock()
	}
}

// touch returns a touchError if a blocking call that begins now must not use buf, or nil.
func (t *recorded) touch(key llc.Key, buf []byte, fills bool) (clash *touchError) {
	if pointToPoint(key.Context()) {
		clash = t.k.touch(region{buf: buf, fills: fills})
	}
	return clash
}

// firstOf returns the error of a call, or else that it has used the buffer of a request.
func firstOf(err error, clash *touchError) error {
	if err == nil && clash != nil {
		err = clash
	}
	return err
}

// Send records the message first: another goroutine may send while it waits.
func (t *recorded) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	t.note(key.Context(), dst, tag)
	clash := t.touch(key, buf, false)
	return firstOf(t.Transport.Send(key, dst, tag, mode, buf), clash)
}

func (t *recorded) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	clash := t.touch(key, buf, true)
	st, err := t.Transport.Recv(key, src, tag, buf)
	return st, firstOf(err, clash)
}

func (t *recorded) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	clash := t.touch(key, buf, true)
	st, err := t.Transport.RecvFor(call, key, src, tag, buf)
	return st, firstOf(err, clash)
}

// TrySend sends nothing from memory that the call must not use: a request has the error.
func (t *recorded) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	ok := t.touch(key, buf, false) == nil && t.Transport.TrySend(key, dst, tag, buf)
	if ok {
		t.note(key.Context(), dst, tag)
	}
	return ok
}

func (t *recorded) Start(r *llc.Request, send bool) {
	if send {
		t.note(r.Context, r.Peer, r.Tag)
	}
	t.Transport.Start(r, send)
}

func (t *recorded) Cancel(r *llc.Request) bool {
	done := t.Transport.Cancel(r)
	if p, ok := r.Owner.(*transfer); done && ok && p.kind != receiving && pointToPoint(r.Context) {
		t.k.mu.Lock()
		t.k.origins.Withdraw(origin.StreamOf(r.Context, r.Peer, r.Tag), p.made)
		t.k.mu.Unlock()
	}
	return done
}

// Failure returns why the network has been lost, see failure.
func (t *recorded) Failure() error { return failure(t.Transport) }
