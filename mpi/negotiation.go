package mpi

import (
	"context"
	"encoding/binary"
	"slices"

	"rhinet/llc"
)

// In a job that goes on when ranks die, a group may fail to make an inter-communicator while
// the other one, which knows of no death, waits for it. So each leader sends the other one
// message in each call: its group, or why that has failed. The message of the other leader is
// received even if the call ends before it comes, so that no later call gets it.

// A negotiation is this exchange of one call.
type negotiation struct {
	theirs     []member
	send, recv *llc.Request
}

// excuseLength is the length of a message that says why a group has failed. One of a group is
// longer: a multiple of the length of a member.
const excuseLength = 8

// negotiate exchanges the members of this group for those of the other one, like trade.
func (c *Comm) negotiate(s site, t line, mine []member) ([]member, error) {
	limit := t.coll().ctx
	n, err := negotiationBy(t, slices.Clone(view(mine)), c.w.Size)
	if err != nil {
		return nil, err
	}
	over := c.t.WaitContext(limit, n.recv) != nil
	c.w.failures.leave(n)
	if over {
		return nil, c.limited(s, context.Cause(limit), "the context ended before the call did")
	}
	failed, got, length := n.recv.Status.Err, int(n.recv.Status.Bytes), sizeOf[member]()
	switch {
	case isGone(failed):
		return nil, c.errorAt(s, ErrProcFailed, "the leader of the other group has died")
	case failed != nil:
		return nil, failed
	case got > 0 && got%length == 0:
		return n.theirs[:got/length], nil
	case got == excuseLength && n.excuse() == ErrProcFailed:
		return nil, c.errorAt(s, ErrProcFailed, "a rank of the other group has died")
	case got == excuseLength && n.excuse() == ErrRevoked:
		return nil, c.errorAt(s, ErrRevoked, "the communicator of the other group has been revoked")
	}
	return nil, c.errorAt(s, ErrComm, "the other leader tells of no group")
}

// excuse tells the other leader why this group has failed, and does not wait. In other jobs,
// and of a mistake of the program, it tells nothing.
func (c *Comm) excuse(s site, failed error, connect func() (line, error)) {
	class := c.recoverable(s, failed)
	if c.failures == nil || class == ErrComm {
		return
	}
	t, err := connect()
	if err != nil {
		return
	}
	if n, err := negotiationBy(t, binary.LittleEndian.AppendUint64(nil, uint64(class)), c.w.Size); err == nil {
		c.w.failures.leave(n)
	}
}

// negotiationBy begins to exchange sent for what the other leader sends, in a job of size ranks. No
// context ends it.
func negotiationBy(t line, sent []byte, size int) (*negotiation, error) {
	n, k, other := &negotiation{theirs: make([]member, size)}, t.coll(), 1-t.Rank()
	k.ctx = nil
	if err := t.Irecv(0, view(n.theirs), other, 0); err != nil {
		return nil, err
	}
	n.recv = k.slots[0].r
	err := t.Isend(1, sent, other, 0)
	n.send = k.slots[1].r
	return n, err
}

// leave leaves to a goroutine what is not complete.
func (p *failureManager) leave(n *negotiation) {
	p.over.Go(func() {
		for _, r := range []*llc.Request{n.recv, n.send} {
			_ = p.w.Transport.WaitContext(p.ctx, r)
		}
	})
}

// excuse is the class of a failure of the other group.
func (n *negotiation) excuse() Class {
	return Class(binary.LittleEndian.Uint64(view(n.theirs[:1])))
}
