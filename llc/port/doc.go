// Package port drives one protocol engine on one network interface: it owns the lock, the loop between the
// two, and all waiting.
//
// Any number of goroutines may call at the same time. One of the goroutines that wait polls the network for
// all of them; the others are parked and woken when their own request is complete. The polling goroutine
// spins, yields and finally sleeps on the network's doorbell (package rhinet/internal/wait):
//
//	          done
//	enter --> poll --> leave: passes the polling on to a parked goroutine
//	  |        ^ \ nothing for a while
//	  |        |  v
//	  |        asleep on the doorbell; meanwhile another may poll
//	  v
//	parked, if another polls
//
// Work of several steps, each of which waits for requests, is a [Task]: the goroutine that makes progress
// carries it on.
//
// While no goroutine waits but requests are under way, a helper goroutine looks after them now and then, so
// that a rank that computes does not hold up its transfers.
package port
