package model

import (
	"fmt"
	"io"
	"strings"

	"rhinet/bench"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// A Span is how long one lane of a time line did one thing. Steps are counted from the first step of RFend
// on the packet.
type Span struct {
	Bytes int    `json:"bytes"` // of the packet
	Lane  string `json:"lane"`
	Doing string `json:"doing"`
	From  int    `json:"from"`
	To    int    `json:"to"` // exclusive
}

// What a lane may do, other than nothing.
const (
	doingMain    = "main" // CPU: polls for modules to take over
	doingRFend   = "rfend handler"
	doingReplier = "replier handler"
	doingOther   = "handler"
	doingMiss    = "MISS" // suspended
	doingWait    = "WAIT"
	doingWork    = "active"
)

// signs draws them.
func signs() map[string]byte {
	return map[string]byte{
		doingMain: '.', doingRFend: 'F', doingReplier: 'R', doingOther: 'H', doingMiss: 'M', doingWait: 'w', doingWork: '#',
	}
}

// lanes returns the lanes of the source's figure (martini, section 13, E9).
func lanes() []struct {
	name   string
	module stepped.Module
} {
	return []struct {
		name   string
		module stepped.Module
	}{{"CPU", stepped.CPU}, {"RFend", stepped.RFend}, {"RBend", stepped.RBend}, {"Replier", stepped.Replier}, {"DMA", stepped.PCIDMAC}}
}

// TimelineSizes are the sizes of E9, in bytes.
func TimelineSizes() []int { return []int{2048, 512, 8} }

// Timeline is E9: what the parts of a receiver do from the moment RFend begins with one VPUSH packet of the
// given size until the Replier's handler has ended.
func Timeline(bytes int) ([]Span, error) {
	if bytes < 1 || bytes > stepped.MTU {
		return nil, fmt.Errorf("%w: a time line of %d bytes; a VPUSH has 1 to %d", bench.ErrInput, bytes, stepped.MTU)
	}
	r := new(recorder)
	w, err := newWorld(2, ringBytes, bytes, stepped.Options{Observe: r.observe, Trouble: r.trouble})
	if err != nil {
		return nil, err
	}
	defer w.close()
	ring, err := w.m.NewRing(1, 0, w.area[1], stepped.RingOptions{})
	if err != nil {
		return nil, err
	}
	for i := range 2 { // the first fills the TLBs
		if r.on = i == 1; r.on {
			ring.Release(len(ring.Next()))
		}
		req := martini.Request{Node: 1, Segment: stepped.VPushSegment, Flag: 1}
		if _, err := w.m.Push(0, 0, req, w.source[0][:bytes]); err != nil {
			return nil, err
		}
		if err := w.m.Run(patience); err != nil {
			return nil, err
		}
	}
	return r.spans(bytes), nil
}

// A recorder records what the receiver's modules do in each step.
type recorder struct {
	on      bool
	first   uint64 // step in which RFend began
	end     int    // last step of a handler, from first
	handler string // that runs, or is about to run
	doing   [stepped.Modules][]string
}

func (r *recorder) trouble(_ int, mod stepped.Module, _ stepped.State) {
	switch mod {
	case stepped.RFend:
		r.handler = doingRFend
	case stepped.Replier:
		r.handler = doingReplier
	default:
		r.handler = doingOther
	}
}

func (r *recorder) observe(e stepped.Event) {
	if e.Node != 1 {
		return
	}
	handler := r.handler
	if e.Module == stepped.CPU && e.To == stepped.MAIN {
		r.handler = ""
	}
	if !r.on {
		return
	}
	if r.first == 0 {
		if e.Module != stepped.RFend || e.To != stepped.FLIT0 {
			return
		}
		r.first = e.Step
	}
	at := int(e.Step - r.first)
	if e.Module == stepped.CPU {
		if e.To == stepped.MAIN {
			r.end = at + 1
		}
		r.note(e.Module, at, handler) // until it is known, the main loop is asking
		return
	}
	switch {
	case e.From == stepped.MISS:
		r.note(e.Module, at, doingMiss)
	case e.Work == stepped.Waiting || e.From == stepped.WAIT:
		r.note(e.Module, at, doingWait)
	default:
		r.note(e.Module, at, doingWork)
	}
}

// note records what a module does in a step, unless that is recorded already: a module that firmware
// resumes acts again in the same step.
func (r *recorder) note(mod stepped.Module, at int, what string) {
	d := r.doing[mod]
	for len(d) <= at {
		d = append(d, "")
	}
	if d[at] == "" {
		d[at] = what
	}
	r.doing[mod] = d
}

// spans joins equal steps.
func (r *recorder) spans(bytes int) (all []Span) {
	for _, l := range lanes() {
		d := r.doing[l.module]
		begin := len(all)
		for at := range r.end {
			what := ""
			if at < len(d) {
				what = d[at]
			}
			if what == "" && l.module == stepped.CPU {
				what = doingMain
			}
			if last := len(all) - 1; last >= begin && all[last].Doing == what {
				all[last].To++
			} else {
				all = append(all, Span{bytes, l.name, what, at, at + 1})
			}
		}
		kept := all[:begin]
		for _, s := range all[begin:] {
			if s.Doing != "" {
				kept = append(kept, s)
			}
		}
		all = kept
	}
	return all
}

// WriteTimeline writes spans in a format of package bench; a table is a drawing with one line for each
// lane.
func WriteTimeline(out io.Writer, format string, spans []Span) error {
	if format == "table" {
		return draw(out, spans)
	}
	return bench.WriteModel(out, format, []string{"bytes", "lane", "doing", "from", "to"}, spans, func(s Span) []string {
		return []string{fmt.Sprint(s.Bytes), s.Lane, s.Doing, fmt.Sprint(s.From), fmt.Sprint(s.To)}
	})
}

// width is the maximum number of columns of the longest time line.
const width = 96

func draw(out io.Writer, spans []Span) error {
	var b strings.Builder
	unit := 1
	for _, s := range spans {
		unit = max(unit, (s.To+width-1)/width)
	}
	sign := signs()
	lastBytes, lane := -1, ""
	var line []byte
	flush := func() {
		if lane != "" {
			fmt.Fprintf(&b, "%-8s|%s|\n", lane, line)
		}
	}
	for _, s := range spans {
		if s.Bytes != lastBytes || s.Lane != lane {
			flush()
			if s.Bytes != lastBytes {
				fmt.Fprintf(&b, "VPUSH of %d bytes, a column is %d steps\n", s.Bytes, unit)
			}
			lastBytes, lane, line = s.Bytes, s.Lane, nil
		}
		line = paint(line, s, unit, sign[s.Doing])
	}
	flush()
	fmt.Fprintln(&b, ". main  F rfend handler  R replier handler  H other handler  # active  M MISS  w WAIT")
	_, err := io.WriteString(out, b.String())
	return err
}

// paint draws a span: a column shows the last thing done in it.
func paint(line []byte, s Span, unit int, sign byte) []byte {
	for at := s.From / unit; at <= (s.To-1)/unit; at++ {
		for len(line) <= at {
			line = append(line, ' ')
		}
		line[at] = sign
	}
	return line
}
