package mpi_test

import (
	"context"
	"errors"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onNICs runs fn on two ranks over NICs that move messages in different ways.
func onNICs(t *testing.T, fn func(w *mpi.Comm) error) {
	t.Helper()
	for _, nic := range []string{"martini", "martini:vp", "ib", "ib:ud", "tofu", "tcp"} {
		t.Run(nic, func(t *testing.T) { mpitest.Run(t, 2, fn, mpitest.NIC(nic)) })
	}
}

// Finalize ends at once though sends that a context has ended are never received, and the receiver names them.
func TestFinalizeEndsSendsThatWereGivenUp(t *testing.T) {
	onNICs(t, func(w *mpi.Comm) error {
		if w.Rank() != 0 {
			return tells(mpi.Finalize(w), mpi.ErrPending, "2 messages to this rank were never received")
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		c := w.WithContext(ctx)
		parts, err := mpi.PsendInit(c, make([]int, 4), 2, 1, 2)
		if err != nil {
			return err
		}
		err = errors.Join(parts.Start(), parts.PreadyRange(0, 1))
		sends := []*mpi.Request{mpi.Isend(c, make([]byte, 1<<20), 1, 0), mpi.Issend(c, []byte{1}, 1, 1), parts}
		cancel()
		for _, r := range sends {
			_, e := r.Wait()
			err = errors.Join(err, is(e, mpi.ErrCancelled, ""))
		}
		return errors.Join(err, mpi.Finalize(w)) // which took a second, and failed with ErrOther
	})
}

// A send that a context has ended still arrives.
func TestWhatWasGivenUpStillArrives(t *testing.T) {
	onNICs(t, func(w *mpi.Comm) error {
		buf := make([]byte, 1<<20)
		if w.Rank() == 1 {
			err := mpi.Barrier(w)
			_, e := mpi.Recv(w, buf, 0, 0)
			return errors.Join(err, e, equal("last byte", buf[len(buf)-1], 7))
		}
		buf[len(buf)-1] = 7
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		send := mpi.Issend(w.WithContext(ctx), buf, 1, 0)
		cancel()
		_, err := send.Wait()
		return errors.Join(is(err, mpi.ErrCancelled, ""), mpi.Barrier(w))
	})
}

// A communicator that its ranks free has its offers of partitioned messages refused.
func TestFreeEndsPartitionedSendsWithoutAReceive(t *testing.T) {
	onNICs(t, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 1 {
			return c.Free()
		}
		r, err := mpi.PsendInit(c, make([]int, 4), 2, 1, 2)
		if err != nil {
			return err
		}
		err = errors.Join(r.Start(), r.PreadyRange(0, 1), c.Free())
		_, e := r.Wait()
		return errors.Join(err, tells(e, mpi.ErrComm, "PsendInit on world.dup1 to 1 tag 2: the receiver has freed the communicator"))
	})
}

// The receiver of a partitioned message that its sender has given up gets an error, in each start: whether the sender
// gave up before they met, or when some partitions were not ready.
func TestTheReceiverOfAPartitionedMessageThatWasGivenUp(t *testing.T) {
	const text = "mpi: PrecvInit on world from 0 tag 3: the sender has given the message up, because the context of its communicator has ended"
	for _, met := range []bool{false, true} {
		onNICs(t, func(w *mpi.Comm) error {
			if w.Rank() == 0 {
				return giveUpParts(w, met)
			}
			if !met {
				if err := mpi.Barrier(w); err != nil {
					return err
				}
			}
			r, err := mpi.PrecvInit(w, make([]int, 40000), 4, 0, 3)
			if err != nil {
				return err
			}
			if met {
				if err := errors.Join(r.Start(), mpi.WaitAll(r)); err != nil {
					return err
				}
			}
			for range 3 {
				err := r.Start()
				for there := false; err == nil && !there; {
					there, err = r.Parrived(3)
				}
				_, e := r.Wait()
				if err = errors.Join(is(err, mpi.ErrCancelled, text), is(e, mpi.ErrCancelled, text)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// giveUpParts gives up a partitioned send before the other side knows of it, or in the second start.
func giveUpParts(w *mpi.Comm, met bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := mpi.PsendInit(w.WithContext(ctx), make([]int, 40000), 2, 1, 3)
	if err != nil {
		return err
	}
	if met {
		if err := errors.Join(r.Start(), r.PreadyRange(0, 1), mpi.WaitAll(r)); err != nil {
			return err
		}
	}
	err = errors.Join(r.Start(), r.Pready(0))
	cancel()
	_, e := r.Wait()
	err = errors.Join(err, is(e, mpi.ErrCancelled, ""))
	if !met {
		err = errors.Join(err, mpi.Barrier(w))
	}
	return err
}
