// Package timed is the network interface of Cenju-4 and its multistage network in virtual time
// (package vtime): it computes the time of a parcel from the header queue of its sender until its
// data is in the memory of its receivers (cenju4, sections 2, 5, 6 and 12). It moves no data.
//
//	parameters.go  every number, with its unit and its source
//	network.go     stages of switches with a FIFO memory for each input and output
//	sync.go        synchronization packets, which meet in the switches
//	sender.go      header queue, RHM, 4 header registers, SPM
//	receiver.go    Receiver and memory
//
// Packets are cut, and read requests counted, by the rules of package cenju4. A packet leaves a
// switch as soon as its head has arrived, if the next FIFO memories have room for all of it
// (virtual cut-through), so a few events for each switch are enough. A [Machine] is deterministic.
package timed
