package mpi

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A matchCheck is what rank 0 of a communicator knows of calls in which some rank waits,
// or that some rank has found not to match. It compares what the ranks report about their
// calls with one number. Where these calls, or the ones before them, differ, it
// asks for the ones before, since an earlier call may be the cause.
type matchCheck struct {
	c       *core
	calls   map[uint32]*callReports // by number
	waiting map[int]uint32          // ranks that wait for a verdict on the call with this number
	left    map[int]bool            // processes that have left MPI, as known to the arbiter
}

// callReports are what the ranks report about their calls with one number.
type callReports struct {
	since time.Time
	asked time.Time
	by    []callReport // by rank
}

// A callReport is what one rank reports about one call.
type callReport struct {
	knowledge // 0: nothing yet
	*statement
}

func newMatchCheck(c *core, left map[int]bool) *matchCheck {
	return &matchCheck{c: c, calls: map[uint32]*callReports{}, waiting: map[int]uint32{}, left: left}
}

// leave records that a rank makes no further calls.
func (d *matchCheck) leave(rank int) {
	for _, h := range d.calls {
		h.leave(rank)
	}
}

func (h *callReports) leave(rank int) {
	if s := &h.by[rank]; s.knowledge == 0 || s.knowledge == callAhead {
		s.knowledge = callNever
	}
}

// record records what a rank reports about one of its calls.
func (d *matchCheck) record(rank int, turn uint32, s callReport, now time.Time) {
	d.reportsOf(turn, now).by[rank] = s
}

// reportsOf returns the reports of a call.
func (d *matchCheck) reportsOf(turn uint32, now time.Time) *callReports {
	h := d.calls[turn]
	if h == nil {
		h = &callReports{since: now, by: make([]callReport, d.c.size)}
		for rank := range h.by {
			if d.left[d.c.global(rank)] {
				h.leave(rank)
			}
		}
		d.calls[turn] = h
	}
	return h
}

// A query asks some ranks what their call with a number is.
type query struct {
	ranks []int
	turn  uint32
}

// How long rank 0 waits for answers before it decides without them, and before it asks
// again.
const (
	answerTime = time.Second
	askAgain   = 250 * time.Millisecond
)

// decide returns the verdict, or nil and the queries to ask. Ranks that wait for a
// verdict on a call in which nothing is wrong are told so by release.
func (d *matchCheck) decide(now time.Time, release func(rank int, turn uint32)) (v *verdict, ask []query) {
	turns := slices.Sorted(maps.Keys(d.calls))
	for _, turn := range turns {
		h := d.calls[turn]
		first, other := h.firstDifference()
		if !h.differ(other) {
			continue
		}
		if below := d.calls[turn-1]; turn > 1 && (below == nil || !below.answered(h) && now.Sub(below.since) < answerTime) {
			return nil, []query{d.reportsOf(turn-1, now).ask(turn-1, d.c.size, now)}
		} else if other == Undefined && !below.forgotten() {
			continue // no mistake: a context ended the calls before
		}
		if h.missing(other) && now.Sub(h.since) < answerTime {
			return nil, []query{h.ask(turn, other, now)}
		}
		return h.verdict(d.c, first, other), nil
	}
	for _, turn := range turns {
		h := d.calls[turn]
		if h.missing(d.c.size) {
			ask = append(ask, h.ask(turn, d.c.size, now))
			continue
		}
		delete(d.calls, turn)
		for rank, t := range d.waiting {
			if t == turn {
				delete(d.waiting, rank)
				release(rank, turn)
			}
		}
	}
	return nil, ask
}

// firstDifference returns the lowest rank that has made the call, and the lowest that has
// made a different one; or Undefined.
func (h *callReports) firstDifference() (first, other int) {
	first, other = Undefined, Undefined
	for rank, s := range h.by {
		if s.knowledge != callMade {
			continue
		}
		if first == Undefined {
			first = rank
		} else if class, _, _ := h.by[first].differs(s.statement); class != 0 {
			return first, rank
		}
	}
	return first, other
}

// differ reports whether the ranks have made different calls, one of them the rank
// other, or had done so before.
func (h *callReports) differ(other int) bool {
	var one *statement
	for _, s := range h.by {
		if s.knowledge != callMade {
			continue
		}
		if one == nil {
			one = s.statement
		}
		if s.Before != one.Before && !s.excused(one) {
			return true
		}
	}
	return other != Undefined
}

// answered reports whether all ranks that have made the call above have said what this
// one was.
func (h *callReports) answered(above *callReports) bool {
	for rank, s := range above.by {
		if k := h.by[rank].knowledge; s.knowledge == callMade && k != callMade && k != callForgotten {
			return false
		}
	}
	return true
}

// forgotten reports whether some rank does not know any more what the call was.
func (h *callReports) forgotten() bool {
	return h != nil && slices.ContainsFunc(h.by, func(s callReport) bool { return s.knowledge == callForgotten })
}

// missing reports whether one of the first n ranks may still say what the call is. If n
// includes all ranks, so may those that have not come to the call yet.
func (h *callReports) missing(n int) bool {
	all := n == len(h.by)
	return slices.ContainsFunc(h.by[:max(n, 0)], func(s callReport) bool { return s.knowledge == 0 || all && s.knowledge == callAhead })
}

// ask returns the query to those of the first n ranks that have not made the call, if it
// is time to ask.
func (h *callReports) ask(turn uint32, n int, now time.Time) query {
	q := query{turn: turn}
	if now.Sub(h.asked) < askAgain {
		return q
	}
	h.asked = now
	for rank, s := range h.by[:n] {
		if s.knowledge == 0 || s.knowledge == callAhead {
			q.ranks = append(q.ranks, rank)
		}
	}
	return q
}

// verdict returns what all ranks are told. If other is Undefined, the calls that
// differed have been forgotten.
func (h *callReports) verdict(c *core, first, other int) *verdict {
	if other == Undefined {
		other = slices.IndexFunc(h.by, func(s callReport) bool { return s.knowledge == callMade && s.Before != h.by[first].Before })
		a, b := h.by[first], h.by[other]
		return &verdict{class: ErrMismatch, text: fmt.Sprintf("%s comes to %s and %s to %s after other collective calls; all ranks must make the same ones in the same order",
			c.who(first), a.at(""), c.who(other), b.at(""))}
	}
	a, b := h.by[first], h.by[other]
	class, of, todo := a.differs(b.statement)
	return &verdict{class: class, text: fmt.Sprintf("%s is in %s and %s in %s; all ranks must %s",
		c.who(first), a.at(of(a.statement)), c.who(other), b.at(of(b.statement)), todo)}
}
