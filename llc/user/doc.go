// Package user is what the low-level communication library offers to runtimes other than MPI (llc,
// section 3): languages with a global address space, file systems, work servers. A program that uses it is
// started by mpirun like any other, and needs no part of MPI.
//
//	Send, Recv           Send-Receive (3.1): tags match, data go to the receiver's address
//	Unsolicited, Handle  Unsolicited-Send (3.2): data go to a buffer of the library, and are an event
//	Poll, Next           the event queue (3.3): what has arrived, what may be reused
//	Allocate, Area       memory that all peers load from and store to, with atomic operations
//	Expose, Read, Write  remote memory access to memory of the program (4.1, 4.4)
//
// Protocols, connections and buffers are those of the engine. This package knows no network interface.
//
// The programs in rhinet/llc/user/hashtable and rhinet/llc/user/blockstore use it.
package user
