package mpi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"rhinet/internal/wait"
)

// Init joins the job that mpirun describes in the environment, or makes a
// world of one rank if there is none. A process does it once.
//
// MPI 4.1, section 11.2.1.
func Init() (*Comm, error) {
	wait.ReturnSlack()
	s, err := readEnvironment(os.Getenv, os.Getpid())
	if err != nil {
		return nil, err
	}
	markEnvironment(os.Getpid(), stateActive)
	if s.job.Life >= 0 {
		if err := watchLife(s.job.Life, func() { die(s.job.Rank) }); err != nil {
			return nil, err
		}
	}
	job, err := s.open()
	if err != nil {
		return nil, err
	}
	release := job.release
	job.release = func() error {
		markEnvironment(os.Getpid(), stateFinalized)
		return release()
	}
	world, err := Join(job)
	if err != nil {
		return nil, errors.Join(err, job.Transport.Close(), release())
	}
	return world, nil
}

// keepOpen is the way out for a program between mpirun and this one that closes
// what it does not know, as some languages do by default.
const keepOpen = "whatever starts this program within a job must pass on the descriptors that mpirun opened (in Python: close_fds=False)"

// watchLife calls gone when the other end of the pipe fd closes, which happens
// when mpirun ends in whatever way. A goroutine waits for it in the runtime's
// poller and costs no thread.
func watchLife(fd int, gone func()) error {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		return initError(ErrInit, "%s: life=%d is not an open descriptor: %v; %s", envJob, fd, err, keepOpen)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return initError(ErrInit, "%s: life=%d is not the pipe of mpirun; %s", envJob, fd, keepOpen)
	}
	syscall.CloseOnExec(fd)
	pipe := os.NewFile(uintptr(fd), "life of mpirun")
	go func() {
		_, err := io.Copy(io.Discard, pipe)
		if err == nil { // EOF
			gone()
		}
	}()
	return nil
}

// die ends a rank whose mpirun is no more.
func die(rank int) {
	fmt.Fprintf(os.Stderr, "rank %d: mpirun is gone\n", rank)
	os.Exit(1)
}
