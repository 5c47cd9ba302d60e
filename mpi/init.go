package mpi

import (
	"errors"
	"os"
	"sync"

	"rhinet/internal/process"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
)

// Init joins the job that mpirun describes in the environment, or the job in which
// MPICH's mpiexec.hydra, Slurm's srun or, in programs built with the tag pmix, Open
// MPI's mpirun has started the process. Without a job it makes a world of one rank. A
// process may call it only once, also beside sessions.
//
// MPI 4.1, section 11.2.1.
func Init() (c *Comm, err error) {
	err = process.Use(func(kept any) (any, error) {
		if err := mayInit(processState()); err != nil {
			return kept, err
		}
		w, err := enter(kept, "Init")
		if err != nil {
			return kept, err
		}
		if c, err = w.makeWorld(); err != nil {
			err = errors.Join(err, w.leave())
		}
		return w, err
	})
	return c, err
}

// enter counts one more user of the world state of this process, which joins its job if it
// is not in it. kept is that state, if there was one before.
func enter(kept any, call string) (*world, error) {
	if w, ok := kept.(*world); ok && w.enter() {
		return w, nil
	}
	job, err := joinProcess()
	if err != nil {
		return nil, named(call, err)
	}
	w, err := join(job, at(call))
	if err != nil {
		return nil, errors.Join(err, job.Transport.Close(), job.release())
	}
	return w, nil
}

// mayInit returns why a process in a state of envInit cannot call Init, or nil.
func mayInit(state string) error {
	switch state {
	case stateActive:
		return initError(ErrInit, "the process has called Init before; pass on its communicator")
	case stateFinalized:
		return initError(ErrFinalized, "the process has called Finalize; Init can be called only once")
	}
	return nil
}

// joinProcess connects this process to its job.
func joinProcess() (Job, error) {
	pid := os.Getpid()
	s, err := readEnvironment(os.Getenv, pid)
	if err != nil {
		return Job{}, err
	}
	job, err := s.connect()
	if err != nil {
		return job, err
	}
	inWorld := job.inWorld
	job.inWorld = func(in bool) {
		if in {
			markEnvironment(pid, stateActive)
		} else {
			markEnvironment(pid, stateFinalized)
		}
		if inWorld != nil {
			inWorld(in)
		}
	}
	return job, nil
}

// connect connects this process to its job.
func (s setup) connect() (Job, error) {
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
	markEnvironment(os.Getpid(), stateSessions)
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
	release, park := job.release, job.park
	stop, leave = sync.OnceValue(stop), sync.OnceValue(leave)
	job.failed = stop
	job.release = func() error { return errors.Join(stop(), release(), leave()) }
	job.park = func(over bool) error { return errors.Join(park(over), stop(), leave()) }
	end := job.Abort
	job.Abort = func(status int) {
		abort(status)
		end(status)
	}
	return job, nil
}
