//go:build !linux

package fabric

import "time"

// futexes says that a wake call ends a sleep.
const futexes = false

// Without processes there is nobody to wait for: see Create.

func futexWait(_ *uint32, _ uint32, d time.Duration) { time.Sleep(d) }

func futexWake(*uint32) {}
