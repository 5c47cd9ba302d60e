package clock

import (
	"os"
	"runtime"
	"strings"
	"time"
)

// Ticks reads a counter that is the same for all processes of a machine and has a constant rate: see
// [Counter]. It is for measuring many short times; [Tick] returns the length of a tick.
func Ticks() int64 { return int64(ticks()) }

// Counter reports whether Ticks is the same counter in all processes. On amd64 this holds if the system
// itself keeps time by that counter.
func Counter() bool {
	if !counts || runtime.GOARCH != "amd64" {
		return counts
	}
	const source = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	text, err := os.ReadFile(source)
	return err == nil && strings.TrimSpace(string(text)) == "tsc"
}

// A Reading is a point in time, by clock and by counter.
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

// Tick returns the length of a tick in nanoseconds, from two readings some time apart.
func Tick(from, to Reading) float64 {
	if to.Ticks <= from.Ticks || !to.At.After(from.At) {
		return 1
	}
	return float64(to.At.Sub(from.At)) / float64(to.Ticks-from.Ticks)
}
