package nas

import "math"

// What the report calls the operations of most kernels.
const FloatingPoint = "floating point"

// A Result is the outcome of one run, complete on rank 0.
type Result struct {
	Problem
	Variant   string  // of the communication, empty: the usual one
	Seconds   float64 // wall-clock time of the timed section
	Processes int     // ranks of the world
	Active    int     // ranks that did work
	Mops      float64 // million operations per second, all ranks together
	Operation string
	Verdict   Verdict
	Checks    []Check     // what the verdict rests on
	Details   []string    // further lines for the report
	Phases    []PhaseTime // with Config.Timers only

	// Library is the library of another MPI on which the kernel ran, and CallCost what each call of it
	// costs, in seconds, because the kernel is not written in C; "": a network interface of rhinet.
	Library  string
	CallCost float64
}

// MopsPerProcess is the rate by number of all processes.
func (r *Result) MopsPerProcess() float64 {
	if r.Processes == 0 {
		return 0
	}
	return r.Mops / float64(r.Processes)
}

// Rate returns million operations per second, 0 if the time is 0.
func Rate(operations, seconds float64) float64 {
	if seconds == 0 || math.IsNaN(seconds) {
		return 0
	}
	return 1e-6 * operations / seconds
}
