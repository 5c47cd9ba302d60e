package vtime

import (
	"fmt"
	"math"
)

// A Time is a point in virtual time or the distance between two, in
// picoseconds. A run can last 106 days.
type Time int64

// Units of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Never is later than all events.
const Never Time = math.MaxInt64

// Nanoseconds returns t in nanoseconds.
func (t Time) Nanoseconds() float64 { return float64(t) / float64(Nanosecond) }

// Microseconds returns t in microseconds.
func (t Time) Microseconds() float64 { return float64(t) / float64(Microsecond) }

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String returns t in nanoseconds with all its digits.
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	sign := ""
	u := uint64(t)
	if t < 0 {
		sign, u = "-", -u
	}
	return fmt.Sprintf("%s%d.%03d ns", sign, u/1000, u%1000)
}

// Nanoseconds returns the time of ns nanoseconds, to the nearest picosecond.
func Nanoseconds(ns float64) Time { return Time(math.Round(ns * float64(Nanosecond))) }
