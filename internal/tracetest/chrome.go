package tracetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// A Trace is a valid file of the trace event format, in the order of the file.
type Trace struct {
	Events []Event
}

// An Event is an event of a trace. Times are in microseconds.
type Event struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	At    json.Number    `json:"ts"`
	Dur   json.Number    `json:"dur"`
	ID    *uint64        `json:"id"`
	Cat   string         `json:"cat"`
	Bound string         `json:"bp"`
	Args  map[string]any `json:"args"`

	from, to int64 // picoseconds
}

// Phases of events ("Trace Event Format", Google): those that rhinet writes.
const (
	phaseName  = "M" // with its duration, so no end can be missing
	phaseSlice = "X" // with its duration, so that no end can be missing
	phaseCount = "C"
	flowBegin  = "s"
	flowVia    = "t"
	flowEnd    = "f"
)

// Chrome parses a trace, and returns everything that is wrong with it: violations of the format; slices of
// a thread that overlap without being nested; arrows without a beginning, an end or a slice; processes and
// threads without exactly one name; counters that go back in time.
func Chrome(text []byte) (*Trace, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	var file struct {
		Unit   string   `json:"displayTimeUnit"`
		Events *[]Event `json:"traceEvents"`
	}
	switch err := d.Decode(&file); {
	case err != nil:
		return nil, fmt.Errorf("no trace: %w", err)
	case d.More():
		return nil, errors.New("no trace: there is more after its end")
	case file.Events == nil || file.Unit != "ns" && file.Unit != "ms":
		return nil, errors.New("no trace: it has no events, or no unit that is shown")
	}
	c := chrome{processes: map[int]bool{}, threads: map[track]bool{}, slices: map[track][]span{}, flows: map[flow][]*Event{}, counters: map[counter]int64{}}
	for i := range *file.Events {
		c.take(&(*file.Events)[i])
	}
	c.named(*file.Events)
	c.nested()
	c.joined()
	return &Trace{*file.Events}, errors.Join(c.wrong...)
}

// A track is a thread of a process.
type track struct{ pid, tid int }

// A span is a slice, or the time covered by several.
type span struct{ from, to int64 }

// A flow identifies an arrow: ids are distinguished by category.
type flow struct {
	cat string
	id  uint64
}

// A counter is identified by its process and its name.
type counter struct {
	pid  int
	name string
}

// chrome is a trace that is being checked.
type chrome struct {
	processes map[int]bool
	threads   map[track]bool
	slices    map[track][]span
	flows     map[flow][]*Event
	counters  map[counter]int64 // time of the last value
	wrong     []error
}

// mostWrong is how many faults of one trace are reported.
const mostWrong = 20

func (c *chrome) fault(e *Event, text string, args ...any) {
	if len(c.wrong) < mostWrong {
		c.wrong = append(c.wrong, fmt.Errorf("%s %q of %d/%d at %q: "+text, append([]any{e.Phase, e.Name, e.Pid, e.Tid, e.At.String()}, args...)...))
	}
}

// take checks an event by itself.
func (c *chrome) take(e *Event) {
	if e.Phase == phaseName {
		c.name(e)
		return
	}
	ok := false
	if e.from, ok = picoseconds(e.At); !ok {
		c.fault(e, "no time")
	}
	if (e.Dur != "") != (e.Phase == phaseSlice) || (e.ID != nil) != (e.flows()) || e.Name == "" {
		c.fault(e, "wrong fields")
	}
	at := track{e.Pid, e.Tid}
	switch e.Phase {
	case phaseSlice:
		lasts, ok := picoseconds(e.Dur)
		if !ok || lasts < 0 {
			c.fault(e, "lasts %q", e.Dur)
		}
		e.to = e.from + lasts
		c.slices[at] = append(c.slices[at], span{e.from, e.to})
	case phaseCount:
		c.count(e)
	case flowBegin, flowVia, flowEnd:
		if e.Cat == "" {
			c.fault(e, "no category, by which ids are told apart")
		}
		if e.ID != nil {
			f := flow{e.Cat, *e.ID}
			c.flows[f] = append(c.flows[f], e)
		}
	default:
		c.fault(e, "a phase that nothing writes")
	}
}

