package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// sides cuts w: the first n ranks are one group of the inter-communicator that it
// returns, the others the other one. It reports whether the caller is in the first
// group.
func sides(w *mpi.Comm, n int) (inter *mpi.Comm, first bool, err error) {
	first = w.Rank() < n
	color, remote := 0, n
	if !first {
		color, remote = 1, 0
	}
	local, err := w.Split(color, 0)
	if err != nil {
		return nil, first, err
	}
	inter, err = local.IntercommCreate(0, w, remote, 5)
	return inter, first, errors.Join(err, local.Free())
}

// splits are sizes of a world with a size of its first group.
var splits = [][2]int{{2, 1}, {3, 1}, {3, 2}, {5, 2}, {6, 3}, {7, 6}}

// acrossGroups runs fn on inter-communicators with groups of several sizes.
func acrossGroups(t *testing.T, fn func(w, inter *mpi.Comm, first bool) error) {
	for _, s := range splits {
		everywhere(t, s[0], func(w *mpi.Comm) error {
			inter, first, err := sides(w, s[1])
			if err != nil {
				return err
			}
			if err := fn(w, inter, first); err != nil {
				return err // the others may not come to Free
			}
			return inter.Free()
		})
	}
}

// MPI 4.1, section 7.6.1: the accessors return the local group; there are other ones
// for the remote group.
func TestAccessorsOfInterCommunicators(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		g, err := inter.Group()
		if err != nil {
			return err
		}
		h, err := inter.RemoteGroup()
		if err != nil {
			return err
		}
		all, err := w.Group()
		if err != nil {
			return err
		}
		own, err := g.Translate(sequence(g.Size(), 0), all)
		if err != nil {
			return err
		}
		far, err := h.Translate(sequence(h.Size(), 0), all)
		if err != nil {
			return err
		}
		from, to := 0, inter.Size()
		if !first {
			from, to = inter.RemoteSize(), 0
		}
		return errors.Join(
			equal("inter", inter.IsInter(), true), equal("intra", w.IsInter(), false), equal("remote size of the world", w.RemoteSize(), 0),
			equal("sizes", inter.Size()+inter.RemoteSize(), w.Size()),
			equal("rank", inter.Rank(), w.Rank()-from), equal("rank in the group", g.Rank(), inter.Rank()), equal("in the other", h.Rank(), mpi.Undefined),
			equalAll("own group", own, sequence(inter.Size(), from)), equalAll("other group", far, sequence(inter.RemoteSize(), to)))
	})
}

// MPI 4.1, section 7.6: in point-to-point calls ranks are those of the remote group,
// also in statuses; ranks of the local group cannot be reached.
func TestMessagesAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		for dst := range inter.RemoteSize() {
			if err := mpi.Send(inter, []int{inter.Rank()}, dst, 3); err != nil {
				return err
			}
		}
		seen := make([]int, inter.RemoteSize())
		for range seen {
			if st, err := mpi.Probe(inter, mpi.AnySource, 3); err != nil || st.Source >= len(seen) {
				return fmt.Errorf("Probe: %v, %w", st, err)
			}
			got := []int{0}
			st, err := mpi.Recv(inter, got, mpi.AnySource, 3)
			if err != nil {
				return err
			}
			if st.Source != got[0] {
				return fmt.Errorf("got %d from %d", got[0], st.Source)
			}
			seen[st.Source]++
		}
		for r, n := range seen {
			if n != 1 {
				return fmt.Errorf("%d messages from %d", n, r)
			}
		}
		// long messages, in both directions at once
		big, in := make([]byte, 300_000), make([]byte, 300_000)
		r := mpi.Isend(inter, big, inter.Rank()%inter.RemoteSize(), 4)
		for src := range inter.RemoteSize() {
			if src%inter.Size() == inter.Rank() {
				if _, err := mpi.Recv(inter, in, src, 4); err != nil {
					return err
				}
			}
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		err := mpi.Send(inter, big, inter.RemoteSize(), 4)
		return is(err, mpi.ErrRank, "")
	})
}

// MPI 4.1, section 7.6.2: the group that passes true comes after the other; within a
// group ranks keep their order.
func TestMergeOrdersGroupsByHigh(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		for _, firstHigh := range []bool{false, true} {
			c, err := inter.Merge(first == firstHigh)
			if err != nil {
				return err
			}
			got := make([]int, c.Size())
			if err := mpi.Allgather(c, []int{w.Rank()}, got); err != nil {
				return err
			}
			n := inter.Size()
			if !first {
				n = inter.RemoteSize()
			}
			want := sequence(w.Size(), 0)
			if firstHigh {
				want = append(sequence(w.Size()-n, n), sequence(n, 0)...)
			}
			if err := errors.Join(equalAll("order", got, want), equal("inter", c.IsInter(), false), c.Free()); err != nil {
				return err
			}
		}
		c, err := inter.Merge(true)
		if err != nil {
			return err
		}
		return errors.Join(equal("size", c.Size(), w.Size()), mpi.Barrier(c), c.Free())
	})
}

// MPI 4.1, section 7.6.2: high is the same on all ranks of a group.
func TestMergeFindsRanksThatDisagree(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		inter, _, err := sides(w, 2)
		if err != nil {
			return err
		}
		_, err = inter.Merge(w.Rank() == 1)
		return is(err, mpi.ErrArg, "")
	})
}

