package vtime_test

import (
	"fmt"
	"os"

	"rhinet/nicemu/vtime"
)

// The machine of the example: one table of states for any timing.
const (
	idle = iota
	look
	send
)

// Kinds of work.
const (
	rest vtime.Kind = iota
	lookup
	transfer
)

var states = []vtime.State{idle: {Name: "IDLE", Work: rest}, look: {Name: "LOOK", Work: lookup}, send: {Name: "SEND", Work: transfer}}

// A sender looks something up, uses the bus, and sends.
type sender struct {
	*vtime.Module
	bus *vtime.Resource
}

// Operations of a sender.
const (
	found = iota
	granted
	sent
)

func (s *sender) Act(op int, flits uint64) {
	switch op {
	case found:
		s.bus.Acquire(vtime.Request{Actor: s, Op: granted, Arg: flits})
	case granted:
		s.Work(send, int(flits), s, sent, flits)
	case sent:
		s.bus.Release()
		s.Enter(idle)
	}
}

// One machine runs with one clock for every state, and with the durations of a chip: the states are
// the same.
func Example() {
	clock, err := vtime.NewClock(66e6, 1) // 66e6 cycles in one second
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, timing := range []vtime.Timing{vtime.EveryStep{}, vtime.Costs{lookup: {Fixed: 3}, transfer: {Fixed: 2, PerUnit: 1}}} {
		var k vtime.Kernel
		bus := vtime.NewBus(&k, "bus", 1, vtime.FirstCome, 0)
		s := &sender{vtime.NewModule(&k, "sender", states, clock, timing), bus}
		trace := vtime.NewTextTracer(os.Stdout)
		k.Observe(trace)
		s.Work(look, 1, s, found, 8)
		if err := k.Run(100); err != nil {
			fmt.Println(err)
		}
		if err := trace.Close(); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%.0f %% of the time on the bus\n", bus.Utilisation()*100)
	}
	// Output:
	// 0.000 ns sender IDLE -> LOOK
	// 15.151 ns bus = 1
	// 15.151 ns sender LOOK -> SEND
	// 30.303 ns bus = 0
	// 30.303 ns sender SEND -> IDLE
	// 50 % of the time on the bus
	// 0.000 ns sender IDLE -> LOOK
	// 45.454 ns bus = 1
	// 45.454 ns sender LOOK -> SEND
	// 196.969 ns bus = 0
	// 196.969 ns sender SEND -> IDLE
	// 77 % of the time on the bus
}
