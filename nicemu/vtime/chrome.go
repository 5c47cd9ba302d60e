package vtime

import (
	"fmt"
	"io"
	"strings"

	"rhinet/internal/perfetto"
)

// A ChromeTracer writes the trace event format that Perfetto and chrome://tracing
// open. A source called "node 0 RFend" is thread RFend of process node 0. States
// are slices, levels are counters, and marks of one number are joined by arrows.
// Close ends it.
type ChromeTracer struct {
	w         *perfetto.Writer
	processes map[string]int
	threads   map[string]perfetto.Track
	since     map[*Module]Time
	flows     map[uint64]bool
	threadsAt int // threads below it belong to others
}

// NewChromeTracer returns a tracer that writes to out.
func NewChromeTracer(out io.Writer) *ChromeTracer {
	return &ChromeTracer{
		w: perfetto.New(out), processes: map[string]int{}, threads: map[string]perfetto.Track{}, since: map[*Module]Time{}, flows: map[uint64]bool{},
	}
}

// AddChrome writes what r has kept to a trace in which ranks have processes, those from 1 on: what
// is called "node 0" is shown below the threads of the first of them.
func AddChrome(w *perfetto.Writer, r *Recorder, ranks int) {
	t := &ChromeTracer{w: w, processes: map[string]int{}, threads: map[string]perfetto.Track{}, since: map[*Module]Time{}, flows: map[uint64]bool{}, threadsAt: threadsBelow}
	for i := range ranks {
		t.processes[fmt.Sprint("node ", i)] = i + 1
	}
	r.Replay(t)
}

// threadsBelow is more than the threads that a rank shows calls on.
const threadsBelow = 1000

// track returns where a source is shown, and says it when it is seen first.
func (t *ChromeTracer) track(name string) perfetto.Track {
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
		t.w.Process(pid, process)
	}
	p := perfetto.Track{Process: pid, Thread: t.threadsAt + len(t.threads) + 1}
	t.threads[name] = p
	t.w.Thread(p, thread)
	return p
}

// State writes the state that is left as a slice; the first state of a table, in
// which a module rests, is not shown.
func (t *ChromeTracer) State(at Time, m *Module, from, to int) {
	if begin, seen := t.since[m]; seen && from != 0 && at > begin {
		t.w.Slice(t.track(m.Name()), m.states[from].Name, picoseconds(begin), picoseconds(at-begin))
	}
	t.since[m] = at
}

// Level writes a counter.
func (t *ChromeTracer) Level(at Time, s Source, level int) {
	t.w.Counter(t.track(s.Name()).Process, s.Name(), picoseconds(at), level)
}

// Mark writes a point, and an arrow to it from the mark of that number before.
func (t *ChromeTracer) Mark(at Time, s Source, what string, id uint64) {
	p := t.track(s.Name())
	t.w.Slice(p, fmt.Sprintf("%s %d", what, id), picoseconds(at), perfetto.Nanosecond)
	step := perfetto.Via
	if !t.flows[id] {
		t.flows[id], step = true, perfetto.Begin
	}
	t.w.Arrow(p, step, "packet", id, picoseconds(at))
}

// picoseconds is a time as traces have it.
func picoseconds(t Time) int64 { return int64(t / Picosecond) }

// Close ends the file, and returns the first error of writing.
func (t *ChromeTracer) Close() error { return t.w.Close() }
