package clock

import (
	"os"
	"runtime"
	"strings"
	"time"
)

// Ticks reads a counter that all processes of a machine read alike, at a rate that
// stays the same: see [Counter]. It is for measuring many short times; [Tick] says how
// long a tick is.
func Ticks() int64 { return int64(ticks()) }

// Counter reports whether Ticks counts alike in all processes. On amd64 that is so where
// the system itself keeps its time by that counter.
func Counter() bool {
	if !counts || runtime.GOARCH != "amd64" {
		return counts
	}
	const source = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	text, err := os.ReadFile(source)
	return err == nil && strings.TrimSpace(string(text)) == "tsc"
}

// A Reading is a point in time as clock and counter see it.
type Reading struct {
	Ticks int64
	At    time.Time
}

// Read reads clock and counter.
func Read() Reading {
	before := Ticks()
	now := time.Now()
	return Reading{before + (Ticks()-before)/2, now}
}

// Tick returns the nanoseconds of a tick, from two readings that are some time apart.
func Tick(from, to Reading) float64 {
	if to.Ticks <= from.Ticks || !to.At.After(from.At) {
		return 1
	}
	return float64(to.At.Sub(from.At)) / float64(to.Ticks-from.Ticks)
}
