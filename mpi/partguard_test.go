package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 4.2.2: a partition that is ready must not change until the request
// is complete; one that is not ready belongs to the program.
func TestBuffersOfPartitionsThatAreSent(t *testing.T) {
	const changed, overlaps = "the buffer was changed before the request (", "the buffer overlaps that of a request that was not complete: "
	for _, tc := range []struct {
		name    string
		columns bool                                               // the partitions are columns of a matrix, else rows
		between func(w *mpi.Comm, buf []int) (*mpi.Request, error) // the first is ready and the second is not; returns the pending request
		after   func(buf []int)
		want    string
	}{
		{name: "left alone"},
		{name: "changed before it is ready", between: func(_ *mpi.Comm, buf []int) (*mpi.Request, error) { buf[2]++; return nil, nil }},
		{name: "changed when it is ready", between: func(_ *mpi.Comm, buf []int) (*mpi.Request, error) { buf[1]++; return nil, nil }, want: changed},
		{name: "changed when all are ready", after: func(buf []int) { buf[3]++ }, want: changed},
		{name: "another column changed", columns: true, between: func(_ *mpi.Comm, buf []int) (*mpi.Request, error) { buf[1]++; return nil, nil }},
		{name: "a column changed", columns: true, between: func(_ *mpi.Comm, buf []int) (*mpi.Request, error) { buf[2]++; return nil, nil }, want: changed},
		{name: "received before it is ready", between: func(w *mpi.Comm, buf []int) (*mpi.Request, error) {
			return nil, mpi.WaitAll(mpi.Irecv(w, buf[2:], 0, 8), mpi.Isend(w, []int{1, 2}, 0, 8))
		}},
		{name: "ready while it is received", between: func(w *mpi.Comm, buf []int) (*mpi.Request, error) { return mpi.Irecv(w, buf[3:], 0, 8), nil },
			want: overlaps + "Irecv on world from 0 tag 8: 8 bytes ("},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				buf := make([]int, 4)
				if w.Rank() == 1 {
					r, err := mpi.PrecvInit(w, buf, 1, 0, 5)
					if err != nil {
						return err
					}
					err = errors.Join(r.Start(), waited(r), r.Start(), waited(r))
					if tc.after != nil {
						err = errors.Join(err, mpi.Send(w, []int{1}, 0, 9))
					}
					return err
				}
				r, err := partsOf(w, buf, tc.columns)
				if err != nil {
					return err
				}
				if err := errors.Join(r.Start(), r.PreadyRange(0, 1), waited(r)); err != nil {
					return err
				}
				if err := errors.Join(r.Start(), r.Pready(0)); err != nil {
					return err
				}
				var pending *mpi.Request
				if tc.between != nil {
					if pending, err = tc.between(w, buf); err != nil {
						return err
					}
				}
				if err := r.Pready(1); err != nil {
					return err
				}
				if tc.after != nil { // all has arrived, so the buffer is not read while it changes
					if _, err := mpi.Recv(w, make([]int, 1), 1, 9); err != nil {
						return err
					}
					tc.after(buf)
				}
				if err = waited(r); tc.want != "" {
					err = errors.Join(tells(err, mpi.ErrBuffer, tc.want), tells(err, mpi.ErrBuffer, "partguard_test.go:"))
				}
				if pending != nil {
					err = errors.Join(err, mpi.Send(w, []int{1}, 0, 8), waited(pending))
				}
				return err
			})
		})
	}
}

// partsOf begins a send of two rows or columns.
func partsOf(w *mpi.Comm, buf []int, columns bool) (*mpi.Request, error) {
	if columns {
		return mpi.PsendInit(w, mpi.Views(buf, 2, mpi.Vector(2, 1, 2).Resized(0, 8)), 2, 1, 5)
	}
	return mpi.PsendInit(w, buf, 2, 1, 5)
}

// A receive buffer belongs to the request until some of it has arrived; that part
// belongs to the program from then on.
func TestBuffersOfPartitionsThatAreReceived(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		buf := make([]int, 4)
		if w.Rank() == 0 {
			r, err := mpi.PsendInit(w, buf, 2, 1, 5)
			if err != nil {
				return err
			}
			err = errors.Join(r.Start(), r.Pready(0), mpi.Barrier(w), mpi.Barrier(w))
			return errors.Join(err, r.Pready(1), waited(r))
		}
		r, err := mpi.PrecvInit(w, buf, 2, 0, 5)
		if err != nil {
			return err
		}
		if err := errors.Join(r.Start(), mpi.Barrier(w)); err != nil {
			return err
		}
		s := mpi.Isend(w, buf[3:], 1, 8)
		_, err = mpi.Recv(w, []int{0}, 1, 8)
		if err := errors.Join(err, tells(waited(s), mpi.ErrBuffer, "overlaps that of a request that was not complete: PrecvInit on world from 0 tag 5")); err != nil {
			return err
		}
		for there := false; !there; {
			if there, err = r.Parrived(0); err != nil {
				return err
			}
		}
		s = mpi.Isend(w, buf[:2], 1, 8)
		_, err = mpi.Recv(w, make([]int, 2), 1, 8)
		return errors.Join(err, waited(s), mpi.Barrier(w), waited(r))
	})
}
