// Package callsite finds the calling line, cheaply enough to do it often: it reads the return addresses on
// the stack along the frame pointers, up to the first known to lie outside of a package, and looks up the
// line of an address only once.
package callsite

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

// near is how many return addresses are read at first, and far how many if all of these are inside. The
// first few suffice if calls inside are not deep.
const (
	near = 4
	far  = 48
)

// A Finder finds lines outside of one package. The zero value is not usable: see New.
type Finder struct {
	prefix string // of the names of functions inside
	ways   [knownPlaces]atomic.Pointer[way]
	known  [knownPlaces]atomic.Pointer[address]
}

// A way is a path by which a function of the package was called, and its calling line. Most calls find
// theirs, since a program calls from the same places again and again.
type way struct {
	pcs  [near]uintptr
	line *Line
}

// An address is a return address with its line: the innermost one outside of the package, among the
// functions inlined there; nil: all are inside.
type address struct {
	pc   uintptr
	line *Line
}

// The table of known addresses: its size, a power of two, and how many adjacent entries are searched for an
// address.
const (
	knownBits   = 10
	knownPlaces = 1 << knownBits
	probes      = 8
)

// A Line is a line of a source file.
type Line struct {
	File   string
	Number int
}

// String returns file and number as compilers write them; it is empty for nil.
func (l *Line) String() string {
	if l == nil {
		return ""
	}
	return l.File + ":" + strconv.Itoa(l.Number)
}

// New returns a Finder of lines outside of the package with the given path.
func New(pkg string) *Finder { return &Finder{prefix: pkg + "."} }

// Caller returns the innermost line on the stack outside of the package, or nil.
func (f *Finder) Caller() *Line {
	var pcs [near]uintptr
	walk(pcs[:])
	at := &f.ways[place(pcs[1]^pcs[2]<<1^pcs[3]<<2)]
	if w := at.Load(); w != nil && w.pcs[0] == pcs[0] && w.pcs[1] == pcs[1] && w.pcs[2] == pcs[2] && w.pcs[3] == pcs[3] {
		return w.line // compared word by word: comparing the arrays takes as long as the walk
	}
	l := f.among(pcs[:])
	if l == nil {
		return f.deep()
	}
	if at.Load() == nil { // do not replace: two ways with the same entry would evict each other for ever
		at.Store(&way{pcs, l})
	}
	return l
}

// A Trace is the path to a call. Its line is looked up only on request, because the first lookup of a line
// allocates memory.
type Trace [traced]uintptr

// traced is how many return addresses a Trace has.
const traced = 16

// Trace records the current path.
func (f *Finder) Trace(t *Trace) { walk(t[:]) }

// LineOf returns the innermost line of a Trace outside of the package, or nil.
func (f *Finder) LineOf(t *Trace) *Line { return f.among(t[:]) }

// among returns the line of the first of some addresses that is outside, or nil.
func (f *Finder) among(pcs []uintptr) *Line {
	for _, pc := range pcs {
		if l := f.line(pc); l != nil {
			return l
		}
	}
	return nil
}

// deep is Caller for a deep stack inside the package.
//
//go:noinline
func (f *Finder) deep() *Line {
	var pcs [far]uintptr
	walk(pcs[:])
	return f.among(pcs[:])
}

// line returns the line of an address, nil if it is inside.
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

// place returns the first entry of the table for an address.
func place(pc uintptr) int { return int(uint64(pc) * 0x9e3779b97f4a7c15 >> (64 - knownBits)) }

// learn enters an address, and replaces another one if there is no free entry.
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

// own is the prefix of the functions of this package that may be on the stack.
const own = "rhinet/internal/callsite.(*Finder)."

// find looks up the function of an address, and those inlined there.
func (f *Finder) find(pc uintptr) *Line {
	frames := runtime.CallersFrames([]uintptr{pc, 0}) // a second address, because for the last one only the innermost function is returned
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
