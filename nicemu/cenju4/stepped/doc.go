// Package stepped is the network interface of Cenju-4 one state at a time: it does the work of
// package cenju4 in modules that each do one thing in a step (cenju4, section 5.2).
//
//	RHM       reads headers from the header queues, checks them, looks the destination up,
//	          and stores them in one of 4 header registers
//	SPM       sends packet after packet of the parcels in the registers
//	Receiver  takes packets, translates, writes, answers, reports
//	network   stages of switches with a FIFO memory for each input and output
//
// It is made to be read and watched ([Show]), and works on the tables, memory and queues of the
// fast path. A test gives both the same parcels and checks that they behave as the same NIC.
//
// The states and their transitions are a table (states.go). A [Machine] is deterministic: in each
// step every Receiver acts, then the network from its last stage to its first, then every SPM, then
// every RHM, so that nothing passes two modules in one step.
package stepped
