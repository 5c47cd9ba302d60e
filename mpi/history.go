package mpi

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/internal/callsite"
)

// In a checked job (see Job.Check) each rank remembers its last calls on each
// communicator, with the lines that made them. Calls only write these records. The
// arbiter compares the records of the ranks when one of them has found a mismatch, or
// waits long.

// remembered is how many calls a history holds: a rank that only sends may be so far
// ahead of one that receives.
const remembered = 256

// A history is the last collective calls of one rank on one communicator, and the
// verdict on them.
type history struct {
	verdict atomic.Pointer[verdict] // nil: none
	stall   stall                   // of the arbiter
	lines   *callsite.Finder

	length uint32 // hash of the length of the last call; used with the lock of collective calls

	mu    sync.Mutex
	last  uint32 // number of the last call, from 1 on
	calls [remembered]madeCall
}

// A madeCall is a record of a collective call.
type madeCall struct {
	name    string
	from    callsite.Trace
	sign    callSign // call, type, operation and root
	before  uint32   // hash of the calls before
	bytes   int      // of data, if all ranks must pass the same number, or a number that stands for their counts
	limited bool     // by a context of the program: other ranks may not have made it
	item    uint32   // bytes of an item, if all ranks must have items of as many; else 0
}

// A verdict is the error that all ranks of a communicator get whose calls do not match.
type verdict struct {
	class Class
	text  string
	at    time.Time // when this rank received it
}

// told returns the error of a call on a communicator whose ranks have been told v.
func (c *Comm) told(s site, v *verdict) *Error { return c.errorAt(s, v.class, "%s", v.text) }

// remark is the part of put for uncommon cases: elements that differ from what is sent,
// a part of another call, or a checked job. There the hash of earlier calls is also one of their lengths: a rank
// without data neither waits nor sends, so the call itself may not show that others have
// some.
func (k *collState) remark(s callSign, bytes int) callSign {
	s ^= k.over
	if k.within.call != "" {
		s, k.t.call = k.within.sign, k.within.call
	}
	if h := k.history; h != nil {
		h.mu.Lock()
		h.last = k.t.note.Turn + 1
		m := &h.calls[h.last%remembered]
		k.before ^= h.length
		h.length = spread(bytes)
		m.name, m.sign, m.before, m.bytes, m.limited = k.t.call, s, k.before, bytes, k.t.ctx != nil
		m.item = uint32(min(k.item, math.MaxUint32))
		h.lines.Trace(&m.from)
		h.mu.Unlock()
	}
	return s
}

// anew has calls from now on match whatever the calls before were.
func (k *collState) anew() {
	k.before = 0
	if k.history != nil {
		k.history.length = 0
	}
}

// swap has signs describe other elements, and items of so many bytes, until it is called
// with 0. The length of items goes into the rest of a sign, also of a rooted call.
func (k *collState) swap(over callSign, item int) {
	k.over, k.item = over^callSign(spread(item))&^(1<<25-1), item
	k.apart = over != 0 || k.history != nil || k.within.call != ""
}

// told reports whether the ranks have been told that their calls do not match.
func (h *history) told() bool { return h != nil && h.verdict.Load() != nil }

// lastCall returns the number of the last call.
func (h *history) lastCall() uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// call returns what this rank knows of its call with a number.
func (h *history) call(turn uint32) (m madeCall, k knowledge) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case turn > h.last:
		return m, callAhead
	case turn == 0 || turn+remembered <= h.last:
		return m, callForgotten
	}
	return h.calls[turn%remembered], callMade
}

// A knowledge says what a rank knows of one of its calls.
type knowledge uint8

const (
	callMade      knowledge = iota + 1
	callAhead               // this rank has not made it yet
	callForgotten           // it is too long ago
	callNever               // this rank has left MPI without making it
)

// wayOf returns how a call is made; calls made in different ways do not match (MPI 4.1,
// section 6.12).
func wayOf(name string) string {
	switch {
	case strings.HasSuffix(name, "Init"):
		return "persistent"
	case strings.HasPrefix(name, "I") && name != "IntercommCreate" && name != "IntercommCreateFromGroups":
		return "nonblocking"
	}
	return "blocking"
}

// A statement is a madeCall in the form that ranks send each other.
type statement struct {
	Name    string
	Line    string
	Sign    callSign
	Before  uint32
	Bytes   int
	Limited bool
	Item    uint32
}

// statement returns what this rank says of a call that it knows.
func (h *history) statement(m *madeCall) *statement {
	return &statement{m.name, h.lines.LineOf(&m.from).String(), m.sign, m.before, m.bytes, m.limited, m.item}
}

// excused reports whether two calls may differ: where a context of the program has
// ended a call, ranks that did not make it free the communicator.
func (a *statement) excused(b *statement) bool {
	return a.Sign.call() == callFree && b.Limited || b.Sign.call() == callFree && a.Limited
}

// differs says how two calls with the same number differ: the class, a description of
// each, and what to do; or 0.
func (a *statement) differs(b *statement) (class Class, of func(*statement) string, todo string) {
	plain := func(*statement) string { return "" }
	switch {
	case a.excused(b):
		return 0, nil, ""
	case a.Sign.call() != b.Sign.call():
		return ErrMismatch, plain, "make the same collective calls in the same order"
	case wayOf(a.Name) != wayOf(b.Name):
		return ErrMismatch, plain, "make the call in the same way: one that does not block, or is persistent, matches only its like"
	case a.Sign.call().rooted() && a.Sign.root() != b.Sign.root():
		return ErrRoot, func(s *statement) string { return fmt.Sprintf(" with the root %d", s.Sign.root()) }, "name the same root"
	case a.Sign.typ() != b.Sign.typ():
		return ErrType, func(s *statement) string { return " with elements of " + shortName(s.Sign.typ()) }, "use the same type"
	case a.Sign.op() != b.Sign.op():
		return ErrOp, func(s *statement) string { return " with the operation " + opName(s.Sign.op()) }, "use the same operation"
	case a.Item != b.Item:
		return ErrCount, func(s *statement) string { return fmt.Sprintf(" on items of %d bytes", s.Item) }, "call it with items of the same length"
	case a.Bytes != b.Bytes && a.Sign.call() >= callDup:
		return ErrMismatch, plain, a.Sign.call().alike()
	case a.Bytes != b.Bytes && a.Sign.call().counted():
		return ErrCount, func(*statement) string { return " with its counts" }, "call it with the same counts"
	case a.Bytes != b.Bytes:
		return ErrCount, func(s *statement) string { return fmt.Sprintf(" with %d bytes", s.Bytes) }, "call it with the same lengths"
	}
	return 0, nil, ""
}

// counted reports whether bytes of a call stands for counts.
func (k callCode) counted() bool { return k == callAllgatherv || k == callReduceScatter }

// at returns the call with its line.
func (s *statement) at(more string) string {
	return fmt.Sprintf("%s%s (%s)", s.Name, more, s.Line)
}

// newHistory returns the history of a communicator of so many ranks, if the job has a
// arbiter.
func (w *world) newHistory(size int) *history {
	if w.arbiter == nil || size < 2 {
		return nil
	}
	return &history{lines: w.requests.lines}
}
