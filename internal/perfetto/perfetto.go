// Package perfetto writes traces in the trace event format that Perfetto (ui.perfetto.dev) and
// chrome://tracing open: processes with threads that contain slices, points and counters, and arrows from
// slice to slice.
package perfetto

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// The unit of all times is the picosecond.
const (
	Nanosecond  = 1000
	Microsecond = 1000 * Nanosecond
)

// A Track is where something is shown: a thread of a process.
type Track struct{ Process, Thread int }

// A Writer writes one trace. Close ends the trace and returns any error of writing.
type Writer struct {
	w    *bufio.Writer
	some bool
}

// New returns a writer to out.
func New(out io.Writer) *Writer {
	w := &Writer{w: bufio.NewWriter(out)}
	w.w.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	return w
}

// emit writes one event, given without its braces.
func (w *Writer) emit(format string, args ...any) {
	if w.some {
		w.w.WriteByte(',')
	}
	w.some = true
	w.w.WriteString("\n{")
	fmt.Fprintf(w.w, format, args...)
	w.w.WriteByte('}')
}

// quoted returns a string as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // never fails for a string
	return string(b)
}

// micros returns a time as the format requires: in microseconds, exact.
func micros(t int64) string {
	if t < 0 {
		return fmt.Sprintf("-%d.%06d", -t/Microsecond, -t%Microsecond)
	}
	return fmt.Sprintf("%d.%06d", t/Microsecond, t%Microsecond)
}

// Process names a process.
func (w *Writer) Process(pid int, name string) {
	w.emit(`"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}`, pid, quoted(name))
}

// Thread names a thread.
func (w *Writer) Thread(t Track, name string) {
	w.emit(`"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%s}`, t.Process, t.Thread, quoted(name))
}

// An Arg is an attribute of a slice.
type Arg struct {
	Name  string
	Value any // a number or a string
}

// Slice writes a slice that lasts from begin for the given time.
func (w *Writer) Slice(t Track, name string, begin, lasted int64, args ...Arg) {
	more := ""
	for i, a := range args {
		b, err := json.Marshal(a.Value)
		if err != nil {
			b = []byte(quoted(err.Error()))
		}
		lead := ","
		if i == 0 {
			lead = `,"args":{`
		}
		more += lead + quoted(a.Name) + ":" + string(b)
	}
	if more != "" {
		more += "}"
	}
	w.emit(`"ph":"X","name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s%s`, quoted(name), t.Process, t.Thread, micros(begin), micros(lasted), more)
}

// Counter writes the value that a counter of a process has from the time at on.
func (w *Writer) Counter(pid int, name string, at int64, value int) {
	w.emit(`"ph":"C","name":%s,"pid":%d,"ts":%s,"args":{"level":%d}`, quoted(name), pid, micros(at), value)
}

// A Step is a part of an arrow.
type Step string

// The steps: an arrow leads from Begin over any number of Via to End. It joins the slices that are open at
// these times.
const (
	Begin Step = "s"
	Via   Step = "t"
	End   Step = "f"
)

// Arrow writes a step of the arrow called id.
func (w *Writer) Arrow(t Track, step Step, name string, id uint64, at int64) {
	bound := ""
	if step == End {
		bound = `,"bp":"e"` // to the enclosing slice, not to the next one
	}
	w.emit(`"ph":%q,"name":%s,"cat":%s,"id":%d,"pid":%d,"tid":%d,"ts":%s%s`, string(step), quoted(name), quoted(name), id, t.Process, t.Thread, micros(at), bound)
}

// Close ends the trace, and returns the first error of writing.
func (w *Writer) Close() error {
	w.w.WriteString("\n]}\n")
	return w.w.Flush()
}
