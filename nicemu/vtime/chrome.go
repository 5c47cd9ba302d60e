package vtime

import (
	"fmt"
	"io"
	"strings"

	"rhinet/internal/perfetto"
)

// ChromeTracer writes the trace event format of Perfetto and chrome://tracing. A source called
// "node 0 RFend" is thread RFend of process node 0. States are slices, levels are counters, and
// marks with the same number are joined by arrows. Close ends the file.
type ChromeTracer struct {
	w         *perfetto.Writer
	processes map[string]int
	threads   map[string]perfetto.Track
	since     map[*Module]Time
	flows     map[uint64]bool
	threadsAt int // threads with lower numbers belong to others
}

// NewChromeTracer returns a tracer that writes to out.
func NewChromeTracer(out io.Writer) *ChromeTracer {
	return &ChromeTracer{
		w: perfetto.New(out), processes: map[string]int{}, threads: map[string]perfetto.Track{}, since: map[*Module]Time{}, flows: map[uint64]bool{},
	}
}

// AddChrome writes what r has kept to a trace in which ranks are the processes from 1 on: sources
// of "node 0" are shown below the threads of the first rank.
func AddChrome(w *perfetto.Writer, r *Recorder, ranks int) {
	t := &ChromeTracer{w: w, processes: map[string]int{}, threads: map[string]perfetto.Track{}, since: map[*Module]Time{}, flows: map[uint64]bool{}, threadsAt: threadsBelow}
	for i := range ranks {
		t.processes[fmt.Sprint("node ", i)] = i + 1
	}
	r.Replay(t)
}

// threadsBelow is more than the number of threads on which a rank shows calls.
const threadsBelow = 1000

// track returns the track of a source, and declares it at its first use.
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

// State writes the state that the module leaves as a slice; the first state of a table, in which a
// module rests, is not shown.
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

// Mark writes a point, and an arrow to it from the previous mark with the same number.
func (t *ChromeTracer) Mark(at Time, s Source, what string, id uint64) {
	p := t.track(s.Name())
	t.w.Slice(p, fmt.Sprintf("%s %d", what, id), picoseconds(at), perfetto.Nanosecond)
	step := perfetto.Via
	if !t.flows[id] {
		t.flows[id], step = true, perfetto.Begin
	}
	t.w.Arrow(p, step, "packet", id, picoseconds(at))
}

// picoseconds returns a time in the unit of traces.
func picoseconds(t Time) int64 { return int64(t / Picosecond) }

// Close ends the file, and returns the first error of writing.
func (t *ChromeTracer) Close() error { return t.w.Close() }
