// Package vtime is the kernel of discrete events of all timed models: virtual
// time, clock domains, modules with states, resources that modules compete
// for, and bounded queues between them.
//
//	time.go     virtual time
//	clock.go    clock domains
//	kernel.go   events and their order
//	queue.go    the queue of pending events
//	module.go   modules, states, kinds of work and what they cost
//	resource.go buses, links, memory ports, processors: arbitration
//	fifo.go     bounded queues that wake waiting actors
//	ring.go     unbounded queues that reuse their memory
//	meter.go    time integrals: utilisation, mean depth
//	trace.go    tracers, which observe a run
//
// Time is an integer number of picoseconds, so there are no rounding errors that depend on the
// machine. The period of most clocks is not an integer number of picoseconds (66 MHz:
// 15,151.51...), so an edge is never computed from the edge before it: a [Clock] keeps its
// frequency as a fraction and computes edge n from n. The error of every edge is less than a
// picosecond for any n; nothing drifts.
//
// A process is a state machine, not a goroutine: an [Actor] whose Act is called at the time for
// which an event was scheduled. Events at the same time happen in the order of the ranks of their
// sources, which is the order in which the sources were made, and events of one source in the order
// in which it scheduled them. So a run depends only on the model and its seed.
//
// A kernel belongs to one goroutine at a time. In steady state nothing here
// allocates.
package vtime
