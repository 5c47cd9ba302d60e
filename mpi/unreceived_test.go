package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 11.2.2: sent messages must be received before Finalize. In a checked
// job the rank where a message is left reports it, whatever protocol was used and
// whichever rank sent it.
func TestMessagesThatNobodyReceives(t *testing.T) {
	const receive = "; receive each, or do not send it:"
	for _, tc := range []struct {
		name  string
		from1 func(w, dup *mpi.Comm) error
		at0   func(w, dup *mpi.Comm) error
		want  string // of rank 0; "" if there is no error
	}{
		{"short", func(w, _ *mpi.Comm) error { return mpi.Send(w, []int{1, 2, 3}, 0, 5) }, nil,
			"1 message to this rank was never received" + receive + "\n\tfrom 1 tag 5 on world: 24 bytes, sent at here"},
		{"empty", func(w, _ *mpi.Comm) error { return mpi.Send(w, []int{}, 0, 5) }, nil,
			"1 message to this rank was never received" + receive + "\n\tfrom 1 tag 5 on world: 0 bytes, sent at here"},
		{"in packets", func(w, _ *mpi.Comm) error { return mpi.WaitAll(mpi.Isend(w, make([]byte, 4000), 0, 5)) }, nil,
			"1 message to this rank was never received" + receive + "\n\tfrom 1 tag 5 on world: 4000 bytes, sent at here"},
		{"one of two", func(w, _ *mpi.Comm) error {
			return errors.Join(mpi.Send(w, []int{1}, 0, 5), mpi.Send(w, []int{1}, 0, 6))
		}, func(w, _ *mpi.Comm) error {
			_, err := mpi.Recv(w, []int{0}, 1, 6)
			return err
		}, "1 message to this rank was never received" + receive + "\n\tfrom 1 tag 5 on world: 8 bytes, sent at here"},
		{"on two communicators", func(w, dup *mpi.Comm) error {
			return errors.Join(mpi.Send(dup, []int{1}, 0, 5), mpi.Send(w, []int{1}, 0, 6))
		}, nil, "2 messages to this rank were never received" + receive + "\n\tfrom 1 tag 6 on world: 8 bytes, sent at here\n\tfrom 1 tag 5 on world.dup1: 8 bytes, sent at here"},
		{"under way", func(w, _ *mpi.Comm) error { // still in flight when the sender is in Finalize
			for range 200 {
				if err := mpi.Isend(w, make([]byte, 1000), 0, 5).Free(); err != nil {
					return err
				}
			}
			return nil
		}, nil, "200 messages to this rank were never received"},
		{"of the rank itself", nil, func(w, _ *mpi.Comm) error { return mpi.Send(w, []int{1}, 0, 2) },
			"1 message to this rank was never received" + receive + "\n\tfrom 0 tag 2 on world: 8 bytes, sent at here"},
		{"matched by a probe", func(w, _ *mpi.Comm) error { return mpi.Send(w, []int{1}, 0, 5) }, func(w, _ *mpi.Comm) error {
			_, _, err := mpi.Mprobe(w, 1, 5)
			return err
		}, "1 message to this rank was never received" + receive + "\n\tfrom 1 tag 5 on world: 8 bytes, sent at here, which Mprobe has matched (here)"},

		{"matched and received", func(w, _ *mpi.Comm) error { return mpi.Send(w, []int{1}, 0, 5) }, func(w, _ *mpi.Comm) error {
			m, _, err := mpi.Mprobe(w, 1, 5)
			if err == nil {
				_, err = mpi.Mrecv(m, []int{0})
			}
			return err
		}, ""},
		{"on a communicator that is freed", func(_, dup *mpi.Comm) error { return errors.Join(mpi.Send(dup, []int{1}, 0, 5), dup.Free()) },
			func(_, dup *mpi.Comm) error { return dup.Free() }, ""},
		{"of calls of all", func(w, _ *mpi.Comm) error { return mpi.Bcast(w, []int{1}, 1) },
			func(w, _ *mpi.Comm) error { return mpi.Bcast(w, []int{1}, 1) }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				dup, err := w.Dup()
				if err != nil {
					return err
				}
				if f := [...]func(w, dup *mpi.Comm) error{tc.at0, tc.from1}[w.Rank()]; f != nil {
					if err := f(w, dup); err != nil {
						return err
					}
				}
				err = mpi.Finalize(w)
				if w.Rank() == 1 || tc.want == "" {
					return err
				}
				return tells(linesOf(err), mpi.ErrPending, "mpi: Finalize on world: "+tc.want)
			})
		})
	}
}

