// Package wait is the only place that waits: it spins for a short while, then yields the processor, then
// tells its caller to sleep on a doorbell.
//
// The caller keeps its own poll loop, so that the poll itself is inlined there:
//
//	b := policy.Begin()
//	for !done() {
//		if b.Pause() {
//			b.Rest(bell, done)
//		}
//	}
//
// More ranks than processors is a normal case. Then a spinning rank only keeps the rank that it waits for
// from running, so [For] makes a policy that yields at once. If other processes compute on the same
// processors, a yield can last as long as a time slice: after some long yields, waits stop yielding.
package wait
