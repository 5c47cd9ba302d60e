package nas

import "math"

// FloatingPoint is what the report calls the operations of most kernels.
const FloatingPoint = "floating point"

// A Result is the outcome of one run, complete on rank 0.
type Result struct {
	Problem
	Variant   string  // of the communication; empty: the usual one
	Seconds   float64 // wall-clock time of the timed section
	Processes int     // ranks of the world
	Active    int     // ranks that did work
	Mops      float64 // million operations per second, all ranks together
	Operation string
	Verdict   Verdict
	Checks    []Check     // the comparisons on which the verdict is based
	Details   []string    // further lines for the report
	Phases    []PhaseTime // with Config.Timers only

	// Library is the other MPI library on which the kernel ran, empty for a network interface of rhinet.
	// CallCost is the time in seconds that each call of it costs because the kernel is not written in C.
	Library  string
	CallCost float64
}

// MopsPerProcess returns the rate divided by the number of all processes.
func (r *Result) MopsPerProcess() float64 {
	if r.Processes == 0 {
		return 0
	}
	return r.Mops / float64(r.Processes)
}

// Rate returns million operations per second, or 0 if the time is 0.
func Rate(operations, seconds float64) float64 {
	if seconds == 0 || math.IsNaN(seconds) {
		return 0
	}
	return 1e-6 * operations / seconds
}
