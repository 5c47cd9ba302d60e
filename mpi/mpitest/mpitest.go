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
	"sync"
	"sync/atomic"
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
	timeout   time.Duration
	nic       string
	mailboxes bool
	buffer    int // see office
}

// Timeout limits a run; 0 means no limit. The default is one minute.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// NIC runs the ranks on the emulated network interface of that name.
func NIC(name string) Option {
	return func(s *settings) { s.nic, s.mailboxes = name, false }
}

// Mailboxes runs the ranks on a slow and obvious transport instead of an
// emulated network interface, to tell a mistake of the one from a mistake of
// the program.
func Mailboxes() Option { return func(s *settings) { s.mailboxes, s.buffer = true, -1 } }

// Unbuffered is Mailboxes without any buffer: every Send waits for its
// receive. A program that relies on buffering, which the standard does not
// promise, times out.
func Unbuffered() Option { return func(s *settings) { s.mailboxes, s.buffer = true, 0 } }

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
	s := settings{timeout: time.Minute}
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
	end   func(error)  // ends all waits; may be called often
	close func() error // gives back what the transports use
	over  atomic.Bool  // end has been called
	done  chan result
}

// A result is how a rank ended.
type result struct {
	err       error
	secondary bool // it failed because another one had
}

func newJob(n int, s settings) (*job, error) {
	j := &job{done: make(chan result, n), close: func() error { return nil }}
	if s.mailboxes {
		o := newOffice(n, s.buffer)
		j.end = o.fail
		for r, b := range o.boxes {
			j.ranks = append(j.ranks, &watch{Transport: b, rank: r})
		}
		return j, nil
	}
	ts, release, err := mpi.Local(n, s.nic)
	if err != nil {
		return nil, err
	}
	for r, t := range ts {
		j.ranks = append(j.ranks, &watch{Transport: t, rank: r})
	}
	e := &ending{ts: ts}
	j.end = e.begin
	j.close = func() error {
		e.begin(nil)
		e.wait()
		return release()
	}
	return j, nil
}

// An ending closes all transports of a job, which ends their waits.
type ending struct {
	ts   []mpi.Transport
	once sync.Once
	sync.WaitGroup
}

// begin starts to close the transports that are open.
func (e *ending) begin(error) {
	e.once.Do(func() {
		for _, t := range e.ts {
			e.Go(func() { t.Close() }) // the error of one that its rank has closed
		}
	})
}

func (e *ending) wait() { e.WaitGroup.Wait() }

// run is one rank.
func (j *job) run(rank int, fn func(*mpi.Comm) error) {
	secondary := false
	err := errors.New("the rank's goroutine ended early (runtime.Goexit, or FailNow of a test)")
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			secondary = j.over.Swap(true) && errors.Is(err, mpi.ErrOther)
			j.end(fmt.Errorf("rank %d failed: %w", rank, errEnded))
			err = fmt.Errorf("rank %d: %w", rank, err)
		}
		j.done <- result{err, secondary}
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
			if r.err != nil && !r.secondary {
				failed = append(failed, r.err)
			}
		case <-expired:
			err := fmt.Errorf("mpitest: %w after %v, %d of %d ranks are running:\n%s", ErrTimeout, timeout, running, len(j.ranks), j.report())
			j.over.Store(true)
			j.end(errEnded)
			if j.drain(running) {
				err = errors.Join(err, j.close())
			}
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(append(failed, j.close())...)
}

// drain gives ranks whose waits have ended a moment to return, and reports
// whether all have.
func (j *job) drain(running int) bool {
	patience := time.After(3 * time.Second) // transports may take a second to close
	for range running {
		select {
		case <-j.done:
		case <-patience:
			return false
		}
	}
	return true
}

// report says what each rank does.
func (j *job) report() string {
	var lines []string
	for _, w := range j.ranks {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}
