package vtime

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A ChromeTracer writes the trace event format that Perfetto and chrome://tracing
// open. A source called "node 0 RFend" is thread RFend of process node 0. States
// are slices, levels are counters, and marks of one number are joined by arrows.
// Close ends it.
type ChromeTracer struct {
	w         *bufio.Writer
	some      bool
	processes map[string]int
	threads   map[string]place
	since     map[*Module]Time
	flows     map[uint64]bool
}

// A place is where a source is shown.
type place struct{ process, thread int }

// NewChromeTracer returns a tracer that writes to out.
func NewChromeTracer(out io.Writer) *ChromeTracer {
	t := &ChromeTracer{w: bufio.NewWriter(out), processes: map[string]int{}, threads: map[string]place{}, since: map[*Module]Time{}, flows: map[uint64]bool{}}
	t.w.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	return t
}

// emit writes one event.
func (t *ChromeTracer) emit(format string, args ...any) {
	if t.some {
		t.w.WriteByte(',')
	}
	t.some = true
	t.w.WriteByte('\n')
	fmt.Fprintf(t.w, format, args...)
}

// place returns where a source is shown, and says it when it is seen first.
func (t *ChromeTracer) place(name string) place {
	if p, there := t.threads[name]; there {
		return p
	}
	process, thread := name, name
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		process, thread = name[:i], name[i+1:]
	}
	pid, there := t.processes[process]
	if !there {
		pid = len(t.processes) + 1
		t.processes[process] = pid
		t.emit(`{"ph":"M","name":"process_name","pid":%d,"args":{"name":%q}}`, pid, process)
	}
	p := place{pid, len(t.threads) + 1}
	t.threads[name] = p
	t.emit(`{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%q}}`, p.process, p.thread, thread)
	return p
}

// micros writes a time as the format has it: in microseconds, exact.
func micros(t Time) string { return fmt.Sprintf("%d.%06d", t/Microsecond, t%Microsecond) }

// State writes the state that is left as a slice; the first state of a table, in
// which a module rests, is not shown.
func (t *ChromeTracer) State(at Time, m *Module, from, to int) {
	if begin, seen := t.since[m]; seen && from != 0 && at > begin {
		p := t.place(m.Name())
		t.emit(`{"ph":"X","name":%q,"pid":%d,"tid":%d,"ts":%s,"dur":%s}`, m.states[from].Name, p.process, p.thread, micros(begin), micros(at-begin))
	}
	t.since[m] = at
}

// Level writes a counter.
func (t *ChromeTracer) Level(at Time, s Source, level int) {
	p := t.place(s.Name())
	t.emit(`{"ph":"C","name":%q,"pid":%d,"ts":%s,"args":{"level":%d}}`, s.Name(), p.process, micros(at), level)
}

// Mark writes a point, and an arrow to it from the mark of that number before.
func (t *ChromeTracer) Mark(at Time, s Source, what string, id uint64) {
	p := t.place(s.Name())
	t.emit(`{"ph":"X","name":"%s %d","pid":%d,"tid":%d,"ts":%s,"dur":0.001}`, what, id, p.process, p.thread, micros(at))
	phase := "t"
	if !t.flows[id] {
		t.flows[id], phase = true, "s"
	}
	t.emit(`{"ph":%q,"name":"packet","cat":"packet","id":%d,"pid":%d,"tid":%d,"ts":%s}`, phase, id, p.process, p.thread, micros(at))
}

// Close ends the file, and returns the first error of writing.
func (t *ChromeTracer) Close() error {
	t.w.WriteString("\n]}\n")
	return t.w.Flush()
}
