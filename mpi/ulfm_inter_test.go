package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// dieAfter has the ranks of dead die when all ranks have reached this point.
func dieAfter(w *mpi.Comm, dead ...int) error {
	err := mpi.Barrier(w)
	if err == nil && slices.Contains(dead, w.Rank()) {
		// A barrier may end before others have been told of its end.
		for r := 0; r < w.Size() && err == nil; r++ {
			if !slices.Contains(dead, r) {
				_, err = mpi.Recv(w, []byte{0}, r, 77)
			}
		}
		if err == nil {
			mpitest.Die()
		}
		return err
	}
	for _, r := range dead {
		err = errors.Join(err, mpi.Send(w, []byte{0}, r, 77))
	}
	return err
}

// User-Level Failure Mitigation: if a rank of one group dies, IntercommCreate and
// IntercommFromGroups fail with MPI_ERR_PROC_FAILED in both groups, also for ranks that no rank of
// the other group but its leader knows. No rank waits for one that has failed, and the same call
// of those that live works, with the same leaders and tag.
func TestInterCommunicatorsOfGroupsThatFail(t *testing.T) {
	for _, dead := range [][]int{{4}, {1}, {1, 4}} {
		runKeepGoing(t, 5, func(w *mpi.Comm) error {
			side := w.Rank() / 2 // {0, 1} and {2, 3, 4}
			side = min(side, 1)
			local, err := w.Split(side, 0)
			if err != nil {
				return err
			}
			own, err := local.Group()
			all, err2 := w.Group()
			if err := errors.Join(err, err2, dieAfter(w, dead...)); err != nil {
				return err
			}
			other := all.Difference(own)
			_, create := local.IntercommCreate(0, w, 2-2*side, 3)
			_, groups := mpi.IntercommFromGroups(own, 0, other, 0, "pair")
			for call, err := range map[string]error{"IntercommCreate": create, "IntercommFromGroups": groups} {
				if err := is(err, mpi.ErrProcFailed, ""); err != nil {
					return fmt.Errorf("%s: %w", call, err)
				}
			}
			left, err := local.Shrink()
			if err != nil {
				return err
			}
			living, err := left.Group()
			gone, err2 := all.Incl(dead...)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			first, err := left.IntercommCreate(0, w, 2-2*side, 3)
			if err != nil {
				return err
			}
			second, err := mpi.IntercommFromGroups(living, 0, other.Difference(gone), 0, "pair")
			if err != nil {
				return err
			}
			for _, c := range []*mpi.Comm{first, second} {
				n := []int{0}
				err = errors.Join(err, mpi.Allreduce(c, []int{1}, n, mpi.Sum), equal("others", n[0], 5-len(dead)-left.Size()), c.Free())
			}
			return err
		})
	}
}

// User-Level Failure Mitigation: the death of a leader, and Revoke of a communicator that
// IntercommCreate uses, end it in the other group.
func TestLeadersThatDoNotCome(t *testing.T) {
	const told = "rank 0, the leader, has not reached the other group; its error says why"
	for name, test := range map[string]struct {
		class mpi.Class
		text  string // of the leader
		other func(w, local, peer *mpi.Comm) error
	}{
		"dead": {mpi.ErrProcFailed, "the leader of the other group has died", func(w, _, _ *mpi.Comm) error {
			if w.Rank() == 0 {
				mpitest.Die()
			}
			return nil
		}},
		"revoked peer": {mpi.ErrRevoked, "has been revoked; Shrink and Agree still work on it", func(_, _, peer *mpi.Comm) error { return peer.Revoke() }},
		"revoked communicator": {mpi.ErrRevoked, "the communicator of the other group has been revoked", func(w, local, peer *mpi.Comm) error {
			if err := local.Revoke(); err != nil {
				return err
			}
			return is(second(local.IntercommCreate(0, peer, 2, 3)), mpi.ErrRevoked, "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			runKeepGoing(t, 4, func(w *mpi.Comm) error {
				local, err := w.Split(w.Rank()/2, 0)
				peer, err2 := w.Dup()
				if err := errors.Join(err, err2); err != nil {
					return err
				}
				if w.Rank() == 0 { // which may die
					for r := 1; r < 4 && err == nil; r++ {
						_, err = mpi.Recv(w, []byte{0}, r, 1)
					}
				} else {
					err = mpi.Send(w, []byte{0}, 0, 1)
				}
				if err != nil {
					return err
				}
				if w.Rank() < 2 {
					return test.other(w, local, peer)
				}
				text := test.text
				if w.Rank() == 3 {
					text = told
				}
				return tells(second(local.IntercommCreate(0, peer, 0, 3)), test.class, text)
			})
		})
	}
}

// User-Level Failure Mitigation: a peer communicator that has been revoked is no mistake of the
// program.
func TestIntercommCreateByARevokedPeer(t *testing.T) {
	runKeepGoing(t, 2, func(w *mpi.Comm) error {
		peer, err := w.Dup()
		if err != nil {
			return err
		}
		self, err := mpi.Self(w)
		if err := errors.Join(err, peer.Revoke()); err != nil {
			return err
		}
		return tells(second(self.IntercommCreate(0, peer, 1-w.Rank(), 3)), mpi.ErrRevoked, "the peer communicator cannot be used")
	})
}

// MPI 4.1, section 7.6.2: a leader waits for the other one on the peer communicator, whose
// context ends the wait.
func TestIntercommCreateEndsWithTheContextOfItsPeer(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		local, err := w.Split(w.Rank(), 0)
		if err != nil || w.Rank() == 1 {
			return errors.Join(err, mpi.Barrier(w))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return errors.Join(is(second(local.IntercommCreate(0, w.WithContext(ctx), 1, 3)), mpi.ErrCancelled, ""), mpi.Barrier(w))
	})
}

// User-Level Failure Mitigation: CreateGroup fails on all ranks of a group of which one has died,
// and works on a group of ranks that live.
func TestCreateGroupWithTheDead(t *testing.T) {
	runKeepGoing(t, 6, func(w *mpi.Comm) error {
		all, err := w.Group()
		if err := errors.Join(err, dieAfter(w, 4)); err != nil {
			return err
		}
		five, err1 := all.Excl(0)
		four, err2 := all.Excl(0, 4)
		if err := errors.Join(err1, err2); err != nil || w.Rank() == 0 {
			return err
		}
		if err := is(second(w.CreateGroup(five, 1)), mpi.ErrProcFailed, ""); err != nil {
			return err
		}
		c, err := w.CreateGroup(four, 2)
		if err != nil {
			return err
		}
		n := []int{0}
		return errors.Join(mpi.Allreduce(c, []int{1}, n, mpi.Sum), equal("ranks", n[0], 4), c.Free())
	})
}

// MPI 4.1, section 11.2.2, and User-Level Failure Mitigation: a send that Revoke has ended has
// ended, also for Finalize.
func TestFinalizeAfterRevoke(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, tr := range transports {
		mpitest.Run(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				if _, err := mpi.Recv(w, []byte{0}, 0, 2); err != nil {
					return err
				}
				return errors.Join(w.Revoke(), second(w.Shrink()))
			}
			short, long := mpi.Issend(w, []byte{1}, 1, 1), mpi.Issend(w, make([]byte, 1<<20), 1, 1)
			if err := mpi.Send(w, []byte{0}, 1, 2); err != nil {
				return err
			}
			return errors.Join(is(waited(short), mpi.ErrRevoked, ""), is(waited(long), mpi.ErrRevoked, ""), second(w.Shrink()))
		}, tr.option, mpitest.KeepGoing())
	}
}
