// Package events measures how quickly the kernel of discrete events and the models on it
// run on this machine: fixed work, so that its instructions can be counted as well.
//
//	load.go    what is run: the kernel alone, and messages on each model
//	traffic.go the messages
//	row.go     what came of it
package events
