// Package tofu is a network interface controller in the manner of Tofu: no
// connections, and no send and receive. What such a NIC can do is taken from what a
// communication library on one needs of it (llc, sections 4 and 5). Memory is registered under a tag, some
// tags are the same at all nodes and known when a program is written, and whoever knows
// node, tag and offset may put and get, within what the owner's tables allow.
//
// What a node has:
//
//	4 injection ports   each takes one order after the other      port.go
//	10 network ports    the first hop of a route leaves by one     torus.go
//	a table of tags     what is registered, and what for           tags.go
//	a queue of notices  puts that ask for it are told to the host  notice.go
//
// What an order can be (order.go):
//
//	Put      copies local memory to a tag of a node
//	Get      copies from there
//	Direct   puts at most 64 bytes that lie in the order itself
//	Swap     compares and swaps one aligned word
//
// Put and Direct may ask for a notice. The specification names compare-and-swap as
// the one atomic operation that bootstrap memory needs (section 4.1), so there is no
// other.
//
// What is here is the fast path: each order is carried out by the thread that
// posts it, on tables that lie in the memory of the job (package fabric). How it
// is carried out is in serve.go, and each reason to refuse it in refusal.go. A
// refused order moves nothing. What a process wants to use again and again is
// looked up once, as a [Way] (way.go).
//
// Package stepped shows the same orders one state at a time, and a test holds the two
// to be one NIC.
//
// Three handles lead to a NIC. A [NIC] is what a process has: its ports, its own tags, its
// own notices. A [Manager] starts the NICs of a job before any process runs. [Hardware] is
// the inside, for the stepped model, and only a Manager gives it out.
//
// Choices where the specification is silent are marked "Our choice".
package tofu
