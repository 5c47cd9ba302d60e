package timed

import (
	"fmt"
	"io"
	"strings"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
	"rhinet/nicemu/vtime"
)

// A StageRow is one stage of a remote write or read.
type StageRow struct {
	Series    string  `json:"series"`
	Stage     string  `json:"stage"`
	Usec      float64 `json:"usec"`        // from the user process's first action
	Stated    float64 `json:"stated_usec"` // 0: not stated
	Deviation float64 `json:"deviation_percent"`
}

// WriteStages writes rows in one of Formats.
func WriteStages(out io.Writer, format string, rows []StageRow) error {
	var cells [][]string
	for _, r := range rows {
		off := ""
		if r.Stated > 0 {
			off = fmt.Sprintf("%+.1f", r.Deviation)
		}
		cells = append(cells, []string{r.Series, r.Stage, number(r.Usec), number(r.Stated), off})
	}
	return bench.WriteRows(out, format, []string{"series", "stage", "usec", "stated_usec", "deviation_percent"}, cells, rows)
}

// A Span is how long one lane of a time line did one thing, measured from the moment when RFend began with
// the packet.
type Span struct {
	Bytes int     `json:"bytes"`
	Lane  string  `json:"lane"`
	Doing string  `json:"doing"`
	From  float64 `json:"from_usec"`
	To    float64 `json:"to_usec"`
}

// What a lane may do, other than nothing.
const (
	doingMain    = "main"
	doingRFend   = "rfend handler"
	doingReplier = "replier handler"
	doingMiss    = "MISS"
	doingWait    = "WAIT"
	doingWork    = "active"
)

// lanes returns the lanes of the source's figure (martini, section 13, E9).
func lanes() []stepped.Module {
	return []stepped.Module{stepped.CPU, stepped.RFend, stepped.RBend, stepped.Replier, stepped.PCIDMAC}
}

// TimelineSizes are the sizes of E9, in bytes.
func TimelineSizes() []int { return []int{2048, 512, 8} }

// A recorder records when the modules of the receiver change what they do.
type recorder struct {
	sys   *timed.System
	bytes int
	first vtime.Time
	begun bool
	doing map[stepped.Module]string
	since map[stepped.Module]vtime.Time
	all   []Span
	end   vtime.Time // of the last handler
}

// Timeline is E9: what the parts of a receiver do during one VPUSH packet of the given size.
func Timeline(o Options, bytes int) ([]Span, error) {
	if bytes < 1 || bytes > stepped.MTU {
		return nil, fmt.Errorf("%w: a time line of %d bytes; a VPUSH has 1 to %d", bench.ErrInput, bytes, stepped.MTU)
	}
	t, err := network.Generate("one:2", 0)
	if err != nil {
		return nil, err
	}
	r := &recorder{bytes: bytes}
	sys, err := timed.New(t, o.Table, timed.Options{Ring: ringBytes, Observe: r.observe, Trouble: r.trouble})
	if err != nil {
		return nil, input(err)
	}
	defer sys.Close()
	x := &timed.Transfer{Kind: timed.VPush, To: 1, Bytes: bytes}
	for i := range 2 { // the first fills the TLBs
		if i == 1 && o.Trace != nil {
			sys.Kernel().Observe(o.Trace)
		}
		*r = recorder{sys: sys, bytes: bytes, doing: map[stepped.Module]string{stepped.CPU: doingMain}, since: map[stepped.Module]vtime.Time{}}
		if err := sys.Node(0).Post(x); err != nil {
			return nil, err
		}
		if err := sys.Kernel().Run(patience); err != nil {
			return nil, err
		}
	}
	return r.spans(), nil
}

func (r *recorder) trouble(_ int, mod stepped.Module, _ stepped.State) {
	if r.sys == nil {
		return
	}
	switch mod {
	case stepped.RFend:
		r.turn(stepped.CPU, doingRFend)
	case stepped.Replier:
		r.turn(stepped.CPU, doingReplier)
	}
}

func (r *recorder) observe(e stepped.Event) {
	if r.sys == nil || e.Node != 1 || e.From == e.To {
		return
	}
	if e.Module == stepped.RFend && e.To == stepped.FLIT0 && !r.begun {
		r.begun, r.first = true, r.sys.Kernel().Now()
	}
	if !r.begun {
		return
	}
	switch {
	case e.Module == stepped.CPU:
		if e.To == stepped.MAIN {
			r.turn(e.Module, doingMain)
			r.end = r.sys.Kernel().Now()
		}
	case e.To == stepped.MISS:
		r.turn(e.Module, doingMiss)
	case e.To == stepped.WAIT:
		r.turn(e.Module, doingWait)
	case e.To == stepped.IDLE:
		r.turn(e.Module, "")
	default:
		r.turn(e.Module, doingWork)
	}
}

// turn ends what a module does, and begins something else.
func (r *recorder) turn(mod stepped.Module, to string) {
	now := r.sys.Kernel().Now()
	from := max(r.since[mod], r.first)
	if was := r.doing[mod]; was != "" && was != to && now > from && r.begun {
		r.all = append(r.all, Span{r.bytes, mod.String(), was, (from - r.first).Microseconds(), (now - r.first).Microseconds()})
	}
	if r.doing[mod] != to {
		r.doing[mod], r.since[mod] = to, now
	}
}

// spans returns the spans lane by lane, up to the end of the replier handler.
func (r *recorder) spans() (all []Span) {
	end := (r.end - r.first).Microseconds()
	for _, mod := range lanes() {
		for _, s := range r.all {
			if s.Lane == mod.String() && s.From < end {
				s.To = min(s.To, end)
				if mod == stepped.PCIDMAC {
					s.Lane = "DMA"
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// WriteTimeline writes spans in one of bench.ModelFormats; a table is a drawing with one line for each
// lane.
func WriteTimeline(out io.Writer, format string, spans []Span) error {
	if format == "table" {
		return draw(out, spans)
	}
	return bench.WriteModel(out, format, []string{"bytes", "lane", "doing", "from_usec", "to_usec"}, spans, func(s Span) []string {
		return []string{fmt.Sprint(s.Bytes), s.Lane, s.Doing, fmt.Sprintf("%.3f", s.From), fmt.Sprintf("%.3f", s.To)}
	})
}

// width is the number of columns of the longest time line.
const width = 96

func draw(out io.Writer, spans []Span) error {
	signs := map[string]byte{doingMain: '.', doingRFend: 'F', doingReplier: 'R', doingMiss: 'M', doingWait: 'w', doingWork: '#'}
	longest := 0.0
	for _, s := range spans {
		longest = max(longest, s.To)
	}
	unit := longest / width
	var b strings.Builder
	bytes := -1
	for i := 0; i < len(spans); {
		s := spans[i]
		if s.Bytes != bytes {
			bytes = s.Bytes
			fmt.Fprintf(&b, "VPUSH of %d bytes, a column is %.3f us\n", bytes, unit)
		}
		row := []byte(strings.Repeat(" ", width))
		for ; i < len(spans) && spans[i].Lane == s.Lane && spans[i].Bytes == bytes; i++ {
			from := int(spans[i].From / unit)
			for at := from; at < min(width, max(from+1, int(spans[i].To/unit))); at++ {
				row[at] = signs[spans[i].Doing]
			}
		}
		fmt.Fprintf(&b, "%-8s|%s|\n", s.Lane, strings.TrimRight(string(row), " "))
	}
	fmt.Fprintln(&b, ". main  F rfend handler  R replier handler  # active  M MISS  w WAIT")
	_, err := io.WriteString(out, b.String())
	return err
}
