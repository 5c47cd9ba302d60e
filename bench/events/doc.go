// Package events measures how fast the kernel of discrete events and the models based on it run on this
// machine: with a fixed amount of work, so that its instructions can be counted as well.
//
//	load.go    what is run: the kernel alone, and messages on each model
//	traffic.go the messages
//	row.go     results
package events
