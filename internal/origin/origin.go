// Package origin remembers the lines of the program from which a rank has sent, so that they can be named when a
// message is never received. Messages do not carry the line: those to one rank with one tag in one context are
// received in the order in which they were sent, so those never received are the last ones, and the receiver asks for
// their lines by how many came after each.
package origin

import "rhinet/internal/callsite"

// Lines are the lines from which a rank has sent. One goroutine at a time uses them.
type Lines struct {
	recent [1 << recentBits]*trail // those in use now, by a hash of the key
	all    map[Stream]*trail
	anew   bool // streams have been forgotten
}

// A Stream identifies what was sent to one rank with one tag in one context: a tag has 31 bits, a context 16.
type Stream uint64

// StreamOf returns the stream of messages with a context and a tag to a rank.
func StreamOf(ctx uint16, to, tag int) Stream {
	return Stream(uint64(to)<<47 | uint64(ctx)<<31 | uint64(tag))
}

// A trail is what is remembered of a stream.
type trail struct {
	of     Stream
	last   origin
	before []origin // those before the last one, as far as they are remembered
	lost   bool     // there may be more before these
}

// An origin is a line from which n messages were sent in a row.
type origin struct {
	line *callsite.Line
	n    int
}

const (
	recentBits  = 8
	keptStreams = 1 << 14 // a rank with more forgets all, and starts anew
	keptOrigins = 8       // of a stream
)

// New returns the lines of a rank that has sent nothing.
func New() *Lines { return &Lines{all: map[Stream]*trail{}} }

// Add records a message that is sent from a line.
func (o *Lines) Add(of Stream, line *callsite.Line) {
	if o.Again(of, line) {
		return
	}
	s := o.trail(of)
	*o.place(of) = s
	if s.last.line != line {
		s.turn(line)
	}
	s.last.n++
}

// Again is Add in the most common case: for a message from the same line as the last
// one of its stream, which is in use now. Else it returns false and has changed
// nothing. It is inlined, as Add is not.
func (o *Lines) Again(of Stream, line *callsite.Line) bool {
	s := *o.place(of)
	if s == nil || s.of != of || s.last.line != line {
		return false
	}
	s.last.n++
	return true
}

// place returns the slot in recent of a stream.
func (o *Lines) place(of Stream) **trail {
	return &o.recent[uint64(of)*0x9e3779b97f4a7c15>>(64-recentBits)]
}

// trail returns the trail of a stream.
func (o *Lines) trail(of Stream) *trail {
	s := o.all[of]
	if s == nil {
		if len(o.all) == keptStreams {
			clear(o.all)
			clear(o.recent[:])
			o.anew = true
		}
		s = &trail{of: of, lost: o.anew}
		o.all[of] = s
	}
	return s
}

// turn makes line the line of the next messages.
func (s *trail) turn(line *callsite.Line) {
	if sameLine(s.last.line, line) {
		return
	}
	if s.last.n > 0 {
		if len(s.before) == keptOrigins-1 {
			s.before = append(s.before[:0], s.before[1:]...)
			s.lost = true
		}
		s.before = append(s.before, s.last)
	}
	s.last = origin{line: line}
}

// Withdraw records that a message from a line was not sent after all. Unless all
// messages from that line were sent in a row, it is unknown which one it was, and the
// messages so far are forgotten.
func (o *Lines) Withdraw(of Stream, line *callsite.Line) {
	s := o.all[of]
	if s == nil {
		return
	}
	var its *origin
	turns := 0
	for i := range s.before {
		if sameLine(s.before[i].line, line) {
			its, turns = &s.before[i], turns+1
		}
	}
	if sameLine(s.last.line, line) {
		its, turns = &s.last, turns+1
	}
	if s.lost || turns != 1 || its.n == 0 {
		s.before, s.last, s.lost = nil, origin{}, true
		return
	}
	its.n--
}

// sameLine reports whether two lines are the same: several calls on a line have a Line
// each.
func sameLine(a, b *callsite.Line) bool { return a == b || a != nil && b != nil && *a == *b }

// Line returns the line of a message counted back from the last one, which is 1; for 0,
// which stands for any message, the line from which all were sent. It is nil if the
// line is not known.
func (o *Lines) Line(of Stream, back int) *callsite.Line {
	s := o.all[of]
	switch {
	case s == nil:
		return nil
	case back == 0 && (s.lost || len(s.before) > 0):
		return nil
	case back <= s.last.n:
		return s.last.line
	}
	back -= s.last.n
	for i := len(s.before) - 1; i >= 0; i-- {
		if back <= s.before[i].n {
			return s.before[i].line
		}
		back -= s.before[i].n
	}
	return nil
}
