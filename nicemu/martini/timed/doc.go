// Package timed is Martini with its surroundings, in virtual time: hosts with a PCI bus each, the
// stepped controller with the times of the chip, and the network (martini, section 12). All
// numbers, with their sources, are in parameters.go.
//
//	parameters.go  the table
//	system.go      nodes, their memory, and the network between them
//	link.go        from Switch Interface to Switch Interface     1, 2.1
//	post.go        a request and its stages                      3, 4, 6
//	bridge.go      programmed I/O through a bridge that merges   12.2
//	process.go     a program on a host
//	trace.go       the stages of a write, as 12.2 divides them
//
// A request is a [Transfer]; [Node.Post] starts it, and its [Watcher] is notified of each stage, as
// an event of the kernel. [System.Go] runs a program that waits for such events as if it polled
// memory.
package timed
