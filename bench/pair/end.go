package pair

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
)

// An End is one of the processes that share the memory of the job.
type End struct {
	F      *fabric.Fabric
	Rank   int          // 0 for the first, which measures
	count  int          // of processes
	gone   atomic.Bool  // another process has ended
	policy wait.Policy  // between processes
	calls  *[]uint64    // control words by which the first tells the others what to do
	number uint64       // of the latest call
	fail   atomic.Value // why another ended
}

// Polls is how often a side polls without success before it calls Pause.
const Polls = 1024

// errGone ends the waits of one side when another has ended.
var errGone = errors.New("another process of the measurement has ended")

// Most is the maximum number of processes of a measurement.
const Most = 3

// The control words, counted from the end of the first rank's words; no library uses these.
const (
	callNumber = 1 + iota // written last
	callSeries
	callBytes
	callReps
	callFailed
	callReady                    // one per process: it has opened its side
	callDone  = callReady + Most // one per process: number of the call that it has completed
	callWords = callDone + Most
)

// Reserved is the number of control words at the end of each rank's words that must not be used for
// anything else while a measurement runs.
const Reserved = callWords

// NewEnd returns the end of the process of a rank, one of count processes, in the memory of a job.
func NewEnd(f *fabric.Fabric, rank, count int) *End {
	words := f.Words(0, fabric.Control)
	words = words[len(words)-callWords:]
	return &End{F: f, Rank: rank, count: count, calls: &words, policy: wait.For(count, wait.UsableCPUs(), !f.Shared())}
}

// Pause lets other processes use the processor. It returns an error if another process has ended, since
// waiting is then pointless.
func (e *End) Pause() error {
	if e.gone.Load() {
		return errGone
	}
	e.policy.GiveWay()
	return nil
}

// Alive does the same without giving way, for libraries that yield themselves.
func (e *End) Alive() error {
	if e.gone.Load() {
		return errGone
	}
	return nil
}

// Policy returns how to wait for another process.
func (e *End) Policy() wait.Policy { return e.policy }

func (e *End) word(i int) *uint64 { return &(*e.calls)[i] }

// await polls until a control word has a value.
func (e *End) await(i int, v uint64) error {
	for n := 0; atomic.LoadUint64(e.word(i)) != v; n++ {
		if n%Polls == Polls-1 {
			if err := e.Pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop is the number of the call that ends the other processes.
const stop = ^uint64(0)

// Serve runs side whenever the first process calls for it, until the first process calls Stop.
func (e *End) Serve(side Side) error {
	atomic.StoreUint64(e.word(callReady+e.Rank), 1)
	for {
		e.number++
		for n := 0; ; n++ {
			v := atomic.LoadUint64(e.word(callNumber))
			if v == stop {
				return nil
			}
			if v == e.number {
				break
			}
			if n%Polls == Polls-1 {
				if err := e.Pause(); err != nil && atomic.LoadUint64(e.word(callNumber)) != stop {
					return err
				}
			}
		}
		series, bytes, reps := *e.word(callSeries), *e.word(callBytes), *e.word(callReps)
		if err := side.Run(int(series), int(bytes), int(reps)); err != nil {
			atomic.StoreUint64(e.word(callFailed), 1)
			return err
		}
		atomic.StoreUint64(e.word(callDone+e.Rank), e.number)
	}
}

// Done reports whether a process has completed its part of the present call.
func (e *End) Done(rank int) bool { return atomic.LoadUint64(e.word(callDone+rank)) == e.number }

// all polls until a control word of every other process has a value.
func (e *End) all(i int, v uint64) error {
	for rank := 1; rank < e.count; rank++ {
		if err := e.await(i+rank, v); err != nil {
			return err
		}
	}
	return nil
}

// Call makes all sides run reps repetitions, and returns the seconds of one.
func (e *End) Call(side Side, series, bytes, reps int) (float64, error) {
	err := e.all(callReady, 1)
	e.number++
	*e.word(callSeries), *e.word(callBytes), *e.word(callReps) = uint64(series), uint64(bytes), uint64(reps)
	runtime.Gosched()
	start := now()
	if err == nil {
		atomic.StoreUint64(e.word(callNumber), e.number)
		err = side.Run(series, bytes, reps)
	}
	if err == nil {
		atomic.StoreUint64(e.word(callDone), e.number)
		err = e.all(callDone, e.number)
	}
	if err == nil {
		return max((now()-start)/float64(reps), 1e-9), nil
	}
	if why, ok := e.fail.Load().(error); ok {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return 0, err
}

// Stop makes Serve of the others return.
func (e *End) Stop() { atomic.StoreUint64(e.word(callNumber), stop) }

// End records that another process has ended, and with which error, if any.
func (e *End) End(err error) {
	if err != nil {
		e.fail.Store(err)
	}
	e.gone.Store(true)
}
