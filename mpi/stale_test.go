package mpi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"rhinet/mpi"
)

// A call that its context ended leaves a message behind that is never received.
// Communicators made afterwards must not find it, also after the communicator of the
// message has been freed.
func TestWhatACancelledCallLeavesBehindIsNeverFound(t *testing.T) {
	late := func(w *mpi.Comm, c *mpi.Comm, call func(c *mpi.Comm) error) error {
		if w.Rank() == 1 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if err := is(call(c.WithContext(ctx)), mpi.ErrCancelled, ""); err != nil {
				return err
			}
			return mpi.Barrier(w)
		}
		// On a busy machine the call of rank 1 may have ended before it began, and then
		// has left nothing for this one.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		err := errors.Join(mpi.Barrier(w), call(c.WithContext(ctx)))
		if errors.Is(err, mpi.ErrCancelled) {
			return nil
		}
		return err
	}
	for name, call := range map[string]func(c *mpi.Comm) error{
		"Barrier": mpi.Barrier,
		"Bcast":   func(c *mpi.Comm) error { return mpi.Bcast(c, make([]int, 500), 0) },
		"Recv": func(c *mpi.Comm) error {
			if c.Rank() == 0 {
				return mpi.Send(c, make([]int, 500), 1, 3)
			}
			_, err := mpi.Recv(c, make([]int, 500), 0, 3)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				c, err := w.Dup()
				if err != nil {
					return err
				}
				if err := errors.Join(late(w, c, call), c.Free()); err != nil {
					return err
				}
				for range 20 {
					d, err := w.Dup()
					if err != nil {
						return err
					}
					buf := make([]int, 500)
					if w.Rank() == 0 {
						buf[0] = 7
						err = errors.Join(mpi.Bcast(d, buf, 0), mpi.Send(d, buf, 1, 3))
					} else {
						err = mpi.Bcast(d, buf, 0)
						err = errors.Join(err, equal("broadcast", buf[0], 7))
						buf[0] = 0
						_, e := mpi.Recv(d, buf, 0, 3)
						err = errors.Join(err, e, equal("message", buf[0], 7))
					}
					if err := errors.Join(err, d.Free()); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// A rank whose context ends before it takes part frees the communicator while the
// others are still in the call. Their Free must not miss what the call has received.
func TestFreeOvertakesACallThatIsAboutToEnd(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		for round := range 12 {
			c, err := w.DupWithInfo(map[string]string{mpi.HintAlgorithms: "barrier=dissemination"})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+w.Rank())*time.Millisecond)
			if w.Rank() == round%w.Size() {
				cancel()
			}
			err = is(mpi.Barrier(c.WithContext(ctx)), mpi.ErrCancelled, "")
			cancel()
			if err = errors.Join(err, c.Free()); err != nil {
				return err
			}
		}
		return nil
	})
}
