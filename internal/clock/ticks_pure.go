//go:build (!amd64 && !arm64) || purego

package clock

import "time"

// counts says that the processor has a counter that programs may read.
const counts = false

// ticks counts nanoseconds.
func ticks() uint64 { return uint64(time.Since(epoch)) }
