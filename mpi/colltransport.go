package mpi

import (
	"context"
	"errors"
	"runtime"

	"rhinet/collectives"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// collSlots is how many transfers of collective calls a communicator may have in
// progress at once.
const collSlots = 64

// A collTransport carries the messages of the collective calls of one
// communicator, in its odd context.
type collTransport struct {
	c    *core
	ctx  context.Context // limits the call in progress; nil: none
	call string          // name of the call in progress, shown to observers
	part partLabel
	note ir.Collective // the call in progress, shown to observers
	mark uint32        // the type of its messages, checked by the other ranks
	// broken is why this rank takes part in no further call: the ranks were in
	// different calls.
	broken error
	slots  [collSlots]collSlot
	set    *switcher // nil: no switcher was asked for
	read   bool      // the data of the next transfer is read at once
	lost   error     // why a transfer of the call in progress failed; nil: none has
	// abandoned says that transfers of calls that have ended are still in progress.
	abandoned bool
	absent    uint64     // bits of ranks from which no message comes in the call: see forgo
	op        *operation // that the transport advances; nil: none

	crossing crossing
}

// A collSlot is one transfer of a collective call.
type collSlot struct {
	r    *llc.Request // made on first use
	busy bool
	recv bool
}

var (
	_ collectives.Transport  = (*collTransport)(nil)
	_ collectives.Abandoning = (*collTransport)(nil)
)

func newCollTransport(c *core) *collTransport {
	return &collTransport{c: c}
}

// Rank is this rank's number in the communicator.
func (t *collTransport) Rank() int { return t.c.rank }

// Size is the number of ranks of the communicator.
func (t *collTransport) Size() int { return t.c.size }

// told reports whether all ranks have been told that their calls do not match: calls
// that wait then end.
func (t *collTransport) told() bool { return t.c.coll.history.told() }

// Slots is the number of transfers that may be in progress at once.
func (t *collTransport) Slots() int { return collSlots }

// Isend starts a send in slot i.
func (t *collTransport) Isend(i int, buf []byte, dst, tag int) error {
	return t.start(i, buf, dst, tag, false)
}

// Irecv starts a receive in slot i.
func (t *collTransport) Irecv(i int, buf []byte, src, tag int) error {
	if t.absent>>src&1 != 0 {
		return nil
	}
	return t.start(i, buf, src, tag, true)
}

// Recv is Irecv and Wait.
func (t *collTransport) Recv(buf []byte, src, tag int) error {
	return t.receive(buf, t.c.global(src), t.c.id.collective(), t.c.id.tag(tag))
}

// receive receives from a world rank, by the shortest path of the transport.
func (t *collTransport) receive(buf []byte, peer int, in uint16, tag int) error {
	p, short := t.c.t.(*port.Port)
	if !short || t.ctx != nil {
		if err := t.post(0, buf, peer, in, tag, true); err != nil {
			return err
		}
		return t.Wait(0, 1)
	}
	s, err := t.ready(0, buf, peer, in, tag, true)
	if err == nil {
		p.Receive(s.r)
		err = t.finish(s)
		t.miss(err)
	}
	return err
}

// Folds says that the data of the next receive is read at once.
func (t *collTransport) Folds() { t.read = true }

func (t *collTransport) start(i int, buf []byte, peer, tag int, recv bool) error {
	id := t.c.id
	if !recv {
		id = t.c.idOf(peer)
	}
	return t.post(i, buf, t.c.global(peer), id.collective(), id.tag(tag), recv)
}

// post starts a transfer with a world rank.
func (t *collTransport) post(i int, buf []byte, peer int, in uint16, tag int, recv bool) error {
	s, err := t.ready(i, buf, peer, in, tag, recv)
	if err == nil {
		t.c.t.Start(s.r, !recv)
	}
	return err
}

// ready readies a slot for a transfer, unless the call or the communicator has ended.
func (t *collTransport) ready(i int, buf []byte, peer int, in uint16, tag int, recv bool) (*collSlot, error) {
	read := t.read
	t.read = false
	if t.broken != nil {
		return nil, t.broken
	}
	if t.ctx != nil {
		// A call that has ended sends nothing more: its further results are wrong, and
		// must not reach ranks that would accept them.
		if err := t.ended(); err != nil {
			return nil, err
		}
	}
	if t.lost != nil {
		return nil, t.lost // for the same reason
	}
	s := &t.slots[i]
	if s.r == nil {
		s.r = &llc.Request{Together: true, Collective: &t.note}
	}
	s.r.Peer, s.r.Context, s.r.Tag, s.r.Buf = peer, in, tag, buf
	s.r.Label, s.r.Type = t.call, t.mark
	s.r.Read = read
	s.busy, s.recv = true, recv
	return s, nil
}

// Wait completes the transfers in slots first to last-1.
func (t *collTransport) Wait(first, last int) (failed error) {
	for i := first; i < last; i++ {
		s := &t.slots[i]
		if !s.busy {
			continue
		}
		var err error
		if t.broken != nil {
			t.giveUp(s)
			err = t.broken
		} else if t.ctx == nil {
			t.c.t.Wait(s.r)
			err = t.finish(s)
		} else if err = t.c.t.WaitContext(t.ctx, s.r); err == nil {
			err = t.finish(s)
		} else {
			t.giveUp(s)
			err = t.ended()
		}
		t.miss(err)
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// miss remembers that a transfer failed for a reason that is not the caller's.
func (t *collTransport) miss(err error) {
	if err != nil && (errors.Is(err, llc.ErrPeerGone) || errors.Is(err, llc.ErrRefused) || errors.Is(err, llc.ErrShut)) {
		t.lost = err
	}
}

// Test reports whether the transfers in slots first to last-1 are complete. If not, and
// the transport advances the operation, the operation continues when they are.
func (t *collTransport) Test(first, last int) (bool, error) {
	if t.op != nil {
		for r := t.linked(first, last); r != nil; r = t.linked(first, last) {
			if !t.op.when(r, t.op.watch()) {
				return false, nil
			}
			if ended, err := t.op.interrupted(); err != nil {
				t.abandoned = true
				return true, err
			} else if !ended {
				break
			}
		}
		return true, t.Wait(first, last)
	}
	all := true
	for i := first; i < last; i++ {
		if s := &t.slots[i]; s.busy && !t.c.t.Test(s.r) {
			all = false
		}
	}
	if !all {
		return false, nil
	}
	var failed error
	for i := first; i < last; i++ {
		if s := &t.slots[i]; s.busy {
			err := t.finish(s)
			t.miss(err)
			if failed == nil {
				failed = err
			}
		}
	}
	return true, failed
}

// linked links the transfers in slots first to last-1 and returns the first.
func (t *collTransport) linked(first, last int) (list *llc.Request) {
	for i := last - 1; i >= first; i-- {
		if s := &t.slots[i]; s.busy {
			s.r.Link, list = list, s.r
		}
	}
	return list
}

// finish frees the slot of a complete transfer.
func (t *collTransport) finish(s *collSlot) error {
	r := s.r
	s.busy = false
	sent, room := r.Status.Bytes, int64(len(r.Buf))
	r.Buf = nil
	if r.Status.Err != nil {
		if e := typeError(r.Status.Err); e != nil {
			return t.mismatch(s, e)
		}
	}
	switch {
	case s.recv && sent != room && (r.Status.Err == nil || sent > room):
		return t.c.otherLength(sent, room, t.c.local(r.Peer))
	case r.Status.Err != nil:
		return r.Status.Err
	}
	return nil
}

// giveUp frees the slot of a transfer whose context has ended. If the transport still
// needs the request, the slot gets a new one.
func (t *collTransport) giveUp(s *collSlot) {
	s.busy = false
	if !t.c.t.Cancel(s.r) && !t.c.t.Test(s.r) {
		s.r, t.abandoned = nil, true
	}
}

// Abandoned reports whether buffers of calls that have ended are still in use.
func (t *collTransport) Abandoned() bool { return t.abandoned }

// forgo gives up receives from src, which has shown that it sends no message.
func (t *collTransport) forgo(src int) {
	t.absent |= 1 << src
	for i := range t.slots {
		if s := &t.slots[i]; s.busy && s.recv && s.r.Peer == t.c.global(src) {
			t.giveUp(s)
		}
	}
}

// briefLooks is how often a collective call with a context looks before it waits: to watch the context takes longer
// than most of them.
const briefLooks = 100

// waitLimited waits until test, which looks once and ends with the context, reports an end, and returns its error.
// cond reports whether what others do lets it end.
func (t *collTransport) waitLimited(cond func() bool, test func() (bool, error)) (err error) {
	ended := func() (done bool) {
		done, err = test()
		return done
	}
	if t.c.w.Clock != nil { // see poll
		poll(context.Background(), ended)
		return err
	}
	for range briefLooks {
		if ended() {
			return err
		}
		runtime.Gosched()
	}
	defer t.c.wakeAtEnd(t.ctx)()
	for !ended() {
		t.c.t.AwaitCollective(t.call, &t.note, nil, func() bool { return cond() || t.ctx.Err() != nil })
	}
	return err
}

// ended is the error of a call whose context has ended, or nil.
func (t *collTransport) ended() error {
	if cause := context.Cause(t.ctx); cause != nil {
		if f, ok := cause.(*failureError); ok {
			return &Error{Class: f.class, text: f.textOn(t.c)}
		}
		return &Error{Class: ErrCancelled, Err: cause, text: "the context ended before the call did"}
	}
	return nil
}
