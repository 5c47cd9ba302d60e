package ir

import "time"

// A Clock is an optional ability of a translator (see [Abilities]): the rank lives in virtual time. Only
// calls, and what they wait for, take time, in an order that does not depend on how fast anything runs. So
// the driver of the translator polls only in calls, and sleeps as soon as a wait finds nothing. Any goroutine
// may call these methods at any time.
type Clock interface {
	// Now returns the rank's time in seconds.
	Now() float64
	// Compute has the rank perform a number of operations of one kind, for programs that state the cost of
	// their computation in this way. An unknown kind is an error.
	Compute(kind string, operations float64) error
	// Measures reports whether Used changes anything.
	Measures() bool
	// Used adds processor time that the rank has used outside of calls.
	Used(d time.Duration)
	// Miss lets time pass in a call that found nothing and does not wait.
	Miss()
	// Patient says that one more call (1), or one call less (-1), sleeps if it finds nothing. While there is
	// none, Poll may leave what has come to Sleep.
	Patient(calls int)
	// Others sets a function that reports whether the rank has goroutines that may make calls even if nothing
	// arrives. It is called once, before all other methods.
	Others(others func() bool)
}
