package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 7.4.3: operations that are pending on a communicator when it is freed
// complete normally. The number of the communicator is not used again before.
func TestFreeLeavesPendingMessages(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		everywhere(t, n, func(w *mpi.Comm) error {
			next, before := (w.Rank()+1)%n, (w.Rank()+n-1)%n
			for _, length := range []int{0, 1, 1000, 100_000} {
				c, err := w.Dup()
				if err != nil {
					return err
				}
				in, any, out := make([]int, length), make([]int, length), make([]int, length)
				for i := range out {
					out[i] = w.Rank() + i
				}
				var reqs []*mpi.Request
				reqs = append(reqs, mpi.Irecv(c, in, before, 5), mpi.Irecv(c, any, mpi.AnySource, mpi.AnyTag))
				reqs = append(reqs, mpi.Isend(c, out, next, 5), mpi.Issend(c, out, next, 6))
				if err := c.Free(); err != nil {
					return err
				}
				for range 20 { // one of them would have the number of c
					d, err := w.Dup()
					if err = errors.Join(err, mpi.Barrier(d), d.Free()); err != nil {
						return err
					}
				}
				if err := mpi.WaitAll(reqs...); err != nil {
					return err
				}
				for i := range out {
					if in[i] != before+i || any[i] != before+i {
						return fmt.Errorf("element %d of %d: %d and %d", i, length, in[i], any[i])
					}
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 7.4.3: the same with a sender that sends only after all other ranks
// have freed the communicator, and made others. So Free is a local call.
func TestFreeBeforeTheMessageIsSent(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, n := range []int{2, 4} {
		bothWays(t, n, func(w *mpi.Comm) error {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			buf := []int{w.Rank()}
			if w.Rank() == 0 {
				if err = mpi.Barrier(w); err == nil {
					for r := 1; r < n && err == nil; r++ {
						err = mpi.Ssend(c, []int{100 + r}, r, 0)
					}
				}
				return errors.Join(err, c.Free())
			}
			r := mpi.Irecv(c, buf, 0, 0)
			if err := errors.Join(c.Free(), mpi.Barrier(w)); err != nil {
				return err
			}
			_, err = r.Wait()
			return errors.Join(err, equal("data", buf[0], 100+w.Rank()))
		})
	}
}

// MPI 4.1, section 7.4.3: nonblocking collective calls complete after Free, also those of
// inter-communicators, and calls to neighbors.
func TestFreeLeavesPendingCollectiveCalls(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, n := range []int{1, 2, 3, 5} {
		bothWays(t, n, func(w *mpi.Comm) error {
			for _, length := range []int{1, 1000, 50_000} {
				c, err := w.CartCreate([]int{n}, []bool{true})
				if err != nil {
					return err
				}
				in, sum, all := make([]int, length), make([]int, length), make([]int, 2*length)
				for i := range in {
					in[i] = w.Rank()
				}
				own := append(in[:length:length], in...)
				reqs := []*mpi.Request{mpi.Iallreduce(c, in, sum, mpi.Sum), mpi.Ibarrier(c), mpi.IneighborAlltoall(c, own, all)}
				p, err := mpi.BcastInit(c, make([]int, length), 0)
				if err = errors.Join(err, p.Start(), c.Free(), mpi.Barrier(w)); err != nil {
					return err
				}
				if err := errors.Join(mpi.WaitAll(append(reqs, p)...), p.Free()); err != nil {
					return err
				}
				last := length - 1
				if got, want := fmt.Sprint(sum[last], all[last], all[length+last]), fmt.Sprint(n*(n-1)/2, (w.Rank()+n-1)%n, (w.Rank()+1)%n); got != want {
					return fmt.Errorf("%d elements: got %s, want %s", length, got, want)
				}
			}
			return nil
		})
	}
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, _, err := split2(w)
		if err != nil {
			return err
		}
		out := []int{0}
		r := mpi.Iallreduce(c, []int{1}, out, mpi.Sum)
		remote := c.RemoteSize()
		err = c.Free()
		_, e := r.Wait()
		return errors.Join(err, e, equal("sum", out[0], remote))
	})
}

// split2 makes an inter-communicator of rank 0 and the other ranks.
func split2(w *mpi.Comm) (inter, half *mpi.Comm, err error) {
	side := min(w.Rank(), 1)
	if half, err = w.Split(side, 0); err != nil {
		return nil, nil, err
	}
	inter, err = half.IntercommCreate(0, w, 1-side, 3)
	return inter, half, err
}

// MPI 4.1, section 7.7.2: a copy function that fails ends Dup. Nothing of the duplicate
// is left, neither its number nor the attributes that it has got.
func TestFailedDuplicatesLeaveNothing(t *testing.T) {
	for _, n := range []int{1, 2} {
		mpitest.Run(t, n, func(w *mpi.Comm) error {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			copies, no := 0, errors.New("no")
			good := mpi.NewKeyval(func(_ *mpi.Comm, v int) (int, bool, error) { copies++; return v, true, nil }, func(*mpi.Comm, int) error { copies--; return nil })
			bad := mpi.NewKeyval(func(_ *mpi.Comm, v int) (int, bool, error) { return v, true, no }, nil)
			if err := errors.Join(good.Set(c, 1), bad.Set(c, 2)); err != nil {
				return err
			}
			for i := range 4200 {
				d, err := c.Dup()
				if i%100 == 0 {
					var r *mpi.Request
					_, r = c.Idup()
					_, err = r.Wait()
				}
				if d != nil || !errors.Is(err, no) {
					return fmt.Errorf("duplicate %d: %v", i, err)
				}
			}
			copies++ // c has one, too
			return errors.Join(c.Free(), equal("copies", copies, 0))
		})
	}
}
