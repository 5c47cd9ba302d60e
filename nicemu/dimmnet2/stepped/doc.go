// Package stepped is DIMMnet-2 one clock of its controller (10 ns) at a time: it does the work of
// package dimmnet2 in modules that are in each state for as many clocks as sections 7.2 and 8.2
// give.
//
//	Window Controller   takes requests, makes packets, passes them to the switch interface
//	Prefetch Unit       local SO-DIMM to Prefetch Window
//	Write Unit          Write Window to local SO-DIMM
//	Receive Controller  parses packets, writes data, has the status written
//	Status Write Unit   writes the status while the next packet is being received
//
// The rows of the specification's tables are states (states.go); their transitions and durations
// are tables as well. A packet whose last line has passed is at its receiver in the next clock: the
// times of switch interfaces, switch and host are left to a timed model.
//
// It is made to be read and watched ([Show]), and works on the windows, memory and counters of the
// fast path. A test gives both the same commands and checks that they behave as the same NIC. A
// [Machine] is deterministic: in each clock every receiver acts, then every sender.
package stepped
