package main

import (
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	for n := 1; n <= 9; n++ {
		err := mpitest.Sessions(n, func(s *mpi.Session) error {
			norm, err := run(s, s.Open)
			if want := []int{0, 1, 5, 14, 30, 55, 91, 140, 204}[n-1]; norm != want && err == nil {
				err = fmt.Errorf("the norm is %d, want %d", norm, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
