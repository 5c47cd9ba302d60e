// Package dimmnet2 is DIMMnet-2: a network interface controller in a memory slot of its host. The
// host cannot access the SO-DIMMs of the board; it stores into write windows, loads from prefetch
// windows, and issues commands by which the controller moves data between windows, the board's
// SO-DIMMs and those of other boards.
//
// The parts of a board, and the half of them that each of two processes has (section 2):
//
//	4  Write Windows (WW)      2  512 bytes each: the host stores, the controller reads
//	8  Prefetch Windows (PW)   4  512 bytes each: the controller writes, the host loads
//	64 KByte LLCM              32 KByte: reception status, small buffers
//	2  SO-DIMMs                1  no host access; through the controller only
//	control registers          a block of its own
//
// [NIC.Load] and [NIC.Store] are the host's side of the memory bus (host.go), [NIC.Flush] is
// CLFLUSH. A store into the request-issue register starts a command: 64 bits for a BOTF, whose
// packet is already in a window, 128 bits for all others (command.go). Commands send packets
// (packet.go); the receiver's controller checks them, writes their data and reports it
// (receive.go).
//
// This package is the fast path: the thread that issues a command carries it out, on memory of the
// job (package fabric), and a refusal is the error of the store that issued the command
// (refusal.go). A target that a process uses repeatedly is looked up once, as a [Way] (way.go).
// Package stepped shows the same commands one clock at a time, and a test checks that both behave
// as the same NIC.
//
// A [NIC] is the handle of a process. A [Manager] is the privileged process: it enters the
// processes with their groups. [Hardware] is the inside, for the stepped model.
//
// Choices where the specification is silent are marked "Our choice".
package dimmnet2
