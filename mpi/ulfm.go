package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"rhinet/internal/agreement"
)

// Calls for programs that go on when ranks die: User-Level Failure Mitigation, as
// proposed in the MPI Forum. In a job that mpirun has started with --keep-going, calls
// that need a dead rank fail with [ErrProcFailed]; so do collective calls on a
// communicator with a dead rank, on all ranks that have not finished them. A receive
// from any rank that stays active after a death fails with [ErrProcFailedPending] each
// time until [Comm.AckFailed]. In other jobs a death ends all ranks.

// Revoke ends the use of c on all of its ranks: their calls on it fail with
// [ErrRevoked], also those that wait, except Agree, Shrink, Free, and local calls. It also
// revokes the windows that were made from c: see [Win.Revoke]. One rank calls it when it has
// found that others may wait for it in vain.
//
// Not in MPI 4.1 (MPI_Comm_revoke of User-Level Failure Mitigation).
func (c *Comm) Revoke() (err error) {
	defer c.raised(&err)
	if err := c.checkKeepGoing(at("Revoke")); err != nil {
		return err
	}
	p := c.w.failures
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoke(c.failures.c)
	return nil
}

// IsRevoked reports whether this rank knows that c has been revoked.
//
// Not in MPI 4.1 (MPI_Comm_is_revoked of User-Level Failure Mitigation).
func (c *Comm) IsRevoked() bool { return !c.isNull() && c.failures != nil && c.failures.isRevoked() }

// GetFailed returns the group of the ranks of c that this rank knows to have died, in
// the order in which it has learned it. It is a local call.
//
// Not in MPI 4.1 (MPI_Comm_get_failed of User-Level Failure Mitigation).
func (c *Comm) GetFailed() (_ *Group, err error) {
	defer c.raised(&err)
	if err := c.checkKeepGoing(at("GetFailed")); err != nil {
		return nil, err
	}
	g := c.failures.c.group(span{})
	for _, r := range c.failures.dead() {
		g.members = append(g.members, int32(c.failures.c.global(r)))
	}
	return g, nil
}

// AckFailed acknowledges the first n ranks that [Comm.GetFailed] lists, and returns how
// many are acknowledged now. When all are, receives from any rank wait again, for the
// live ranks, and [Comm.Agree] does not fail because of the dead ones.
//
// Not in MPI 4.1 (MPI_Comm_ack_failed of User-Level Failure Mitigation).
func (c *Comm) AckFailed(n int) (_ int, err error) {
	defer c.raised(&err)
	s := at("AckFailed")
	if err := c.checkKeepGoing(s); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, c.errorAt(s, ErrArg, "%d ranks; there are 0 or more", n)
	}
	return c.failures.acknowledge(n), nil
}

// Agree returns the bits that are set in the flags of all live ranks of c. All of them
// must call it, and all get the same result, even if ranks die meanwhile, also if c is
// revoked. If not all ranks have acknowledged the death of a rank, the result comes
// with [ErrProcFailed], on all of them. On an inter-communicator the ranks of both groups
// agree.
//
// Not in MPI 4.1 (MPI_Comm_agree of User-Level Failure Mitigation).
func (c *Comm) Agree(flags uint64) (_ uint64, err error) {
	defer c.raised(&err)
	s := at("Agree")
	if err := c.checkKeepGoing(s); err != nil {
		return 0, err
	}
	return c.agreed(s, c.vote(flags))
}

// Iagree begins [Comm.Agree] with the value of flags. The result is there when the
// request is complete, also if that has the error of Agree.
//
// Not in MPI 4.1 (MPI_Comm_iagree of User-Level Failure Mitigation).
func (c *Comm) Iagree(flags *uint64) *Request {
	s := at("Iagree")
	if err := c.checkKeepGoing(s); err != nil {
		return c.failedRequest(s, err)
	}
	v, k := c.vote(*flags), newTask()
	r := c.request(s, k)
	c.attend(k, func() (Status, error) {
		result, err := c.agreed(s, v)
		if err == nil || errors.Is(err, ErrProcFailed) {
			*flags = result
		}
		return emptyStatus(), err
	})
	return &r
}

