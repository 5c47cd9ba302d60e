package vtime

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"rhinet/internal/integer"
)

// ErrClock is wrapped by errors about impossible clocks.
var ErrClock = errors.New("vtime: no such clock")

// A Clock is a clock domain: edges at a frequency of cycles/seconds Hz, the
// first at time 0. It is a value; use [NewClock] to make one.
type Clock struct {
	cycles uint64 // this number of cycles in
	picos  uint64 // this number of picoseconds; the two have no common divisor
}

// mostSeconds keeps picos within 64 bits.
const mostSeconds = 1_000_000

// NewClock returns the clock with the given number of cycles in the given
// number of seconds. A link of 6 Gbit/s with 80 bits a flit has 6e9 flits in 80
// seconds, and 66 MHz are 66e6 cycles in one. A period is at least 1 ps.
func NewClock(cycles, seconds uint64) (Clock, error) {
	if cycles == 0 || seconds == 0 || seconds > mostSeconds {
		return Clock{}, fmt.Errorf("%w: %d cycles in %d s; give at least one, in 1 to %d s", ErrClock, cycles, seconds, mostSeconds)
	}
	picos := seconds * uint64(Second)
	if cycles > picos {
		return Clock{}, fmt.Errorf("%w: %d cycles in %d s are less than 1 ps each", ErrClock, cycles, seconds)
	}
	d := integer.GCD(cycles, picos)
	return Clock{cycles / d, picos / d}, nil
}

// Edge returns the time of edge n, counted from 0 and rounded down to a picosecond, or Never if it
// does not fit.
func (c Clock) Edge(n int64) Time {
	if n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), c.picos)
	if hi >= c.cycles {
		return Never
	}
	q, _ := bits.Div64(hi, lo, c.cycles)
	return Time(min(q, math.MaxInt64))
}

// Index returns the number of the first edge at or after t.
func (c Clock) Index(t Time) int64 {
	if t <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(t), c.cycles)
	lo, carry := bits.Add64(lo, c.picos-1, 0)
	q, _ := bits.Div64(hi+carry, lo, c.picos)
	return int64(q)
}

// Next returns the time of the first edge at or after t.
func (c Clock) Next(t Time) Time { return c.Edge(c.Index(t)) }

// After returns the time of the edge n cycles after the first one at or after t.
func (c Clock) After(t Time, n int64) Time { return c.Edge(c.Index(t) + n) }

// Span returns the duration of n cycles, rounded down to a picosecond. Do not add spans up: use
// [Clock.After].
func (c Clock) Span(n int64) Time { return c.Edge(n) }

// Megahertz returns the frequency.
func (c Clock) Megahertz() float64 { return float64(c.cycles) / float64(c.picos) * 1e6 }
