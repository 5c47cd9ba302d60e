//go:build (amd64 || arm64) && !purego

package clock

// counts says that the processor has a counter that programs may read.
const counts = true

// ticks reads the processor's counter of constant rate, at a third of the cost of asking the system for the
// time. It stands for a reading of a clock.
func ticks() uint64
