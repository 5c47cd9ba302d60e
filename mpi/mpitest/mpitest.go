// Package mpitest runs the ranks of an MPI program as goroutines of one
// process, so that go test, the race detector and a debugger see all of them.
//
//	func TestSum(t *testing.T) {
//		mpitest.Run(t, 4, func(world *mpi.Comm) error {
//			sum := []int{0}
//			if err := mpi.Allreduce(world, []int{world.Rank()}, sum, mpi.Sum); err != nil {
//				return err
//			}
//			if sum[0] != 6 {
//				return fmt.Errorf("sum is %d, want 6", sum[0])
//			}
//			return nil
//		})
//	}
//
// When a rank fails, panics, or calls [mpi.Abort], the waits of the others
// end with an error. When the run takes too long, it fails and says what each
// rank waits for.
package mpitest

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
)

// ErrTimeout is the class of a run that took too long.
var ErrTimeout = errors.New("timeout")

// errEnded is what ranks see when another one has ended the job.
var errEnded = errors.New("the job has ended")

// An Option changes how ranks run.
type Option func(*settings)

type settings struct {
	timeout time.Duration
	buffer  int
}

// Timeout limits a run; 0 means no limit. The default is one minute.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Mailboxes runs the ranks on a slow and obvious transport instead of an
// emulated network interface, to tell a mistake of the one from a mistake of
// the program.
func Mailboxes() Option { return func(s *settings) { s.buffer = -1 } }

// Unbuffered is Mailboxes without any buffer: every Send waits for its
// receive. A program that relies on buffering, which the standard does not
// promise, times out.
func Unbuffered() Option { return func(s *settings) { s.buffer = 0 } }

// Run runs fn on n ranks and fails t if one of them fails.
func Run(t testing.TB, n int, fn func(world *mpi.Comm) error, options ...Option) {
	t.Helper()
	if err := World(n, fn, options...); err != nil {
		t.Fatal(err)
	}
}

// World runs fn on n ranks and returns when all have returned. The error
// joins those of the ranks that failed by themselves.
func World(n int, fn func(world *mpi.Comm) error, options ...Option) error {
	s := settings{timeout: time.Minute, buffer: -1}
	for _, o := range options {
		o(&s)
	}
	if n < 1 {
		return fmt.Errorf("mpitest: %d ranks; there must be at least 1", n)
	}
	j, err := newJob(n, s)
	if err != nil {
		return err
	}
	for r := range n {
		go j.run(r, fn)
	}
	return j.wait(s.timeout)
}

// A job is the ranks of one run.
type job struct {
	ranks []*watch
	end   func(error) // ends all waits
	done  chan result
}

// A result is how a rank ended.
type result struct {
	rank int
	err  error
}

func newJob(n int, s settings) (*job, error) {
	j := &job{done: make(chan result, n)}
	o := newOffice(n, s.buffer)
	j.end = o.fail
	for r, b := range o.boxes {
		j.ranks = append(j.ranks, &watch{Transport: b, rank: r})
	}
	return j, nil
}

// run is one rank.
func (j *job) run(rank int, fn func(*mpi.Comm) error) {
	err := errors.New("the rank's goroutine ended early (runtime.Goexit, or FailNow of a test)")
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			j.end(fmt.Errorf("rank %d failed: %w", rank, errEnded))
			err = fmt.Errorf("rank %d: %w", rank, err)
		}
		j.done <- result{rank, err}
	}()
	world, e := mpi.Join(mpi.Job{Rank: rank, Size: len(j.ranks), Transport: j.ranks[rank], Debug: true,
		Abort: func(status int) {
			err = fmt.Errorf("called Abort with status %d", status)
			runtime.Goexit()
		}})
	if e == nil {
		e = fn(world)
	}
	if e == nil {
		e = mpi.Finalize(world)
	}
	err = e
}

// wait collects the results of all ranks.
func (j *job) wait(timeout time.Duration) error {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	var failed []error
	running := len(j.ranks)
	for running > 0 {
		select {
		case r := <-j.done:
			running--
			if r.err != nil && !errors.Is(r.err, errEnded) {
				failed = append(failed, r.err)
			}
		case <-expired:
			err := fmt.Errorf("mpitest: %w after %v, %d of %d ranks are running:\n%s", ErrTimeout, timeout, running, len(j.ranks), j.report())
			j.end(fmt.Errorf("%w: %w", ErrTimeout, errEnded))
			j.drain(running)
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// drain gives ranks whose waits have ended a moment to return.
func (j *job) drain(running int) {
	patience := time.After(time.Second)
	for range running {
		select {
		case <-j.done:
		case <-patience:
			return
		}
	}
}

// report says what each rank does.
func (j *job) report() string {
	var lines []string
	for _, w := range j.ranks {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}
