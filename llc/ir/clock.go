package ir

import "time"

// A Clock is an optional ability of a translator (see [Abilities]): the rank
// lives in virtual time. Then only calls and what they wait for take
// time, in an order that does not depend on how quick anything is: whoever
// drives the translator polls in calls only, and sleeps as soon as a wait finds
// nothing. Any goroutine may call these methods at any time.
type Clock interface {
	// Now returns the rank's time in seconds.
	Now() float64
	// Compute has the rank carry out so many operations of a kind, if it is told
	// that way what computing costs. A kind that is not known is an error.
	Compute(kind string, operations float64) error
	// Measures reports whether Used changes anything.
	Measures() bool
	// Used has the rank have used so much processor time outside of calls.
	Used(d time.Duration)
	// Miss has time pass in a call that found nothing and does not wait.
	Miss()
	// Patient says that one more call, with -1 one call less, sleeps if it finds
	// nothing. Until then Poll may leave to Sleep what has come.
	Patient(calls int)
	// Others has others tell whether the rank has goroutines that may call though
	// nothing comes. It is called once, before everything else.
	Others(others func() bool)
}
