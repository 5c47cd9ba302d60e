// Package dimmnet2 is DIMMnet-2: a network interface controller that sits in a memory
// slot of its host. The host cannot reach the memory of the board; it stores into write
// windows, loads from prefetch windows, and issues commands by which the controller moves data
// between windows, the board's SO-DIMMs and those of other boards.
//
// What a board has, and the half of it that each of two processes has (section 2):
//
//	4  Write Windows (WW)      2  512 bytes each: the host stores, the controller reads
//	8  Prefetch Windows (PW)   4  512 bytes each: the controller writes, the host loads
//	64 KByte LLCM              32 KByte: reception status, small buffers
//	2  SO-DIMMs                1  no host access; through the controller only
//	control registers          a block of its own
//
// [NIC.Load] and [NIC.Store] are the host's side of the memory bus (host.go), [NIC.Flush] is
// CLFLUSH. A store into the request-issue register starts a command: 64 bits for a BOTF,
// whose packet lies in a window already, 128 bits for all others (command.go). What
// leaves is a packet (packet.go); what comes is checked, written and told of by the
// receiver's controller (receive.go).
//
// What is here is the fast path: a command is carried out by the thread that issues it,
// on memory of the job (package fabric), and what it may not do is an error of the store
// that issued it (refusal.go). What goes to the same place again and again is looked up
// once, as a [Way] (way.go). Package stepped shows the same one clock at a time, and a
// test holds the two to be one NIC.
//
// A [NIC] is what a process has. A [Manager] is the privileged process: it enters the
// processes with their groups. [Hardware] is the inside, for the stepped model.
//
// Choices where the specification is silent are marked "Our choice".
package dimmnet2
