package observe

import "sync/atomic"

// A Meter adds up how long the goroutines of a rank have waited. Its methods may be called on nil, which
// measures nothing.
type Meter struct {
	now      func() int64
	counts   bool         // now is clock.Ticks
	sampling atomic.Int32 // calls that are being timed
	asleep   atomic.Int64 // waits that were not brief
	brief    atomic.Int64 // brief waits of calls that were timed
}

// Sleep begins a wait that is no longer brief; Woke ends it.
func (m *Meter) Sleep() int64 {
	if m == nil {
		return 0
	}
	return m.now()
}

// Asleep returns the total time of the waits that were not brief.
func (m *Meter) Asleep() int64 { return m.asleep.Load() }

// Woke ends the wait that Sleep began at since; 0 means no wait.
func (m *Meter) Woke(since int64) {
	if since != 0 {
		m.asleep.Add(max(m.now()-since, 0))
	}
}

// A Wait is a wait that a Meter measures.
type Wait struct{ since, asleep int64 }

// Begin begins a wait, which is measured if a call is being timed.
func (m *Meter) Begin() (w Wait) {
	if m != nil && m.sampling.Load() > 0 {
		w = Wait{m.now(), m.asleep.Load()}
	}
	return w
}

// End ends the wait that Begin began, and returns its span if it was measured. Time spent asleep counts as
// sleep only.
func (m *Meter) End(w Wait) (s Span) {
	if w.since != 0 {
		s = Span{w.since, m.now()}
		m.brief.Add(max(s.To-s.From-(m.asleep.Load()-w.asleep), 0))
	}
	return s
}
