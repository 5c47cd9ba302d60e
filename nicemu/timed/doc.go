// Package timed lets the processes of a job live in virtual time. The network is a
// model (package medium) in one process, the service; each rank has a virtual clock of its
// own, and a mailbox in the job's memory.
//
//	config.go   what ranks are told when they open their node
//	mailbox.go  the memory that a rank and the service have in turn
//	node.go     a rank: its clock, what it sends and finds
//	turn.go     a rank that gives the turn away, and gets it back
//	service.go  the order in which ranks run: conservative, deterministic
//	traffic.go  what ranks have posted, in the model, and on its way back
//	report.go   where the time went
//
// A rank runs for real, with its clock standing still between what costs time: it puts
// what it sends into its mailbox, stamped with its clock. When it must know what
// has come up to now, or waits, it gives the turn to the service. Once all ranks have
// done so, the service has happen what comes first: an event of the model, or the
// ranks that are ready to go on. No rank runs at a time at which another one could
// still send it something that comes earlier:
//
//	next event of the model at K, first rank ready at R, lookahead l of the model
//	K <= R: the event happens, and a rank that waits for it becomes ready
//	K > R:  all ranks that are ready before min(K, R+l) run
//
// What ranks then send arrives at R+l or later. So what a rank finds depends on
// virtual time alone, and at equal times on the numbers of ranks. How many processors there are,
// and how quick they are, changes nothing.
//
// The goroutines of a rank share its clock. While one of them waits, another
// that calls brings the rank back at once, at the time that the others have
// reached. That works, but when it calls is no matter of virtual time.
package timed
