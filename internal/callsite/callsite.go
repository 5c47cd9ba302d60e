// Package callsite finds out which line has called, often and at little cost: the
// return addresses on the stack are read along the frame pointers, up to the first that
// is known to lie outside, and the line that belongs to one is looked up once.
package callsite

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// near and far are how many return addresses are read at first, and if all of those are
// inside. The first few suffice for calls that are short.
const (
	near = 4
	far  = 48
)

// A Finder finds lines outside of one package. Its zero value is not ready: see New.
type Finder struct {
	prefix string // of the names of functions inside
	ways   [knownPlaces]atomic.Pointer[way]
	known  [knownPlaces]atomic.Pointer[address]
}

// A way is how a function of the package was reached, and from which line: what most calls
// find, since a program calls from the same places again and again.
type way struct {
	pcs  [near]uintptr
	line *Line
}

// An address is a return address and the line it belongs to: the innermost outside, of what
// is inlined there; nil: all is inside.
type address struct {
	pc   uintptr
	line *Line
}

// The table of known addresses: its size, a power of two, and in how many places next to
// each other one may lie.
const (
	knownBits   = 10
	knownPlaces = 1 << knownBits
	probes      = 8
)

// A Line is a place in the source.
type Line struct {
	File   string
	Number int
}

// String is file and number, as compilers write them; of nil it is empty.
func (l *Line) String() string {
	if l == nil {
		return ""
	}
	return l.File + ":" + strconv.Itoa(l.Number)
}

// New returns a Finder of lines outside of the package with a path.
func New(pkg string) *Finder { return &Finder{prefix: pkg + "."} }

// Caller is the innermost line on the stack outside of the package, or nil.
func (f *Finder) Caller() *Line {
	var pcs [near]uintptr
	walk(pcs[:])
	at := &f.ways[place(pcs[1]^pcs[2]<<1^pcs[3]<<2)]
	if w := at.Load(); w != nil && w.pcs[0] == pcs[0] && w.pcs[1] == pcs[1] && w.pcs[2] == pcs[2] && w.pcs[3] == pcs[3] {
		return w.line // compared as words, since all at once takes as long as the walk
	}
	l := f.among(pcs[:])
	if l == nil {
		return f.deep()
	}
	if at.Load() == nil { // two ways in one place would drive each other out for ever
		at.Store(&way{pcs, l})
	}
	return l
}

// A Trace is the way to a call, whose line is looked up when somebody wants to know: a line that is looked up for the first
// time takes memory.
type Trace [traced]uintptr

// traced is how many return addresses a Trace has.
const traced = 16

// Trace notes who calls.
func (f *Finder) Trace(t *Trace) { walk(t[:]) }

// LineOf is the innermost line of a Trace outside of the package, or nil.
func (f *Finder) LineOf(t *Trace) *Line { return f.among(t[:]) }

// among is the line of the first of some addresses that is outside, or nil.
func (f *Finder) among(pcs []uintptr) *Line {
	for _, pc := range pcs {
		if l := f.line(pc); l != nil {
			return l
		}
	}
	return nil
}

// deep is Caller of who is called from deep inside.
//
//go:noinline
func (f *Finder) deep() *Line {
	var pcs [far]uintptr
	walk(pcs[:])
	return f.among(pcs[:])
}

// line is the line of an address, nil if it is inside.
func (f *Finder) line(pc uintptr) *Line {
	at := place(pc)
	for i := range probes {
		if a := f.known[(at+i)%knownPlaces].Load(); a == nil {
			break
		} else if a.pc == pc {
			return a.line
		}
	}
	l := f.find(pc)
	f.learn(&address{pc, l})
	return l
}

// place is where an address may lie first.
func place(pc uintptr) int { return int(uint64(pc) * 0x9e3779b97f4a7c15 >> (64 - knownBits)) }

// learn notes an address, in the place of another one if there is no other.
func (f *Finder) learn(a *address) {
	at := place(a.pc)
	for i := range probes {
		slot := &f.known[(at+i)%knownPlaces]
		if old := slot.Load(); old == nil && slot.CompareAndSwap(nil, a) || old != nil && old.pc == a.pc {
			return
		}
	}
	f.known[at].Store(a)
}

// own are the functions of this package that may be on the stack.
const own = "rhinet/internal/callsite.(*Finder)."

// find looks at the function that an address is in, and at those inlined there.
func (f *Finder) find(pc uintptr) *Line {
	frames := runtime.CallersFrames([]uintptr{pc, 0}) // of the last one only the innermost would come
	for {
		at, more := frames.Next()
		if at.Function != "" && !strings.HasPrefix(at.Function, f.prefix) && !strings.HasPrefix(at.Function, own) {
			return &Line{at.File, at.Line}
		}
		if !more {
			return nil
		}
	}
}
