package vtime

import (
	"bufio"
	"fmt"
	"io"
	"path"
)

// A Tracer sees what happens in a model, in the order in which it happens. It
// must change nothing. Without one, an observation point costs one comparison.
type Tracer interface {
	// State is called when a module goes from one state to another.
	State(at Time, m *Module, from, to int)
	// Level is called when the depth of a queue or the use of a resource changes, or ahead, where that is known: what
	// is called later may have happened before.
	Level(at Time, s Source, level int)
	// Mark is called at a point that a model wants to be seen: what, with a
	// number such as that of a packet, by which the marks of one thing are joined.
	Mark(at Time, s Source, what string, id uint64)
}

// A FileTracer is a tracer that writes a file. Close ends it, and returns the first error of writing.
type FileTracer interface {
	Tracer
	Close() error
}

// NewFileTracer returns the tracer for a file of a name, which tells the format: .json for Perfetto, .vcd
// for GTKWave; nil for others.
func NewFileTracer(name string, out io.Writer) FileTracer {
	switch path.Ext(name) {
	case ".json":
		return NewChromeTracer(out)
	case ".vcd":
		return NewVCDTracer(out)
	}
	return nil
}

// Observe has t see what happens from now on; nil ends it.
func (k *Kernel) Observe(t Tracer) { k.trace = t }

// Mark shows what to the tracer, if there is one. Give a constant, so that it
// costs nothing without one.
func (s Source) Mark(what string, id uint64) {
	if t := s.k.trace; t != nil {
		t.Mark(s.k.now, s, what, id)
	}
}

func (s Source) level(n int) {
	if t := s.k.trace; t != nil {
		t.Level(s.k.now, s, n)
	}
}

// Busy shows the tracer, if there is one, that what the source stands for is in use from one time, at the earliest now, to
// another. The zero Source stands for nothing.
func (s Source) Busy(from, to Time) {
	if s.k == nil || s.k.trace == nil {
		return
	}
	s.k.trace.Level(from, s, 1)
	s.k.trace.Level(to, s, 0)
}

// A TextTracer writes one line for everything it sees. Close ends it.
type TextTracer struct{ w *bufio.Writer }

// NewTextTracer returns a tracer that writes to out.
func NewTextTracer(out io.Writer) *TextTracer { return &TextTracer{bufio.NewWriter(out)} }

// State writes: time, module, the two states, kind of work of the second.
func (t *TextTracer) State(at Time, m *Module, from, to int) {
	fmt.Fprintf(t.w, "%v %s %s -> %s\n", at, m.Name(), m.states[from].Name, m.states[to].Name)
}

// Level writes: time, source, level.
func (t *TextTracer) Level(at Time, s Source, level int) {
	fmt.Fprintf(t.w, "%v %s = %d\n", at, s.Name(), level)
}

// Mark writes: time, source, what, number.
func (t *TextTracer) Mark(at Time, s Source, what string, id uint64) {
	fmt.Fprintf(t.w, "%v %s %s %d\n", at, s.Name(), what, id)
}

// Close writes what is left, and returns the first error of writing.
func (t *TextTracer) Close() error { return t.w.Flush() }
