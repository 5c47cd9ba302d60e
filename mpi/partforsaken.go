package mpi

import (
	"errors"

	"rhinet/llc"
)

// A sender whose context ends sends the partitions that it has not begun without their bytes, so that the receiver,
// which waits for as many messages as it has been told, gets an error.

// forsake has an offer that its sender has given up end when a receiver takes it. It waits for that, at most until the
// transport is closed.
func (p *partitioned) forsake(offer, answer *llc.Request, said *partitionAnswer) {
	t := p.c.t
	if !p.givenUp() {
		t.Cancel(answer)
		return
	}
	if t.Wait(offer); offer.Status.Err != nil {
		t.Cancel(answer)
		return
	}
	if t.Wait(answer); errors.Is(answer.Status.Err, llc.ErrCancelled) { // with the wait for it
		t.Start(answer, false)
		t.Wait(answer)
	}
	if answer.Status.Err != nil || said.ok == 0 {
		return
	}
	for i := range p.partitions {
		p.beginEmpty(int(said.first&MaxTag) + i)
	}
}

// givenUp reports whether the context that the program has set has ended: not the use of the communicator, which ends
// at the receiver, too.
func (p *partitioned) givenUp() bool { return p.c.user != nil && p.c.user.Err() != nil }

// forsakeRest ends a start that its sender has given up.
func (p *partitioned) forsakeRest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.send || p.err != nil || p.null || !p.givenUp() {
		return
	}
	if p.failed == nil {
		p.failed = p.over() // no Pready begins a partition any more
	}
	for i, q := range p.reqs {
		if q == nil {
			p.beginEmpty(p.first + i)
		}
	}
}

// beginEmpty sends the partition with a tag without its bytes.
func (p *partitioned) beginEmpty(tag int) {
	p.c.t.Start(&llc.Request{Peer: p.peer, Context: partitionContext, Tag: tag, Label: p.site.call}, true)
}

// ended returns the error of a transfer that is complete, or nil. An error that the sender has given the message up is
// that of all later starts, too.
func (p *partitioned) ended(q *llc.Request) error {
	switch {
	case q.Status.Err != nil:
		return p.failure(q.Status.Err)
	case !p.send && q.Status.Bytes == 0 && p.bytes > 0:
		err := p.c.errorAt(p.site, ErrCancelled, "the sender has given the message up, because the context of its communicator has ended")
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		return err
	}
	return nil
}