func (e *Event) flows() bool { return e.Phase == flowBegin || e.Phase == flowVia || e.Phase == flowEnd }

// picoseconds parses a time, which must be a multiple of a picosecond.
func picoseconds(n json.Number) (int64, bool) {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok || n == "" {
		return 0, false
	}
	r.Mul(r, big.NewRat(1e6, 1))
	return r.Num().Int64(), r.IsInt() && r.Num().IsInt64()
}

// name handles the name of a process or of a thread, which must have exactly one.
func (c *chrome) name(e *Event) {
	if name, is := e.Args["name"].(string); !is || name == "" {
		c.fault(e, "names nothing")
	}
	at := track{e.Pid, e.Tid}
	switch {
	case e.Name == "process_name" && !c.processes[e.Pid]:
		c.processes[e.Pid] = true
	case e.Name == "thread_name" && !c.threads[at]:
		c.threads[at] = true
	default:
		c.fault(e, "a second name, or of something else")
	}
}

func (c *chrome) count(e *Event) {
	for _, v := range e.Args {
		if _, is := v.(json.Number); !is {
			c.fault(e, "counts %v", v)
		}
	}
	of := counter{e.Pid, e.Name}
	if last, there := c.counters[of]; len(e.Args) == 0 || there && e.from < last {
		c.fault(e, "counts nothing, or back in time")
	}
	c.counters[of] = e.from
}

// named finds events without a named process or thread.
func (c *chrome) named(all []Event) {
	for i := range all {
		e := &all[i]
		if !c.processes[e.Pid] || e.Phase != phaseName && e.Phase != phaseCount && !c.threads[track{e.Pid, e.Tid}] {
			c.fault(e, "its process or thread has no name")
		}
	}
}

// nested finds slices of a thread that overlap without being nested, and sorts all slices.
func (c *chrome) nested() {
	for at, all := range c.slices {
		slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
		var open []span
		for i, s := range all {
			for len(open) > 0 && open[len(open)-1].to <= s.from && open[len(open)-1].to < s.to {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && open[n-1].to < s.to {
				c.fault(&Event{Phase: phaseSlice, Pid: at.pid, Tid: at.tid}, "%d to %d ps overlaps %d to %d ps", s.from, s.to, open[n-1].from, open[n-1].to)
			}
			open = append(open, s)
			if i > 0 { // for within: extend to the end of the earlier slices
				all[i].to = max(s.to, all[i-1].to)
			}
		}
	}
}

// within reports whether a slice of the thread is open at a time. It must be called after nested.
func (c *chrome) within(at track, t int64) bool {
	all := c.slices[at]
	i, _ := slices.BinarySearchFunc(all, t, func(s span, t int64) int {
		if s.from <= t {
			return -1
		}
		return 1
	})
	return i > 0 && (all[i-1].to > t || all[i-1].from == t)
}

// joined finds incomplete arrows.
func (c *chrome) joined() {
	for _, steps := range c.flows {
		slices.SortStableFunc(steps, func(a, b *Event) int { return cmp.Compare(a.from, b.from) })
		for i, e := range steps {
			if (e.Phase == flowBegin) != (i == 0) || e.Phase == flowEnd && i < len(steps)-1 {
				c.fault(e, "step %d of %d of arrow %d", i+1, len(steps), *e.ID)
			}
			if e.Name != steps[0].Name {
				c.fault(e, "the arrow %d is called %q as well", *e.ID, steps[0].Name)
			}
			if !c.within(track{e.Pid, e.Tid}, e.from) || e.Phase == flowEnd && e.Bound != "e" {
				c.fault(e, "the arrow %d has no slice here", *e.ID)
			}
		}
		if len(steps) == 1 {
			c.fault(steps[0], "the arrow %d leads nowhere", *steps[0].ID)
		}
	}
}
