package pair

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
)

// An End is one of the two processes in the memory of the job.
type End struct {
	F      *fabric.Fabric
	Rank   int          // 0 or 1
	gone   atomic.Bool  // the other has ended
	policy wait.Policy  // between processes
	calls  *[]uint64    // control words by which the first tells the second what to do
	number uint64       // of the latest call
	fail   atomic.Value // why the second ended
}

// Polls is how often a side polls in vain before it calls Pause.
const Polls = 1024

// errGone ends the waits of one side when the other has ended.
var errGone = errors.New("the other process of the measurement has ended")

// The control words, from the end of the first rank's: no library uses them.
const (
	callNumber = 1 + iota // written last
	callSeries
	callBytes
	callReps
	callDone  // number of the call that the second has carried out
	callReady // the second has opened its side
	callFailed
	callWords
)

// NewEnd returns an end in the memory of a job.
func NewEnd(f *fabric.Fabric, rank int) *End {
	words := f.Words(0, fabric.Control)
	words = words[len(words)-callWords:]
	return &End{F: f, Rank: rank, calls: &words, policy: wait.For(2, wait.UsableCPUs(), !f.Shared())}
}

// Pause gives others the processor and reports whether waiting has become
// pointless.
func (e *End) Pause() error {
	if e.gone.Load() {
		return errGone
	}
	e.policy.GiveWay()
	return nil
}

// Alive is Pause for libraries that yield by themselves.
func (e *End) Alive() error {
	if e.gone.Load() {
		return errGone
	}
	return nil
}

// Policy says how to wait for the other process.
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

// stop is the number of the call that ends the second process.
const stop = ^uint64(0)

// Serve carries out on side what the first process calls for, until it stops.
func (e *End) Serve(side Side) error {
	atomic.StoreUint64(e.word(callReady), 1)
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
		atomic.StoreUint64(e.word(callDone), e.number)
	}
}

// Call has both sides run reps repetitions and returns the seconds of one.
func (e *End) Call(side Side, series, bytes, reps int) (float64, error) {
	err := e.await(callReady, 1)
	e.number++
	*e.word(callSeries), *e.word(callBytes), *e.word(callReps) = uint64(series), uint64(bytes), uint64(reps)
	runtime.Gosched()
	start := now()
	if err == nil {
		atomic.StoreUint64(e.word(callNumber), e.number)
		err = side.Run(series, bytes, reps)
	}
	if err == nil {
		err = e.await(callDone, e.number)
	}
	if err == nil {
		return max((now()-start)/float64(reps), 1e-9), nil
	}
	if why, ok := e.fail.Load().(error); ok {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return 0, err
}

// Stop ends the second's Serve.
func (e *End) Stop() { atomic.StoreUint64(e.word(callNumber), stop) }

// End notes that the other process has ended, and why if it failed.
func (e *End) End(err error) {
	if err != nil {
		e.fail.Store(err)
	}
	e.gone.Store(true)
}