// linesOf returns err with here in place of each line of this file.
func linesOf(err error) error {
	if err == nil {
		return nil
	}
	return replaced{err, regexp.MustCompile(`[^\s(]*/unreceived_test\.go:\d+`).ReplaceAllString(err.Error(), "here")}
}

// A replaced is an error with another text.
type replaced struct {
	error
	text string
}

func (r replaced) Error() string { return r.text }
func (r replaced) Unwrap() error { return r.error }

// A long message whose sender does not wait any more is known by its offer.
func TestAnOfferThatNobodyTakes(t *testing.T) {
	t.Parallel() // it mostly waits
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return tells(mpi.Finalize(w), mpi.ErrPending, "from 1 tag 5 on world: 1048576 bytes, sent at ")
		}
		if err := mpi.Isend(w, make([]byte, 1<<20), 0, 5).Free(); err != nil {
			return err
		}
		const lost = "mpi: Finalize on world: 1 send whose request was freed was never received; receive each, or do not send it:\n\tIsend on world to 0 tag 5: 1048576 bytes (here)"
		return is(linesOf(mpi.Finalize(w)), mpi.ErrPending, lost)
	}, mpitest.NIC("martini"))
}

// Every rank finds the messages that any other has sent to it, and a rank that still
// has a request gets both errors.
func TestAllRanksLookForMessages(t *testing.T) {
	for n := 1; n <= 6; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			for to := range n {
				if err := mpi.Send(w, []int32{1}, to, w.Rank()); err != nil {
					return err
				}
			}
			_ = mpi.Irecv(w, make([]int, 1), w.Rank(), 77)
			err := mpi.Finalize(w)
			if err := tells(err, mpi.ErrPending, "1 request was never completed"); err != nil {
				return err
			}
			if err := tells(err, mpi.ErrPending, "\nand "+neverReceived(n)); err != nil {
				return err
			}
			for from := range n {
				if err := tells(err, mpi.ErrPending, fmt.Sprintf("\n\tfrom %d tag %[1]d on world: 4 bytes, sent at ", from)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// On an inter-communicator the rank of the other group that has sent is reported.
func TestMessagesBetweenGroupsThatNobodyReceives(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		c, _, err := sides(w, 2)
		if err != nil {
			return err
		}
		if err := mpi.Send(c, []byte{1}, c.Rank(), 3); err != nil {
			return err
		}
		return tells(mpi.Finalize(w), mpi.ErrPending, fmt.Sprintf("\n\tfrom %d tag 3 on %s: 1 bytes, sent at ", c.Rank(), c.Name()))
	})
}

// A job that is not checked does not look for messages.
func TestMessagesAreLookedForInCheckedJobsOnly(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error { return mpi.Send(w, []int{1}, 1-w.Rank(), 0) }, mpitest.NIC("martini"), mpitest.Unguarded())
}

