// Package wait is the one place that waits: it spins a short while, then
// yields the processor, then tells its caller to sleep on a doorbell.
//
// The caller keeps its poll loop, so that what it polls is inlined there:
//
//	b := policy.Begin()
//	for !done() {
//		if b.Pause() {
//			b.Rest(bell, done)
//		}
//	}
//
// More ranks than processors is a normal case: then a spinning rank only keeps
// the one that it waits for from running, and [For] makes a policy that yields
// at once. Other processes on the same processors, which compute, turn yields into
// long sleeps: where some were long, waits do without.
package wait
