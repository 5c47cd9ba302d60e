package watch

import (
	"fmt"
	"math"
	"slices"

	"rhinet/bench/host"
)

// Tolerances: counts may rise by this much per repetition (the Go runtime allocates and sleeps a little by
// itself), and the first quartile of the times may exceed the third quartile of the record by this factor.
const (
	moreAllocs   = 0.25
	moreSyscalls = 0.5
	slower       = 1.25
)

// Instructions and cache lines may rise by this share, or by a multiple of the noise in the record; lines
// by fewLines in any case, because the addresses of buffers can change one or two.
const (
	moreInstructions = 0.01
	moreLines        = 0.05
	timesNoise       = 3
	fewLines         = 2
)

// A Finding is something that costs more than in the record.
type Finding struct {
	What string // from Test.String or Work.Name
	Text string
}

func (f Finding) String() string { return f.What + ": " + f.Text }

// Merge takes over lower costs from another record of the same machine: a busy machine only adds to a cost.
func (r *Record) Merge(other *Record) {
	for i, c := range r.Costs {
		for _, o := range other.Costs {
			if o.name() != c.name() {
				continue
			}
			c.Allocs = min(c.Allocs, o.Allocs)
			if o.Syscalls >= 0 {
				c.Syscalls = min(c.Syscalls, o.Syscalls)
			}
			if o.Median < c.Median {
				c.Low, c.Median, c.High = o.Low, o.Median, o.High
			}
			r.Costs[i] = c
		}
	}
	for i, w := range r.Works {
		for _, o := range other.Works {
			if o.Work == w.Work && o.Tool == w.Tool {
				w.Instructions, w.Lines, w.Cycles = min(w.Instructions, o.Instructions), min(w.Lines, o.Lines), min(w.Cycles, o.Cycles)
				r.Works[i] = w
			}
		}
	}
}

// Compare lists what costs more in now than in before. Times are compared only if requested, and only
// between machines of the same kind; notes say what was not compared.
func Compare(before, now *Record, times bool) (findings []Finding, notes []string) {
	same := before.Host.CPU == now.Host.CPU && before.Host.Cores == now.Host.Cores && before.Host.OS == now.Host.OS
	if times && !same {
		notes = append(notes, fmt.Sprintf("times are not compared: before it was %s with %d cores", before.Host.CPU, before.Host.Cores))
	}
	old := map[string]Cost{}
	for _, c := range before.Costs {
		old[c.name()] = c
	}
	for _, c := range now.Costs {
		o, ok := old[c.name()]
		if !ok {
			notes = append(notes, c.name()+": not in the record of before")
			continue
		}
		add := func(format string, args ...any) {
			findings = append(findings, Finding{c.name(), fmt.Sprintf(format, args...)})
		}
		if c.Allocs > o.Allocs+moreAllocs {
			add("%.2f allocations, %.2f before", c.Allocs, o.Allocs)
		}
		switch {
		case c.Syscalls < 0 || o.Syscalls < 0:
			notes = append(notes, c.name()+": system calls are not compared")
		case c.Syscalls > o.Syscalls+moreSyscalls:
			add("%.2f system calls, %.2f before", c.Syscalls, o.Syscalls)
		}
		if times && same && c.Low > slower*o.High {
			add("%.3f µs [%.3f %.3f], before %.3f [%.3f %.3f]", c.Median, c.Low, c.High, o.Median, o.Low, o.High)
		}
	}
	more, said := compareWorks(before, now)
	return append(findings, more...), append(notes, said...)
}

// compareWorks lists works that take more instructions or cache lines. Counts of another tool, system, or
// version of Go are not comparable; those of the processor's own counters not on another processor.
func compareWorks(before, now *Record) (findings []Finding, notes []string) {
	if len(now.Works) == 0 {
		return nil, nil // already noted when counting
	}
	if !before.counted(&now.Host) {
		return nil, []string{fmt.Sprintf("instructions are not compared: before it was %s on %s", before.Host.Go, before.Host.OS)}
	}
	old := map[string]WorkCost{}
	for _, w := range before.Works {
		old[w.Work] = w
	}
	for _, w := range now.Works {
		o, ok := old[w.Work]
		switch {
		case !ok:
			notes = append(notes, w.Work+": not in the record of before")
			continue
		case o.Tool != w.Tool:
			notes = append(notes, fmt.Sprintf("%s: instructions are not compared: before they were counted by %s, now by %s", w.Work, o.Tool, w.Tool))
			continue
		case w.Tool == perf.name && before.Host.CPU != now.Host.CPU:
			notes = append(notes, fmt.Sprintf("%s: instructions are not compared: before it was %s", w.Work, before.Host.CPU))
			continue
		}
		instructions, lines := o.most(timesNoise)
		if w.Instructions > instructions {
			findings = append(findings, Finding{w.Work, fmt.Sprintf("%.0f instructions, %.0f before, at most %.0f", w.Instructions, o.Instructions, instructions)})
		}
		if w.Lines > lines {
			findings = append(findings, Finding{w.Work, fmt.Sprintf("%.1f cache lines, %.1f before, at most %.1f", w.Lines, o.Lines, lines)})
		}
	}
	return findings, notes
}

// most returns how many instructions and cache lines a work may take that took w before, if it may exceed that
// by its noise, times a factor.
func (w *WorkCost) most(times float64) (instructions, lines float64) {
	if lines = math.Inf(1); w.Lines >= 0 {
		lines = w.Lines + max(fewLines, w.Lines*max(moreLines, times*w.LinesNoise))
	}
	return w.Instructions * (1 + max(moreInstructions, times*w.Noise)), lines
}

// counted reports whether instructions on a host can be compared with those of the record.
func (r *Record) counted(h *host.Host) bool { return r.Host.OS == h.OS && r.Host.Go == h.Go }

// enough reports whether a work, counted on h, needs no further tries: it takes no more than in the record, or
// more by no more than the noise there. Further tries could only lower the count. One try may be too low by the
// noise, so what takes more than compareWorks allows is still found.
func (r *Record) enough(h *host.Host, w WorkCost) bool {
	if !r.counted(h) || w.Tool == perf.name && r.Host.CPU != h.CPU {
		return false
	}
	i := slices.IndexFunc(r.Works, func(o WorkCost) bool { return o.Work == w.Work && o.Tool == w.Tool })
	if i < 0 {
		return false
	}
	instructions, lines := r.Works[i].most(1)
	return w.Instructions <= instructions && w.Lines <= lines
}