// vote contributes flags, and what this rank has acknowledged.
func (c *Comm) vote(flags uint64) *pendingAgreement {
	all := c.failures.c
	value := binary.LittleEndian.AppendUint64(nil, flags)
	value = append(value, make([]byte, (all.size+7)/8)...)
	for _, r := range c.failures.ackedRanks() {
		value[8+r/8] |= 1 << (r % 8)
	}
	return c.w.failures.vote(all, value)
}

// agreed waits for the result of a vote.
func (c *Comm) agreed(s site, of *pendingAgreement) (uint64, error) {
	votes, err := c.w.failures.decision(s.waits(), c.user, of)
	if err != nil {
		return 0, c.disagreed(s, err)
	}
	all := c.failures.c
	absent := slices.Repeat([]bool{true}, all.size)
	flags := ^uint64(0)
	for _, v := range votes {
		absent[v.Rank] = false
		flags &= binary.LittleEndian.Uint64(v.Value)
	}
	for r, is := range absent {
		known := func(v agreement.Vote) bool { return v.Value[8+r/8]>>(r%8)&1 != 0 }
		if is && !allOf(votes, known) {
			return flags, c.errorAt(s, ErrProcFailed, "%s has died, and not all ranks have acknowledged it", all.who(r))
		}
	}
	return flags, nil
}

// disagreed returns the error of an agreement that was not reached.
func (c *Comm) disagreed(s site, err error) error {
	if err == errClosed {
		return c.because(s, ErrOther, err, "")
	}
	return c.because(s, ErrCancelled, err, "the context ended before all ranks had agreed")
}

func allOf[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !holds(v) })
}

// Shrink makes a communicator of the live ranks of c, in their order. All of them must
// call it, also if c is revoked. Ranks that die meanwhile may still be in it; then its
// first collective call fails, and it must be shrunk again. Of an inter-communicator it
// makes one of the live ranks of both groups.
//
// Not in MPI 4.1 (MPI_Comm_shrink of User-Level Failure Mitigation).
func (c *Comm) Shrink() (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("Shrink")
	if err := c.checkKeepGoing(s); err != nil {
		return nil, err
	}
	return c.shrunk(s, c.offer())
}

// Ishrink begins [Comm.Shrink]. The communicator may be used when the request is complete
// without an error.
//
// Not in MPI 4.1 (MPI_Comm_ishrink of User-Level Failure Mitigation).
func (c *Comm) Ishrink() (*Comm, *Request) {
	s := at("Ishrink")
	if err := c.checkKeepGoing(s); err != nil {
		return nil, c.failedRequest(s, err)
	}
	o, d, k := c.offer(), c.unmade("the rest of "+c.name), newTask()
	r := c.request(s, k)
	c.attend(k, func() (Status, error) {
		made, err := c.shrunk(s, o)
		if err == nil {
			*d = *made
		}
		return emptyStatus(), err
	})
	return d, &r
}

// An offer is what this rank contributes to a communicator of those that live.
type offer struct {
	mine member
	of   *pendingAgreement
}

func (c *Comm) offer() offer {
	b := c.base()
	mine := b.member(cut{key: b.rank})
	return offer{mine, c.w.failures.vote(b.core, view([]member{mine}))}
}

// shrunk makes the communicator when all live ranks have offered.
func (c *Comm) shrunk(s site, o offer) (*Comm, error) {
	votes, err := c.w.failures.decision(s.waits(), c.user, o.of)
	if err != nil {
		err = c.disagreed(s, err)
	}
	var all []member
	for _, v := range votes {
		all = append(all, elements[member](slices.Clone(v.Value))...)
	}
	b := c.base()
	made, seq, err := b.settle(s, o.mine, all, b.first, err)
	if err != nil {
		return nil, c.explain(s, err)
	}
	if made == nil {
		return nil, c.errorAt(s, ErrProcFailed, "no rank of one of the groups lives, so there is no inter-communicator")
	}
	made.name = fmt.Sprintf("%s.shrink%d", c.name, c.born.Add(1))
	return c.derive(s, made, seq, c.worldOptions())
}

// checkKeepGoing returns why c does not survive deaths of ranks, or nil if it does.
func (c *Comm) checkKeepGoing(s site) error {
	if err := c.alive(s); err != nil {
		return err
	}
	if c.failures == nil {
		return c.errorAt(s, ErrUnsupported, "in this job the death of a rank ends all; mpirun --keep-going starts one that goes on")
	}
	return nil
}
