// Package lowlevel is the user library of Martini's low-level software: the
// primitives that RHiNET builds from PUSH and PULL, after the specification
// "martini", sections 8 and 9.
//
//	sendrecv.go, push.go, pull.go   SEND and RECV                   9.1
//	lock.go                         LOCK and UNLOCK                 9.2
//	barrier.go                      BARRIER                         9.3
//	pincache.go                     pin-down cache                  8.3
//	sid.go                          SID table, remote read, write   5.3, 8.6
//	layout.go                       places of the objects
//
// A program opens its NIC, then the library on it:
//
//	nic, err := martini.Open(f, rank, martini.Options{})
//	lib, err := lowlevel.Open(nic, lowlevel.Options{})
//	err = lib.Send(1, data)
//
// The library uses all of the NIC's communication memory, with the same layout at every node, so a
// program uses either the library or another message layer. Its calls block by polling; one
// goroutine at a time uses a Library. Data that another process has written is checked where it is
// read.
package lowlevel
