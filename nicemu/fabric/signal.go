package fabric

import (
	"sync/atomic"
	"time"
)

// A Signal is a word of the job's memory; a process can sleep until it changes. Unlike a [Doorbell]
// it has a value, and processes that are not ranks can use it too.
type Signal struct{ word *uint32 }

// SignalAt views the first half of a word of the job's memory as a signal.
func SignalAt(w *uint64) Signal { return Signal{half(w)} }

// Load returns the value.
func (s Signal) Load() uint32 { return atomic.LoadUint32(s.word) }

// Set changes the value and wakes one sleeper. Everything stored before is visible to a process
// that loads the new value.
func (s Signal) Set(v uint32) {
	atomic.StoreUint32(s.word, v)
	futexWake(s.word)
}

// Store is Set without waking.
func (s Signal) Store(v uint32) { atomic.StoreUint32(s.word, v) }

// Add increments the value, without waking, and returns it.
func (s Signal) Add() uint32 { return atomic.AddUint32(s.word, 1) }

// Wake wakes one sleeper.
func (s Signal) Wake() { futexWake(s.word) }

// Wait sleeps while the value is old, at most for d. It may return early.
func (s Signal) Wait(old uint32, d time.Duration) {
	if !futexes {
		d = min(d, napLimit)
	}
	if d > 0 && s.Load() == old {
		futexWait(s.word, old, d)
	}
}
