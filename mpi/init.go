package mpi

import (
	"errors"
	"os"

	"rhinet/internal/wait"
	"rhinet/llc/nics"
)

// Init joins the job that mpirun describes in the environment, or the job in which
// MPICH's mpiexec.hydra, Slurm's srun or, in programs built with the tag pmix, Open
// MPI's mpirun has started the process. Without a job it makes a world of one rank. A
// process may call it only once.
//
// MPI 4.1, section 11.2.1.
func Init() (*Comm, error) {
	job, err := joinProcess()
	if err != nil {
		return nil, err
	}
	world, err := Join(job)
	if err != nil {
		return nil, errors.Join(err, job.Transport.Close(), job.release())
	}
	return world, nil
}

// joinProcess connects this process to its job.
func joinProcess() (Job, error) {
	s, err := readEnvironment(os.Getenv, os.Getpid())
	if err != nil {
		return Job{}, err
	}
	if s.library != "" {
		return s.joinLibrary()
	}
	if s.job.NIC == nics.Timed {
		wait.ReturnSlackButSysmon()
	} else {
		wait.ReturnSlack()
	}
	leave, abort := func() error { return nil }, func(int) {}
	if s.managed != unmanaged {
		c, err := s.join(os.Getenv)
		if err != nil {
			return Job{}, initError(ErrInit, "%v", err)
		}
		leave, abort = c.Close, c.Abort
	}
	markEnvironment(os.Getpid(), stateActive)
	if err := s.job.Follow(); err != nil {
		return Job{}, initError(ErrInit, "%v", err)
	}
	stop, err := s.profile()
	if err != nil {
		return Job{}, errors.Join(err, leave())
	}
	job, err := s.open()
	if err != nil {
		return Job{}, errors.Join(err, stop(), leave())
	}
	release := job.release
	job.failed = stop
	job.release = func() error {
		markEnvironment(os.Getpid(), stateFinalized)
		return errors.Join(stop(), release(), leave())
	}
	end := job.Abort
	job.Abort = func(status int) {
		abort(status)
		end(status)
	}
	return job, nil
}
