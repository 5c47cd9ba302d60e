package vtime

import "math/bits"

// A Meter integrates a level over time: units of a resource in use, entries of a
// queue. The zero Meter is at level 0 since time 0.
type Meter struct {
	level, most int
	since       Time
	hi, lo      uint64 // the integral so far
}

// Set changes the level, which is never negative, at time now.
func (m *Meter) Set(now Time, level int) {
	m.hi, m.lo = m.upTo(now)
	m.since, m.level = now, level
	m.most = max(m.most, level)
}

// Add changes the level by n.
func (m *Meter) Add(now Time, n int) { m.Set(now, m.level+n) }

func (m *Meter) upTo(now Time) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(m.level), uint64(now-m.since))
	lo, carry := bits.Add64(lo, m.lo, 0)
	return hi + m.hi + carry, lo
}

// Level returns the present level, and Most the highest so far.
func (m *Meter) Level() int { return m.level }

// Most returns the highest level so far.
func (m *Meter) Most() int { return m.most }

// Integral returns the integral of the level from 0 to now, in units times
// picoseconds.
func (m *Meter) Integral(now Time) float64 {
	hi, lo := m.upTo(now)
	return float64(hi)*(1<<64) + float64(lo)
}

// Mean returns the mean level from time 0 to now; for a resource of one unit
// that is its utilisation.
func (m *Meter) Mean(now Time) float64 {
	if now <= 0 {
		return 0
	}
	return m.Integral(now) / float64(now)
}
