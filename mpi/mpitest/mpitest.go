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
// When a rank fails, panics, or calls [mpi.Abort], the waits of the others end with an
// error. A run that takes too long fails, and reports what each rank waits for.
package mpitest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc/nics"
	"rhinet/mpi"
)

// ErrTimeout is the class of a run that took too long.
var ErrTimeout = errors.New("timeout")

// errEnded is the error of ranks after another one has ended the job.
var errEnded = errors.New("the job has ended")

// An Option changes how ranks run.
type Option func(*settings)

type settings struct {
	timeout   time.Duration
	nic       string
	mailboxes bool
	open      func(n int) ([]mpi.Transport, func() error, error)
	buffer    int // see office
	keepGoing bool
	unguarded bool
	patience  time.Duration
	deaths    map[int]int // see Kill
}

// Timeout limits a run; 0 means no limit. The default is five minutes, for machines
// under load.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Unguarded allows pending requests to share their buffers, and conflicting accesses to
// a window in one epoch, which are errors otherwise: for benchmarks, in which all
// messages use one buffer and all accesses one location.
func Unguarded() Option { return func(s *settings) { s.unguarded = true } }

// Patience is how long a collective call waits before the ranks compare their calls:
// see [mpi.Job].
func Patience(d time.Duration) Option { return func(s *settings) { s.patience = d } }

// NIC runs the ranks on the emulated network interface of that name. The default is the
// variable RHINET_NIC, so that the tests of a program can be run on another one:
// RHINET_NIC=cenju4 go test ./...
func NIC(name string) Option {
	return func(s *settings) { s.nic, s.mailboxes = name, false }
}

// Transports runs the ranks on the transports that open returns, one for each, with a
// function that frees their memory.
func Transports(open func(n int) (ts []mpi.Transport, release func() error, err error)) Option {
	return func(s *settings) { s.open, s.mailboxes = open, false }
}

// Mailboxes runs the ranks on a slow and simple transport instead of an emulated
// network interface, to tell whether a mistake is in the interface or in the program.
func Mailboxes() Option { return func(s *settings) { s.mailboxes, s.buffer = true, -1 } }

// KeepGoing has the ranks go on when one of them dies, like mpirun --keep-going: see
// [Die].
func KeepGoing() Option { return func(s *settings) { s.keepGoing = true } }

// Kill makes a rank die in its n-th call of its transport, from 1 on. It needs KeepGoing:
// otherwise the other ranks would wait for it.
func Kill(rank, n int) Option {
	return func(s *settings) {
		if s.deaths == nil {
			s.deaths = map[int]int{}
		}
		s.deaths[rank] = n
	}
}

// Die ends the calling rank, like a signal that ends its process. Only the goroutine
// that runs the rank may call it. Without [KeepGoing] the run fails, as under mpirun.
func Die() { panic(dying{}) }

type dying struct{}

// Error is what the end of a process prints whose goroutine runs no rank and has called Die.
func (dying) Error() string { return "mpitest: only the goroutine that runs a rank may call Die" }

// errNoProgram is the error of a run of nothing.
var errNoProgram = errors.New("mpitest: the function is nil; pass the one that is to run on every rank")

// errDied is the error of a rank that dies where a death ends the job.
var errDied = errors.New("called Die, which ends the run; with mpitest.KeepGoing() the other ranks go on")

// Unbuffered is Mailboxes without any buffer: every Send waits for its receive. A
// program that relies on buffering, which the standard does not guarantee, times out.
func Unbuffered() Option { return func(s *settings) { s.mailboxes, s.buffer = true, 0 } }

// Run runs fn on n ranks and fails t if one of them fails.
func Run(t testing.TB, n int, fn func(world *mpi.Comm) error, options ...Option) {
	t.Helper()
	if err := World(n, fn, options...); err != nil {
		t.Fatal(err)
	}
}

// World runs fn on n ranks and returns when all have returned. The error joins the
// errors of ranks that did not fail because of another rank.
func World(n int, fn func(world *mpi.Comm) error, options ...Option) error {
	if fn == nil {
		return errNoProgram
	}
	return run(n, inWorld(fn), options)
}

// inWorld runs a rank whose program is fn.
func inWorld(fn func(world *mpi.Comm) error) func(mpi.Job) error {
	return func(job mpi.Job) error {
		world, err := mpi.Join(job)
		if err == nil {
			err = fn(world)
		}
		if err == nil {
			if err = mpi.Finalize(world); errors.Is(err, mpi.ErrFinalized) {
				err = nil // fn has called it
			}
		}
		return err
	}
}

// Sessions is [World] for programs without a world: fn gets a session, which is
// finalized when fn returns. Within fn, Open of that session stands for
// [mpi.SessionInit], which opens a session of the whole process.
func Sessions(n int, fn func(s *mpi.Session) error, options ...Option) error {
	if fn == nil {
		return errNoProgram
	}
	return run(n, func(job mpi.Job) error {
		s, err := mpi.JoinSession(job)
		if err == nil {
			err = fn(s)
		}
		if err == nil {
			err = s.Finalize()
		}
		return err
	}, options)
}

