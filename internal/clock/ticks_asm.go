//go:build (amd64 || arm64) && !purego

package clock

// counts says that the processor has a counter that programs may read.
const counts = true

// ticks reads the counter of the processor that counts at a constant rate, a third of
// what asking the system for the time costs. It stands for a reading of a clock.
func ticks() uint64
