package mpi

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A dispute is what rank 0 of a communicator has heard about calls in which some rank
// waits, or that some rank has found not to match. It compares what the ranks say about
// their calls with one number. Where these calls, or the ones before them, differ, it
// asks for the ones before, since an earlier call may be the cause.
type dispute struct {
	c     *core
	calls map[uint32]*hearing // by number
	pleas map[int]uint32      // ranks that wait for a verdict on the call with this number
	left  map[int]bool        // processes that have left MPI, as known to the court
}

// A hearing is what the ranks say about their calls with one number.
type hearing struct {
	since time.Time
	asked time.Time
	said  []spoken // by rank
}

// A spoken is what one rank says about one call.
type spoken struct {
	knowledge // 0: nothing yet
	*statement
}

func newDispute(c *core, left map[int]bool) *dispute {
	return &dispute{c: c, calls: map[uint32]*hearing{}, pleas: map[int]uint32{}, left: left}
}

// leave records that a rank makes no further calls.
func (d *dispute) leave(rank int) {
	for _, h := range d.calls {
		h.leave(rank)
	}
}

func (h *hearing) leave(rank int) {
	if s := &h.said[rank]; s.knowledge == 0 || s.knowledge == callAhead {
		s.knowledge = callNever
	}
}

// hear takes what a rank says about one of its calls.
func (d *dispute) hear(rank int, turn uint32, s spoken, now time.Time) {
	d.at(turn, now).said[rank] = s
}

// at returns the hearing of a call.
func (d *dispute) at(turn uint32, now time.Time) *hearing {
	h := d.calls[turn]
	if h == nil {
		h = &hearing{since: now, said: make([]spoken, d.c.size)}
		for rank := range h.said {
			if d.left[d.c.global(rank)] {
				h.leave(rank)
			}
		}
		d.calls[turn] = h
	}
	return h
}

// A question asks some ranks what their call with a number is.
type question struct {
	ranks []int
	turn  uint32
}

// How long rank 0 waits for answers before it judges without them, and before it asks
// again.
const (
	answerTime = time.Second
	askAgain   = 250 * time.Millisecond
)

// judge returns the verdict, or nil and the questions to ask. Ranks that pleaded for a
// call in which nothing is wrong are told so by dismiss.
func (d *dispute) judge(now time.Time, dismiss func(rank int, turn uint32)) (v *verdict, ask []question) {
	turns := slices.Sorted(maps.Keys(d.calls))
	for _, turn := range turns {
		h := d.calls[turn]
		first, other := h.odd()
		if !h.disagrees(other) {
			continue
		}
		if below := d.calls[turn-1]; turn > 1 && (below == nil || !below.answered(h) && now.Sub(below.since) < answerTime) {
			return nil, []question{d.at(turn-1, now).ask(turn-1, d.c.size, now)}
		} else if other == Undefined && !below.forgotten() {
			continue // no mistake: a context ended the calls before
		}
		if h.missing(other) && now.Sub(h.since) < answerTime {
			return nil, []question{h.ask(turn, other, now)}
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
		for rank, t := range d.pleas {
			if t == turn {
				delete(d.pleas, rank)
				dismiss(rank, turn)
			}
		}
	}
	return nil, ask
}

// odd returns the lowest rank that has made the call, and the lowest that has made a
// different one; or Undefined.
func (h *hearing) odd() (first, other int) {
	first, other = Undefined, Undefined
	for rank, s := range h.said {
		if s.knowledge != callMade {
			continue
		}
		if first == Undefined {
			first = rank
		} else if class, _, _ := h.said[first].differs(s.statement); class != 0 {
			return first, rank
		}
	}
	return first, other
}

// disagrees reports whether the ranks have made different calls, one of them the rank
// other, or had done so before.
func (h *hearing) disagrees(other int) bool {
	var one *statement
	for _, s := range h.said {
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
func (h *hearing) answered(above *hearing) bool {
	for rank, s := range above.said {
		if k := h.said[rank].knowledge; s.knowledge == callMade && k != callMade && k != callForgotten {
			return false
		}
	}
	return true
}

// forgotten reports whether some rank does not know any more what the call was.
func (h *hearing) forgotten() bool {
	return h != nil && slices.ContainsFunc(h.said, func(s spoken) bool { return s.knowledge == callForgotten })
}

// missing reports whether one of the first n ranks may still say what the call is. If n
// includes all ranks, so may those that have not come to the call yet.
func (h *hearing) missing(n int) bool {
	all := n == len(h.said)
	return slices.ContainsFunc(h.said[:max(n, 0)], func(s spoken) bool { return s.knowledge == 0 || all && s.knowledge == callAhead })
}

// ask returns the question to those of the first n ranks that have not made the call,
// if it is time to ask.
func (h *hearing) ask(turn uint32, n int, now time.Time) question {
	q := question{turn: turn}
	if now.Sub(h.asked) < askAgain {
		return q
	}
	h.asked = now
	for rank, s := range h.said[:n] {
		if s.knowledge == 0 || s.knowledge == callAhead {
			q.ranks = append(q.ranks, rank)
		}
	}
	return q
}

// verdict returns what all ranks are told. If other is Undefined, the calls that
// differed have been forgotten.
func (h *hearing) verdict(c *core, first, other int) *verdict {
	if other == Undefined {
		other = slices.IndexFunc(h.said, func(s spoken) bool { return s.knowledge == callMade && s.Before != h.said[first].Before })
		a, b := h.said[first], h.said[other]
		return &verdict{class: ErrMismatch, text: fmt.Sprintf("%s comes to %s and %s to %s after other collective calls; all ranks must make the same ones in the same order",
			c.who(first), a.at(""), c.who(other), b.at(""))}
	}
	a, b := h.said[first], h.said[other]
	class, of, todo := a.differs(b.statement)
	return &verdict{class: class, text: fmt.Sprintf("%s is in %s and %s in %s; all ranks must %s",
		c.who(first), a.at(of(a.statement)), c.who(other), b.at(of(b.statement)), todo)}
}
