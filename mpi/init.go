package mpi

import (
	"os"
)

// Init joins the job that mpirun describes in the environment, or makes a
// world of one rank if there is none. A process does it once.
//
// MPI 4.1, section 11.2.1.
func Init() (*Comm, error) {
	s, err := readEnvironment(os.Getenv, os.Getpid())
	if err != nil {
		return nil, err
	}
	markEnvironment(os.Getpid(), stateActive)
	job, err := s.open()
	if err != nil {
		return nil, err
	}
	job.finalized = func() { markEnvironment(os.Getpid(), stateFinalized) }
	return Join(job)
}
