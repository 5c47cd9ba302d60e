// Package llc is the protocol engine: network-independent state machines that
// take user commands and IR events and give IR commands and completions.
//
// The engine is pure. It reads no clock, starts no goroutine, calls no system
// and has no package state; whoever drives it (rhinet/llc/port at full speed,
// rhinet/llc/sim in simulation) feeds it with Step and carries out what Take
// returns.
package llc