// In jobs that survive deaths, messages on communicators with a dead rank, or that were
// revoked, are not reported.
func TestMessagesOfTheDeadAreNotMissed(t *testing.T) {
	for _, dies := range []bool{false, true} {
		for _, tr := range transports {
			if tr.name == "hosts" {
				continue // its end goes on without the dead rank
			}
			t.Run(fmt.Sprintf("%s/%v", tr.name, dies), func(t *testing.T) {
				mpitest.Run(t, 3, func(w *mpi.Comm) error {
					dup, err := w.Dup()
					if err != nil {
						return err
					}
					if w.Rank() == 2 {
						if err := errors.Join(mpi.Send(w, []int{1}, 0, 4), mpi.Send(dup, []int{1}, 0, 4), mpi.Send(dup, []int{1}, 0, 5)); err != nil {
							return err
						}
						if _, err := mpi.Recv(w, []int{}, 0, 6); err != nil {
							return err
						}
						if dies {
							mpitest.Die()
						}
					}
					if w.Rank() == 0 { // all messages have arrived
						if _, err := mpi.Recv(dup, []int{1}, 2, 5); err != nil {
							return err
						}
						if err := errors.Join(dup.Revoke(), mpi.Send(w, []int{}, 2, 6)); err != nil {
							return err
						}
					}
					err = mpi.Finalize(w)
					if w.Rank() != 0 || dies {
						return err
					}
					return is(linesOf(err), mpi.ErrPending, "mpi: Finalize on world: 1 message to this rank was never received; receive each, or do not send it:\n\tfrom 2 tag 4 on world: 8 bytes, sent at here")
				}, tr.option, mpitest.KeepGoing())
			})
		}
	}
}

// No rank leaves before all have looked: a rank that has left is taken for dead, and
// its messages would not be reported, or be lost.
func TestNobodyLeavesBeforeAllHaveLooked(t *testing.T) {
	late := &lateLook{t: t}
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		if w.Rank() != 0 {
			return errors.Join(mpi.Send(w, []int{1}, 0, 4), mpi.Finalize(w))
		}
		late.world.Store(w)
		return tells(mpi.Finalize(w), mpi.ErrPending, "2 messages to this rank were never received")
	}, mpitest.KeepGoing(), mpitest.Transports(func(n int) ([]mpi.Transport, func() error, error) {
		ts, release, err := mpi.Local(n, "martini")
		if err == nil {
			late.Transport, ts[0] = ts[0], late
		}
		return ts, release, err
	}))
}

// A lateLook is a transport that takes long to look for messages that were never
// received.
type lateLook struct {
	mpi.Transport
	t     *testing.T
	world atomic.Pointer[mpi.Comm]
}

func (l *lateLook) Unreceived(visit func(ctx uint16, m llc.Status)) {
	w := l.world.Load()
	time.Sleep(200 * time.Millisecond)
	for rank := 1; rank < w.Size(); rank++ {
		if mpi.TakesForDead(w, rank) {
			l.t.Errorf("rank %d has left", rank)
		}
	}
	l.Transport.Unreceived(visit)
}

func (l *lateLook) MarkFailed(rank int) { l.Transport.(interface{ MarkFailed(int) }).MarkFailed(rank) }

// If the context of Finalize ends early, the messages that have arrived are reported.
func TestFinalizeWithinAContext(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if err := mpi.Send(w, []int{1}, 1-w.Rank(), 0); err != nil {
			return err
		}
		return tells(mpi.Finalize(w.WithContext(ctx)), mpi.ErrPending, "1 message")
	}, mpitest.NIC("martini"))
}

// Offers of partitioned messages on the world do not match receives for notices of
// deaths, and their answers do not match those of processes that make a communicator of
// a group.
func TestPartitionsWhereRanksMayDie(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		var r *mpi.Request
		var err error
		buf := []int{w.Rank(), w.Rank()}
		if w.Rank() == 0 {
			r, err = mpi.PsendInit(w, buf, 2, 1, 3)
		} else {
			r, err = mpi.PrecvInit(w, buf, 2, 0, 3)
		}
		if err != nil {
			return err
		}
		if err := r.Start(); err != nil {
			return err
		}
		if w.Rank() == 0 {
			if err := r.PreadyRange(0, 1); err != nil {
				return err
			}
		}
		return errors.Join(waited(r), equalAll("partitions", buf, []int{0, 0}))
	}, mpitest.NIC("martini"), mpitest.KeepGoing())
}

// neverReceived is how Finalize speaks of n messages.
func neverReceived(n int) string {
	if n == 1 {
		return "1 message to this rank was never received"
	}
	return fmt.Sprintf("%d messages to this rank were never received", n)
}
