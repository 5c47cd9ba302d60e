package wait

import "time"

// A Pace tells whether copies out of another process are slow: what that process has just written lies in its processor's cache, from where it
// takes several times as long as from a common one. It looks at one copy in a few, since a look at the clock costs
// a thirtieth of a copy, and at each while they are slow. Several in a row must be: what is copied again and again may come to lie in a
// common cache, or the reader's own, only by the first of them. Copies that are shorter or longer than any
// for which it matters it leaves alone. The zero Pace is ready for use.
type Pace struct {
	Clock func() time.Duration // since some time that is not 0; nil: the system's

	left int // copies before the next that is looked at
	slow int // looks in a row that found a slow one
}

// Begin is called before a copy of n bytes, if it is of that kind, and returns what Slow wants.
func (p *Pace) Begin(n int, of bool) (begun time.Duration) {
	if !of || n < paceLeast || n > paceMost {
		return 0
	}
	if p.left--; p.left >= 0 {
		return 0
	}
	return p.now()
}

// now reads the clock.
func (p *Pace) now() time.Duration {
	if p.Clock != nil {
		return p.Clock()
	}
	return time.Since(epoch)
}

// Slow is called after the copy, and reports whether it was seen to be slow, as the paceSlow-1 that were looked at before, and that have not been reported.
func (p *Pace) Slow(begun time.Duration, n int) bool {
	if begun == 0 {
		return false
	}
	return p.judge(p.now()-begun, n)
}

// judge is Slow of a copy that took so long.
func (p *Pace) judge(took time.Duration, n int) bool {
	if took <= time.Duration(n/paceRate) {
		p.slow, p.left = 0, paceLooks-1
		return false
	}
	if p.slow++; p.slow < paceSlow {
		return false
	}
	p.slow = 0
	return true
}
