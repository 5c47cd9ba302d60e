package wait

import (
	"runtime"
	"time"
)

// epoch is the origin of durations: reading the monotonic clock alone costs half as much as time.Now.
var epoch = time.Now()

// A Doorbell wakes a sleeper. The publisher checks whether it is armed after making something visible; the
// sleeper arms it before its last look.
type Doorbell interface {
	Arm()
	Sleep(d time.Duration) // until rung, or until d has passed
	Disarm()
}

// A Backoff is one wait in progress, made by [Policy.Begin]. It belongs to one
// goroutine and lives on its stack.
type Backoff struct {
	policy *Policy
	eager  int // polls left before the first PAUSE
	n      int // pauses in this phase
	since  time.Duration
	phase  phase
}

// The phases of a wait, after the eager polls.
type phase uint8

const (
	spinning phase = iota
	yielding
	sleeping
)

// Pause is called after each poll that found nothing. It returns true once the policy leaves nothing but to
// sleep, and then every time until Reset.
func (b *Backoff) Pause() (sleep bool) {
	if b.eager > 0 {
		b.eager--
		return false
	}
	return b.pause()
}

// Reset starts over after a poll that found something.
func (b *Backoff) Reset() { b.eager, b.n, b.since, b.phase = b.policy.Eager, 0, 0, spinning }

func (b *Backoff) pause() bool {
	switch b.phase {
	case sleeping:
		return true
	case yielding:
		return b.yield()
	}
	if b.policy.Spin > 0 {
		relax()
		if b.n++; b.n%clockPolls != 0 {
			return false
		}
		if b.n%goschedPolls == 0 {
			runtime.Gosched()
		}
		now := time.Since(epoch)
		if b.since == 0 {
			b.since = now
		}
		if now-b.since < b.policy.Spin {
			return false
		}
	}
	b.n, b.since, b.phase = 0, 0, yielding
	return b.policy.Yield <= 0 && b.spent() || b.yield()
}

// spent enters the sleeping phase.
func (b *Backoff) spent() bool {
	b.phase = sleeping
	return true
}

func (b *Backoff) yield() bool {
	b.n++
	if b.n%clockYields == 0 {
		runtime.Gosched()
		return b.late()
	}
	if b.policy.Local {
		runtime.Gosched()
		return false
	}
	c := &b.policy.contention
	switch {
	case c.due():
		before := time.Since(epoch)
		yieldProcessor()
		b.policy.judge(before, time.Since(epoch))
	case c.high():
		return b.spent()
	default:
		yieldProcessor()
	}
	return false
}

// late reports whether the time for yielding is over. The time starts with the first call: most waits end
// before, and need no clock.
func (b *Backoff) late() bool {
	now := time.Since(epoch)
	if b.since == 0 {
		b.since = now
	}
	return now-b.since >= b.policy.Yield && b.spent()
}

// Rest sleeps on bell until it rings, unless done reports true once the bell
// is armed. It may return early.
func (b *Backoff) Rest(bell Doorbell, done func() bool) {
	bell.Arm()
	if !done() {
		bell.Sleep(b.Nap())
	}
	bell.Disarm()
}

// Nap returns how long one sleep may be.
func (b *Backoff) Nap() time.Duration {
	if b.policy.Nap > 0 {
		return b.policy.Nap
	}
	return napTime
}

// GiveWay yields once, to processes and goroutines. It is for callers that poll without waiting.
func (p *Policy) GiveWay() {
	if !p.Local {
		yieldProcessor()
	}
	runtime.Gosched()
}