// run runs fn on n ranks.
func run(n int, fn func(mpi.Job) error, options []Option) error {
	s := settings{timeout: 5 * time.Minute, nic: os.Getenv(nics.Variable)}
	for _, o := range options {
		o(&s)
	}
	j, err := start(n, fn, s)
	if err != nil {
		return err
	}
	return j.wait(s.timeout)
}

// start starts fn on n ranks.
func start(n int, fn func(mpi.Job) error, s settings) (*job, error) {
	if n < 1 {
		return nil, fmt.Errorf("mpitest: %d ranks; there must be at least 1", n)
	}
	if s.deaths != nil && !s.keepGoing {
		return nil, errors.New("mpitest: Kill needs KeepGoing, or the other ranks wait for the dead one; add mpitest.KeepGoing()")
	}
	for rank, call := range s.deaths {
		if rank < 0 || rank >= n || call < 1 {
			return nil, fmt.Errorf("mpitest: Kill(%d, %d): ranks are 0 to %d, and calls are counted from 1", rank, call, n-1)
		}
	}
	j, err := newJob(n, s)
	if err != nil {
		return nil, err
	}
	for r := range n {
		go j.run(r, fn)
	}
	return j, nil
}

// A job is the ranks of one run.
type job struct {
	ranks []*watch
	end   func(error)  // ends all waits; may be called several times
	close func() error // frees what the transports use
	over  atomic.Bool  // end has been called
	done  chan result

	keepGoing  bool
	unguarded  bool
	patience   time.Duration
	markFailed func(rank int) // tells all that a rank has died
}

// A result is how a rank ended.
type result struct {
	err       error
	secondary bool // it failed because another rank had
}

func newJob(n int, s settings) (*job, error) {
	j := &job{done: make(chan result, n), close: func() error { return nil }, keepGoing: s.keepGoing, unguarded: s.unguarded, patience: s.patience}
	add := func(r int, t mpi.Transport) {
		w := &watch{Transport: t, rank: r, left: s.deaths[r]}
		w.die = func() { j.died(r) }
		j.ranks = append(j.ranks, w)
	}
	if s.mailboxes {
		o := newOffice(n, s.buffer)
		j.end = o.fail
		for r, b := range o.boxes {
			add(r, b)
		}
		j.markFailed = func(r int) { o.boxes[r].MarkFailed(r) }
		j.close = func() error { o.fail(errEnded); return nil } // ends waits of dead ranks
		return j, nil
	}
	open := s.open
	if open == nil {
		open = func(n int) ([]mpi.Transport, func() error, error) { return mpi.Local(n, s.nic) }
	}
	ts, release, err := open(n)
	if err != nil {
		return nil, err
	}
	for r, t := range ts {
		add(r, t)
	}
	j.markFailed = func(r int) { ts[r].(interface{ MarkFailed(int) }).MarkFailed(r) }
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
			e.Go(func() { t.Close() }) // fails if the rank has closed it
		}
	})
}

func (e *ending) wait() { e.WaitGroup.Wait() }

// run runs one rank.
func (j *job) run(rank int, fn func(mpi.Job) error) {
	secondary, ended := false, false
	err := errors.New("the rank's goroutine ended early (runtime.Goexit, or FailNow of a test)")
	defer func() {
		v := recover()
		switch _, dies := v.(dying); {
		case dies && j.keepGoing:
			j.ranks[rank].dead.Store(true)
			j.died(rank)
		case dies:
			v, err = nil, errDied
		}
		if j.ranks[rank].dead.Load() && !ended {
			return // died has told the job, which may be over
		}
		if v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		if err != nil {
			secondary = j.over.Swap(true) && errors.Is(err, mpi.ErrOther)
			j.end(fmt.Errorf("rank %d failed: %w", rank, errEnded))
			err = fmt.Errorf("rank %d: %w", rank, err)
		}
		j.done <- result{err, secondary}
	}()
	e := fn(mpi.Job{Rank: rank, Size: len(j.ranks), Transport: j.ranks[rank], Debug: true, Check: !j.unguarded, Patience: j.patience, KeepGoing: j.keepGoing,
		Abort: func(status int) {
			err = fmt.Errorf("called Abort with status %d", status)
			runtime.Goexit()
		}})
	err = e
	if j.keepGoing && e == nil {
		j.ranks[rank].once.Do(func() { // else it has died meanwhile, and the memory of the job may be gone
			j.markFailed(rank) // it does not answer any more
			ended = true
		})
	}
}

// died handles the death of a rank, once.
func (j *job) died(rank int) {
	j.ranks[rank].once.Do(func() {
		j.markFailed(rank)
		j.done <- result{}
	})
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

// drain gives ranks whose waits have ended some time to return, and reports whether all
// have.
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

// report describes what each rank waits for.
func (j *job) report() string {
	var lines []string
	for _, w := range j.ranks {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}
