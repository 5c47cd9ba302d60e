package mpi

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// What programs call that go on when ranks die: User-Level Failure Mitigation, as
// the MPI Forum's proposal has it. In a job that mpirun has started with
// --keep-going, calls that need a rank that is dead fail with [ErrProcFailed];
// collective calls on a communicator with a dead rank do, too, on all ranks that are
// not through with them. A receive from any rank that goes on after a death fails
// with [ErrProcFailedPending] once and again until [Comm.AckFailed]. In other
// jobs a death ends all.

// Revoke ends the use of c on all of its ranks: their calls on it fail with
// [ErrRevoked], those that wait too, but for Agree, Shrink, Free, and what they
// ask of this rank alone. One rank calls it, when it has found that others may wait for it in vain.
//
// Not in MPI 4.1 (MPI_Comm_revoke of User-Level Failure Mitigation).
func (c *Comm) Revoke() (err error) {
	defer c.raised(&err)
	if err := c.mortal(at("Revoke")); err != nil {
		return err
	}
	p := c.w.perils
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoke(c.fate.c)
	return nil
}

// IsRevoked reports whether this rank knows that c has been revoked.
//
// Not in MPI 4.1 (MPI_Comm_is_revoked of User-Level Failure Mitigation).
func (c *Comm) IsRevoked() bool { return c != nil && c.fate != nil && c.fate.isRevoked() }

// GetFailed returns the group of the ranks of c that have died as far as this rank
// knows, in the order in which it has learned of them. It is a local call.
//
// Not in MPI 4.1 (MPI_Comm_get_failed of User-Level Failure Mitigation).
func (c *Comm) GetFailed() (_ *Group, err error) {
	defer c.raised(&err)
	if err := c.mortal(at("GetFailed")); err != nil {
		return nil, err
	}
	g := c.fate.c.group(span{})
	for _, r := range c.fate.dead() {
		g.members = append(g.members, int32(c.fate.c.global(r)))
	}
	return g, nil
}

// AckFailed says that the program knows of the first n ranks that [Comm.GetFailed]
// lists, and returns of how many it does now. Once it knows of all, receives from any rank wait again, for those that
// live, and [Comm.Agree] does not fail because of those.
//
// Not in MPI 4.1 (MPI_Comm_ack_failed of User-Level Failure Mitigation).
func (c *Comm) AckFailed(n int) (_ int, err error) {
	defer c.raised(&err)
	s := at("AckFailed")
	if err := c.mortal(s); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, c.errorAt(s, ErrArg, "%d ranks; there are 0 or more", n)
	}
	return c.fate.acknowledge(n), nil
}

// Agree returns the bits that are set in the flags of all ranks of c that live. All
// of them call it, and all get the same, whoever dies meanwhile, also if c is
// revoked. If a rank has died whose death not all have acknowledged, the
// result comes with [ErrProcFailed], on all of them.
//
// Not in MPI 4.1 (MPI_Comm_agree of User-Level Failure Mitigation).
func (c *Comm) Agree(flags uint64) (_ uint64, err error) {
	defer c.raised(&err)
	s := at("Agree")
	if err := c.mortal(s); err != nil {
		return 0, err
	}
	all := c.fate.c
	value := binary.LittleEndian.AppendUint64(nil, flags)
	value = append(value, make([]byte, (all.size+7)/8)...)
	for _, r := range c.fate.ackedRanks() {
		value[8+r/8] |= 1 << (r % 8)
	}
	votes, err := c.w.perils.agree(c.user, all, value)
	if err != nil {
		return 0, c.disagreed(s, err)
	}
	absent := slices.Repeat([]bool{true}, all.size)
	flags = ^uint64(0)
	for _, v := range votes {
		absent[v.rank] = false
		flags &= binary.LittleEndian.Uint64(v.value)
	}
	for r, is := range absent {
		known := func(v vote) bool { return v.value[8+r/8]>>(r%8)&1 != 0 }
		if is && !allOf(votes, known) {
			return flags, c.errorAt(s, ErrProcFailed, "%s has died, and not all ranks have acknowledged it", all.who(r))
		}
	}
	return flags, nil
}

// disagreed is the error of an agreement that has not come about.
func (c *Comm) disagreed(s site, err error) error {
	if err == errClosed {
		return c.because(s, ErrOther, err, "")
	}
	return c.because(s, ErrCancelled, err, "the context ended before all ranks had agreed")
}

func allOf[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !holds(v) })
}

// Shrink makes a communicator of the ranks of c that live, in their order. All of
// them call it, also if c is revoked. Ranks that die meanwhile may still be in it;
// then its first collective call fails, and it is shrunk again.
//
// Not in MPI 4.1 (MPI_Comm_shrink of User-Level Failure Mitigation).
func (c *Comm) Shrink() (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("Shrink")
	if err := c.mortal(s); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, c.errorAt(s, ErrComm, "not defined on an inter-communicator; shrink what Merge has made of it")
	}
	mine := c.bid(0, c.rank)
	votes, err := c.w.perils.agree(c.user, c.core, view([]bid{mine}))
	if err != nil {
		err = c.disagreed(s, err)
	}
	var all []bid
	for _, v := range votes {
		all = append(all, elements[bid](slices.Clone(v.value))...)
	}
	made, seq, err := c.settle(s, mine, all, 0, err)
	if err != nil {
		return nil, c.explain(s, err)
	}
	made.name = fmt.Sprintf("%s.shrink%d", c.name, c.born.Add(1))
	return c.derive(s, made, seq, c.worldOptions())
}

// mortal says why nothing can be asked about deaths among the ranks of c, or nil.
func (c *Comm) mortal(s site) error {
	if err := c.alive(s); err != nil {
		return err
	}
	if c.fate == nil {
		return c.errorAt(s, ErrUnsupported, "in this job the death of a rank ends all; mpirun --keep-going starts one that goes on")
	}
	return nil
}
