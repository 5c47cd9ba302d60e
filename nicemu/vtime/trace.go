package vtime

import (
	"bufio"
	"fmt"
	"io"
	"path"
)

// A Tracer observes a model: it gets calls in the order of events. It must not change the model.
// Without a tracer, an observation point costs one comparison.
type Tracer interface {
	// State is called when a module goes from one state to another.
	State(at Time, m *Module, from, to int)
	// Level is called when the depth of a queue or the use of a resource changes, or in advance if
	// the time of the change is known: so later calls may be for earlier times.
	Level(at Time, s Source, level int)
	// Mark is called at a point that a model wants to show: what, with a number such as that of a
	// packet, which connects the marks of one thing.
	Mark(at Time, s Source, what string, id uint64)
}

// A FileTracer is a tracer that writes a file. Close ends the file, and returns the first error of
// writing.
type FileTracer interface {
	Tracer
	Close() error
}

// NewFileTracer returns the tracer for a file with a name, whose extension selects the format:
// .json for Perfetto, .vcd for GTKWave. It returns nil for others.
func NewFileTracer(name string, out io.Writer) FileTracer {
	switch path.Ext(name) {
	case ".json":
		return NewChromeTracer(out)
	case ".vcd":
		return NewVCDTracer(out)
	}
	return nil
}

// Observe has t observe events from now on; nil ends that.
func (k *Kernel) Observe(t Tracer) { k.trace = t }

// Mark passes a mark to the tracer, if there is one. what should be a constant, so that the call
// costs nothing without a tracer.
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

// Busy tells the tracer, if there is one, that the source is in use between two times, the first of
// which is not before now. A zero Source is ignored.
func (s Source) Busy(from, to Time) {
	if s.k == nil || s.k.trace == nil {
		return
	}
	s.k.trace.Level(from, s, 1)
	s.k.trace.Level(to, s, 0)
}

// A TextTracer writes one line for each call. Close ends the file.
type TextTracer struct{ w *bufio.Writer }

// NewTextTracer returns a tracer that writes to out.
func NewTextTracer(out io.Writer) *TextTracer { return &TextTracer{bufio.NewWriter(out)} }

// State writes time, module, and the old and the new state.
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

// Close writes buffered lines, and returns the first error of writing.
func (t *TextTracer) Close() error { return t.w.Flush() }
