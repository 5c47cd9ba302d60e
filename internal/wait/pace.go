package wait

import "time"

// A Pace tells whether copies out of another process are slow: what that process has just written lies in
// its processor's cache, and copying from there takes several times as long as from a shared cache. It
// times one copy in a few, since reading the clock costs a thirtieth of a copy, and every copy while they
// are slow. Only several slow copies in a row count: if the same bytes are copied again and again, the
// first copy may bring them into a shared cache or the reader's own. Copies shorter or longer than those
// for which it matters are ignored. The zero Pace is ready for use.
type Pace struct {
	Clock func() time.Duration // since any origin, not 0; nil: the system's clock

	left int // copies before the next that is timed
	slow int // timed copies in a row that were slow
}

// Begin is called before a copy of n bytes; of says whether it is a copy of that kind. It returns the
// argument of Slow.
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

// Slow is called after the copy. It reports whether this copy and the paceSlow-1 timed before it were slow,
// counting only copies since the last such report.
func (p *Pace) Slow(begun time.Duration, n int) bool {
	if begun == 0 {
		return false
	}
	return p.judge(p.now()-begun, n)
}

// judge is Slow for a copy that took the given time.
func (p *Pace) judge(took time.Duration, n int) bool {
	if took <= time.Duration(n*paceKiB>>10) {
		p.slow, p.left = 0, paceLooks-1
		return false
	}
	if p.slow++; p.slow < paceSlow {
		return false
	}
	p.slow = 0
	return true
}