// MPI 4.1, section 7.4.2: a duplicate of an inter-communicator is an inter-communicator
// with the same groups; so is one made from parts of both groups, and a rank without
// any rank on the other side gets none.
func TestDupSplitAndCreateOfInterCommunicators(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		dup, err := inter.Dup()
		if err != nil {
			return err
		}
		idup, r := inter.Idup()
		if _, err := r.Wait(); err != nil {
			return err
		}
		for _, d := range []*mpi.Comm{dup, idup} {
			how, err := inter.Compare(d)
			if err := errors.Join(err, equal("compare", how, mpi.Congruent), exchangeAcross(d), d.Free()); err != nil {
				return err
			}
		}
		if how, err := inter.Compare(w); err != nil || how != mpi.Unequal {
			return fmt.Errorf("an inter-communicator and the world are %v, %w", how, err)
		}
		// color 0: even ranks of both groups, backwards; color 1: odd ones
		odd, err := inter.Split(inter.Rank()%2, -inter.Rank())
		if err != nil {
			return err
		}
		half := func(n, color int) int { return (n + 1 - color) / 2 }
		near, far := half(inter.Size(), inter.Rank()%2), half(inter.RemoteSize(), inter.Rank()%2)
		if far == 0 {
			if odd != nil {
				return fmt.Errorf("%s has nobody on the other side", odd.Name())
			}
		} else if err := errors.Join(equal("size", odd.Size(), near), equal("remote size", odd.RemoteSize(), far),
			equal("rank", odd.Rank(), near-1-inter.Rank()/2), exchangeAcross(odd), odd.Free()); err != nil {
			return err
		}
		g, err := inter.Group()
		if err != nil {
			return err
		}
		if g, err = g.Incl(inter.Size() - 1); err != nil {
			return err
		}
		last, err := inter.Create(g)
		if err != nil {
			return err
		}
		if inter.Rank() != inter.Size()-1 {
			return equal("not in the group", last, nil)
		}
		return errors.Join(equal("size", last.Size(), 1), equal("remote size", last.RemoteSize(), 1), exchangeAcross(last), last.Free())
	})
}

// exchangeAcross sends the rank to every rank of the other group, in both directions.
func exchangeAcross(c *mpi.Comm) error {
	got := make([]int, c.RemoteSize())
	if err := mpi.Allgather(c, []int{c.Rank()}, got); err != nil {
		return err
	}
	return equalAll("ranks of the other group", got, sequence(c.RemoteSize(), 0))
}

// MPI 4.1, section 7.6.2: the peer communicator may be any that both leaders are in,
// and leaders any ranks; tags distinguish calls that are made at once.
func TestLeadersAndPeersOfInterCommunicators(t *testing.T) {
	everywhere(t, 6, func(w *mpi.Comm) error {
		local, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		// a ring of three groups: each is connected with both others
		var made [3]*mpi.Comm
		for pair := range 3 { // groups pair and pair+1
			a, b := pair, (pair+1)%3
			switch w.Rank() / 2 {
			case a:
				made[pair], err = local.IntercommCreate(1, w, 2*b, pair)
			case b:
				made[pair], err = local.IntercommCreate(0, w, 2*a+1, pair)
			}
			if err != nil {
				return err
			}
		}
		for pair, c := range made {
			if c == nil {
				continue
			}
			if err := exchangeAcross(c); err != nil {
				return fmt.Errorf("pair %d: %w", pair, err)
			}
		}
		if made[0] == nil {
			return nil
		}
		// with an inter-communicator as the peer
		alone, err := mpi.Self(w)
		if err != nil {
			return err
		}
		c, err := alone.IntercommCreate(0, made[0], made[0].Rank(), 0)
		if err != nil {
			return err
		}
		return errors.Join(exchangeAcross(c), c.Free())
	})
}

// MPI 4.1, section 7.6.2: wrong arguments. An error that only a leader can see is also
// returned on the other ranks of its group.
func TestMistakesOfIntercommCreate(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		local, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		other := 2 - 2*(w.Rank()/2)
		_, err = local.IntercommCreate(2, w, other, 0)
		if err := is(err, mpi.ErrRank, ""); err != nil {
			return err
		}
		if _, err = local.IntercommCreate(0, w, other, -1); !errors.Is(err, mpi.ErrTag) {
			return fmt.Errorf("a negative tag: %v", err)
		}
		_, err = local.IntercommCreate(local.Rank(), w, other, 0)
		if err := is(err, mpi.ErrArg, ""); err != nil {
			return err
		}
		for _, wrong := range []int{-1, 4, w.Rank()} {
			_, err = local.IntercommCreate(0, w, wrong, 0)
			class := mpi.ErrRank
			if local.Rank() != 0 {
				class = mpi.ErrComm
			}
			if err := is(err, class, ""); err != nil {
				return err
			}
		}
		_, err = local.IntercommCreate(0, nil, other, 0)
		if err := is(err, mpi.ErrComm, ""); err != nil {
			return err
		}
		return nil
	})
}

// MPI 4.1, section 7.6.2: the groups must have no process in common.
func TestIntercommCreateRefusesGroupsThatOverlap(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		all, err := w.Group()
		if err != nil {
			return err
		}
		var failed error
		calls := make(chan error, 2)
		begun := 0
		for i := range 2 { // ranks 0 and 1, and 1 and 2
			g, err := all.Incl(i, i+1)
			if err != nil {
				return err
			}
			local, err := w.Create(g)
			if err != nil {
				return err
			}
			if local != nil {
				begun++
				go func() {
					_, err := local.IntercommCreate(i, w, 2-2*i, 0)
					calls <- is(err, mpi.ErrGroup, "")
				}()
			}
		}
		for range begun {
			failed = errors.Join(failed, <-calls)
		}
		return failed
	})
}
