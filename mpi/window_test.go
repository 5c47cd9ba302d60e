package mpi_test

import (
	"testing"

	"rhinet/mpi"
)

// WaitAll completes each request once, also one that is passed twice or by a copy, and
// reports failures together with successes, in one call.
func TestWaitAllOfAWindow(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		const n = 20
		other := 1 - w.Rank()
		for range 30 {
			in := make([][]int64, n)
			var reqs []*mpi.Request
			for i := range n {
				in[i] = make([]int64, 1)
				reqs = append(reqs, mpi.Irecv(w, in[i], other, i))
			}
			short := make([]int64, 1)
			bad := mpi.Irecv(w, short, other, n)
			for i := range n {
				reqs = append(reqs, mpi.Isend(w, []int64{int64(i)}, other, i))
			}
			reqs = append(reqs, bad, mpi.Isend(w, []int64{7, 8}, other, n), nil, mpi.Isend(w, []int64{1}, mpi.ProcNull, 0))
			copied := *reqs[3]
			reqs = append(reqs, &copied, reqs[4], reqs[n+2])
			if err := is(mpi.WaitAll(reqs...), mpi.ErrTruncate, ""); err != nil {
				return err
			}
			for i := range n {
				if err := equal("element", in[i][0], int64(i)); err != nil {
					return err
				}
			}
			if err := mpi.WaitAll(reqs...); err != nil { // all are inactive
				return err
			}
		}
		return nil
	})
}
