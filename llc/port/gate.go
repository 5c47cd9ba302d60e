package port

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A gate is the port's lock. It is made for the case that nobody else wants
// in: entering is one compare-and-swap, leaving one store. Whoever finds it
// shut tries again, giving the processor away between tries; that is rare and
// short, because who polls inside looks at wanted and lets others in.
//
// The zero gate is open.
type gate struct {
	shut   uint32
	wanted atomic.Int32 // goroutines that try
}

// try enters if nobody is inside and reports whether it did.
func (g *gate) try() bool { return atomic.CompareAndSwapUint32(&g.shut, 0, 1) }

// enter returns when the gate is the caller's.
func (g *gate) enter() {
	if !g.try() {
		g.wait()
	}
}

// wait lets a goroutine that polls know that another wants to enter.
func (g *gate) wait() {
	g.wanted.Add(1)
	for tries := 0; !g.try(); tries++ {
		if tries < gateYields {
			runtime.Gosched()
		} else {
			time.Sleep(gateNap) // whoever is inside has lost the processor
		}
	}
	g.wanted.Add(-1)
}

// leave opens the gate.
func (g *gate) leave() { release(&g.shut) }

// Lock and Unlock are enter and leave, for others who write what the port does.
func (g *gate) Lock()   { g.enter() }
func (g *gate) Unlock() { g.leave() }
