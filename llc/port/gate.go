package port

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A gate is the port's lock. It is made for the uncontended case: entering is one compare-and-swap, leaving
// one store. A goroutine that finds it shut tries again, yielding the processor between tries; that is rare
// and short, because the goroutine that polls inside looks at wanted and lets others in.
//
// The zero gate is open.
type gate struct {
	shut   uint32
	wanted atomic.Int32 // goroutines that try
}

// try enters if no goroutine is inside and reports whether it did.
func (g *gate) try() bool { return atomic.CompareAndSwapUint32(&g.shut, 0, 1) }

// enter returns when the gate is the caller's.
func (g *gate) enter() {
	if !g.try() {
		g.wait()
	}
}

// wait tells the polling goroutine that another one wants to enter, and returns when it has entered.
func (g *gate) wait() {
	g.wanted.Add(1)
	for tries := 0; !g.try(); tries++ {
		if tries < gateYields {
			runtime.Gosched()
		} else {
			time.Sleep(gateNap) // the goroutine inside has lost the processor
		}
	}
	g.wanted.Add(-1)
}

// leave opens the gate.
func (g *gate) leave() { release(&g.shut) }

// Lock and Unlock are enter and leave, for other writers of what the port writes.
func (g *gate) Lock()   { g.enter() }
func (g *gate) Unlock() { g.leave() }
