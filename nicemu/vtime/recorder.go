package vtime

// A Recorder is a tracer that keeps the last calls, to replay them to another tracer.
type Recorder struct {
	kept []seen // in a ring
	next int    // index of the next one
	all  uint64
}

// A seen is one call of a Tracer.
type seen struct {
	at       Time
	what     string // of a mark; else ""
	module   *Module
	source   Source
	from, to int // states; or the level is in to
	id       uint64
}

// NewRecorder returns a recorder that keeps up to n calls, at least one.
func NewRecorder(n int) *Recorder { return &Recorder{kept: make([]seen, 0, max(n, 1))} }

func (r *Recorder) keep(s seen) {
	r.all++
	if len(r.kept) < cap(r.kept) {
		r.kept = append(r.kept, s)
		return
	}
	r.kept[r.next] = s
	r.next = (r.next + 1) % len(r.kept)
}

// State implements Tracer.
func (r *Recorder) State(at Time, m *Module, from, to int) {
	r.keep(seen{at: at, module: m, from: from, to: to})
}

// Level implements Tracer.
func (r *Recorder) Level(at Time, s Source, level int) { r.keep(seen{at: at, source: s, to: level}) }

// Mark implements Tracer.
func (r *Recorder) Mark(at Time, s Source, what string, id uint64) {
	r.keep(seen{at: at, source: s, what: what, id: id})
}

// Lost returns the number of earlier calls that were not kept.
func (r *Recorder) Lost() uint64 { return r.all - uint64(len(r.kept)) }

// Replay repeats the kept calls to t, in their order.
func (r *Recorder) Replay(t Tracer) {
	for i := range r.kept {
		s := &r.kept[(r.next+i)%len(r.kept)]
		switch {
		case s.module != nil:
			t.State(s.at, s.module, s.from, s.to)
		case s.what != "":
			t.Mark(s.at, s.source, s.what, s.id)
		default:
			t.Level(s.at, s.source, s.to)
		}
	}
}

// Both returns a tracer that passes each call to two others; nil is none.
func Both(a, b Tracer) Tracer {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return both{a, b}
}

type both [2]Tracer

func (b both) State(at Time, m *Module, from, to int) {
	b[0].State(at, m, from, to)
	b[1].State(at, m, from, to)
}

func (b both) Level(at Time, s Source, level int) {
	b[0].Level(at, s, level)
	b[1].Level(at, s, level)
}

func (b both) Mark(at Time, s Source, what string, id uint64) {
	b[0].Mark(at, s, what, id)
	b[1].Mark(at, s, what, id)
}
