// Package tofu is a network interface controller in the manner of Tofu: it has no connections, and
// no send and receive. Its abilities are those that a communication library needs of such a NIC
// (llc, sections 4 and 5). Memory is registered under a tag; some tags are the same at all nodes
// and known when a program is written. A process that knows node, tag and offset may put and get,
// as far as the owner's tables allow.
//
// What a node has:
//
//	4 injection ports   each takes one order at a time            port.go
//	10 network ports    the first hop of a route leaves by one     torus.go
//	a table of tags     registered memory and its rights           tags.go
//	a queue of notices  reports puts that ask for it to the host   notice.go
//
// The orders (order.go):
//
//	Put      copies local memory to a tag of a node
//	Get      copies from there
//	Direct   puts at most 64 bytes that are in the order itself
//	Swap     compares and swaps one aligned word
//
// Put and Direct may ask for a notice. The specification names compare-and-swap as
// the one atomic operation that bootstrap memory needs (section 4.1), so there is no
// other.
//
// This package is the fast path: the thread that posts an order carries it out, on tables in the
// memory of the job (package fabric). serve.go carries out orders, and refusal.go has all reasons
// to refuse one. A refused order moves nothing. A target that a process uses repeatedly is looked
// up once, as a [Way] (way.go).
//
// Package stepped shows the same orders one state at a time, and a test checks that both behave as
// the same NIC.
//
// There are three handles to a NIC. A [NIC] is that of a process: its ports, its own tags, its own
// notices. A [Manager] starts the NICs of a job before any process runs. [Hardware] is the inside,
// for the stepped model, and only a Manager returns it.
//
// Choices where the specification is silent are marked "Our choice".
package tofu
