package mpi_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 3.7.4: a loop of tests ends when the operation is complete, also if the only
// processor is needed to complete it: a loop that kept it would last until the Go runtime
// takes the processor away, for 10 ms at each step of the operation.
func TestALoopOfTestsLetsOperationsContinue(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, test := range map[string]func(r *mpi.Request) (bool, error){
		"Test":      func(r *mpi.Request) (bool, error) { _, done, err := r.Test(); return done, err },
		"Status":    func(r *mpi.Request) (bool, error) { _, done, err := r.Status(); return done, err },
		"TestAll":   func(r *mpi.Request) (bool, error) { _, done, err := mpi.TestAll(r); return done, err },
		"TestAny":   func(r *mpi.Request) (bool, error) { _, _, done, err := mpi.TestAny(r); return done, err },
		"TestSome":  func(r *mpi.Request) (bool, error) { i, _, err := mpi.TestSome(r); return len(i) > 0, err },
		"StatusAll": func(r *mpi.Request) (bool, error) { _, done, err := mpi.StatusAll(r); return done, err },
	} {
		t.Run(name, func(t *testing.T) {
			mpitest.Run(t, 1, func(w *mpi.Comm) error {
				r, complete, err := mpi.NewRequest(w)
				if err != nil {
					return err
				}
				go complete(mpi.Status{}, nil)
				const most = 1000
				for range most {
					if done, err := test(r); done || err != nil {
						return errors.Join(err, mpi.WaitAll(r))
					}
				}
				return errors.Join(mpi.WaitAll(r), fmt.Errorf("not complete after %d tests", most))
			})
		})
	}
}
