package mpi_test

import (
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// TestAppNumWithoutALauncher: the attribute is not set where nobody has told (MPI 4.1, section 11.10.3).
func TestAppNumWithoutALauncher(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		for _, c := range []*mpi.Comm{w, nil, {}} {
			if n, ok := mpi.AppNum(c); ok || n != 0 {
				t.Errorf("%d %v", n, ok)
			}
		}
		return nil
	})
}
