// Package stepped is the Tofu NIC one state at a time: it does the work of package tofu in modules
// that each do one thing in a step.
//
//	injection port  fetches an order, checks it, splits it into packets
//	router          passes a packet of each network port on to the next node
//	receiver        looks a packet's tag up, writes or reads, writes a notice, answers
//
// It is made to be read and watched ([Show]), and works on the tables, memory and queues of the
// fast path. A test gives both the same orders and checks that they behave as the same NIC.
//
// The states and their transitions are a table (states.go). A [Machine] is deterministic: in each
// step every receiver acts, then every router, then every port, so that nothing passes two modules
// in one step.
package stepped
