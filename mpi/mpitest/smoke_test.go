package mpitest

import (
	"fmt"
	"testing"

	"rhinet/mpi"
)

func TestSmoke(t *testing.T) {
	for n := 1; n <= 5; n++ {
		Run(t, n, func(w *mpi.Comm) error {
			sum := []int{0}
			if err := mpi.Allreduce(w, []int{w.Rank()}, sum, mpi.Sum); err != nil {
				return err
			}
			if sum[0] != n*(n-1)/2 {
				return fmt.Errorf("sum %d", sum[0])
			}
			right, left := (w.Rank()+1)%n, (w.Rank()+n-1)%n
			in := []float64{0}
			st, err := mpi.Sendrecv(w, []float64{float64(w.Rank())}, right, 3, in, left, 3)
			if err != nil || in[0] != float64(left) || st.Count != 1 {
				return fmt.Errorf("%v %v %v", st, in, err)
			}
			row, err := w.Split(w.Rank()%2, 0)
			if err != nil {
				return err
			}
			if err := mpi.Barrier(row); err != nil {
				return err
			}
			return row.Free()
		})
	}
}
