package observe

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rhinet/internal/perfetto"
)

// An event is an event of a rank, with its times in picoseconds.
type event struct {
	from, to int64
	call     string
	flags    Flags
	context  uint16
	peer     int
	tag      int
	bytes    int
	lane     int    // the lane in which it is shown
	arrow    uint64 // the arrow that begins or ends here; 0: none
}

// A Cut says that not all events of a rank were kept.
type Cut struct {
	Rank          int
	Kept, Written uint64
}

// Trace writes all events of all ranks for Perfetto: a process for each rank, a slice for each call, an
// arrow for each message whose two ends are known. It returns the ranks that have written more events than
// are kept. below, if not nil, adds to the trace, in which rank r is process r+1.
func (r *Reader) Trace(out io.Writer, below func(w *perfetto.Writer)) ([]Cut, error) {
	var cuts []Cut
	all := make([][]event, r.plan.ranks)
	protocols := make([][]protocol, r.plan.ranks)
	whole := make([]bool, r.plan.ranks)
	for rank := range all {
		var written uint64
		var err error
		if all[rank], protocols[rank], written, err = r.events(rank); err != nil {
			return nil, fmt.Errorf("observe: rank %d: %w", rank, err)
		}
		whole[rank] = written <= uint64(r.plan.events)
		if !whole[rank] {
			cuts = append(cuts, Cut{rank, uint64(r.plan.events), written})
		}
	}
	join(all, whole)
	w := perfetto.New(out)
	for rank, events := range all {
		show(w, rank, events, protocols[rank])
	}
	if below != nil {
		below(w)
	}
	return cuts, w.Close()
}

// events reads the events of a rank in the order in which they were written, and returns the number
// written.
func (r *Reader) events(rank int) ([]event, []protocol, uint64, error) {
	b, err := r.read(rank)
	if err != nil || get(b, headState) == absent {
		return nil, nil, 0, err
	}
	t := r.timesOf(rank, b)
	kinds := kindsOf(b)
	room := uint64(r.plan.events)
	written := get(b, headEvents)
	kept := min(written, room)
	mem := make([]byte, kept*eventBytes)
	if _, err := r.file.ReadAt(mem, r.plan.regionAt(rank)+int64(r.plan.eventsAt())); err != nil {
		return nil, nil, 0, err
	}
	list := make([]event, 0, kept)
	end := int64(math.MinInt64) // of the event before
	for i := written - kept; i < written; i++ {
		e := readEvent(mem[i%room*eventBytes:], t, &kinds)
		if e.flags&begun != 0 && end <= e.to {
			e.from = max(e.from, end) // the beginning is an estimate: a goroutine is in one call at a time
		}
		if end = e.to; e.to >= e.from {
			list = append(list, e)
		}
	}
	return list, protocolsOf(b), written, nil
}

// A kind is what is known about the calls of a row.
type kind struct {
	name string
	own  int64 // mean time of a call without waiting, in ticks, over those that were timed
}

// kindsOf reads the rows of a rank.
func kindsOf(b []byte) (kinds [mostRows]kind) {
	for i := range kinds {
		row := b[pageBytes+i*rowBytes:]
		kinds[i].name = nameOf(row)
		if n := get(row, rowSamples); n > 0 {
			kinds[i].own = int64(get(row, rowOwn) / n)
		}
	}
	return kinds
}

func readEvent(b []byte, t times, kinds *[mostRows]kind) event {
	word, size, lasted, to := get(b, eventWhat), get(b, eventSize), get(b, eventLasted), int64(get(b, eventEnd))
	row, from := int(word&0xff), to-int64(lasted&mostLasted)
	if Flags(word>>8)&begun != 0 && row < mostRows {
		from -= kinds[row].own
	}
	const most = 1 << 60 // a rank may have written anything
	pico := func(at int64) int64 { return int64(min(max(t.nanos(at)*perfetto.Nanosecond, -most), most)) }
	e := event{
		from: pico(from), to: pico(to), flags: Flags(word >> 8), context: uint16(word >> 16),
		peer: int(int32(word >> 32)), tag: int(int32(size)), bytes: int(size>>32 | lasted>>lastedBits<<32),
	}
	if row < mostRows {
		e.call = kinds[row].name
	}
	return e
}

// A way identifies messages that may not overtake each other.
type way struct {
	from, to int
	context  uint16
	tag      int
}

// ends are the events at both ends of the messages of a way.
type ends struct {
	way
	sends, receives []*event
}

// waysOf returns the ways on which messages were sent, each once however many messages it has, in the order
// of their first sends.
func waysOf(all [][]event) (list []*ends) {
	known := map[way]*ends{}
	at := func(w way) *ends {
		if known[w] == nil {
			known[w] = &ends{way: w}
		}
		return known[w]
	}
	for rank, events := range all {
		for i := range events {
			e := &events[i]
			if e.flags&Sends != 0 {
				m := at(way{rank, e.peer, e.context, e.tag})
				if m.sends == nil {
					list = append(list, m)
				}
				m.sends = append(m.sends, e)
			}
			if e.flags&Receives != 0 {
				m := at(way{e.peer, rank, e.context, e.tag})
				m.receives = append(m.receives, e)
			}
		}
	}
	return list
}

// join gives the two ends of each message the same arrow. Messages on one way are received in the order in
// which they were sent; if the first events of a rank are missing, the last ones are paired.
func join(all [][]event, whole []bool) {
	arrow := uint64(0)
	for _, m := range waysOf(all) {
		sure := whole[m.from] && uint(m.to) < uint(len(whole)) && whole[m.to]
		if !sure {
			slices.Reverse(m.sends)
			slices.Reverse(m.receives)
		}
		for k := range min(len(m.sends), len(m.receives)) {
			from, to := m.sends[k], m.receives[k]
			// The send was recorded after it had gone, perhaps long after, or the clocks of two ranks differ
			// a little.
			if sure || from.flags&begun != 0 {
				from.from = min(from.from, to.to-1)
			}
			if to.to > from.from {
				arrow++
				from.arrow, to.arrow = arrow, arrow
			}
		}
	}
}

// arrange chooses the lane of each event: within a lane, two events are nested or disjoint. Calls of
// several goroutines may overlap otherwise. It returns the number of lanes.
func arrange(events []event) int {
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var lanes [][]int64 // ends of the open events
	for i := range events {
		e := &events[i]
		for e.lane = 0; ; e.lane++ {
			if e.lane == len(lanes) {
				lanes = append(lanes, nil)
			}
			open := lanes[e.lane]
			for len(open) > 0 && open[len(open)-1] <= e.from && open[len(open)-1] < e.to {
				open = open[:len(open)-1]
			}
			lanes[e.lane] = open
			if len(open) == 0 || open[len(open)-1] >= e.to {
				break
			}
		}
		if e.flags&point == 0 {
			lanes[e.lane] = append(lanes[e.lane], e.to)
		}
	}
	return len(lanes)
}

// show writes the events of a rank.
func show(w *perfetto.Writer, rank int, events []event, protocols []protocol) {
	pid := rank + 1 // 0 is the system's process
	w.Process(pid, fmt.Sprintf("rank %d", rank))
	for lane := range arrange(events) {
		name := "calls"
		if lane > 0 {
			name = fmt.Sprintf("calls %d", lane+1)
		}
		w.Thread(perfetto.Track{Process: pid, Thread: lane + 1}, name)
	}
	calls := map[int]*event{} // open calls, by lane
	for i := range events {
		e := &events[i]
		at := perfetto.Track{Process: pid, Thread: e.lane + 1}
		call := calls[e.lane]
		switch {
		case e.flags&point == 0:
			w.Slice(at, e.call, e.from, e.to-e.from, e.args(protocols)...)
			if call == nil || call.to <= e.to {
				calls[e.lane] = e
			}
			call = e
		case call == nil || call.to < e.to: // inside a call that has not ended
			w.Slice(at, e.what(), e.from, perfetto.Nanosecond, e.args(protocols)...)
			call = &event{from: e.from, to: e.from + perfetto.Nanosecond}
		}
		if e.arrow == 0 {
			continue
		}
		if e.flags&Sends != 0 {
			w.Arrow(at, perfetto.Begin, "message", e.arrow, call.during(e.from))
		} else {
			w.Arrow(at, perfetto.End, "message", e.arrow, call.during(e.to-1))
		}
	}
}

// during returns the time nearest to t at which the event is open, so that an arrow finds a slice there: an
// event without length is open when it begins.
func (e *event) during(t int64) int64 { return max(e.from, min(t, e.to-1)) }

// what names an event that is not a call.
func (e *event) what() string {
	if e.flags&Sends != 0 {
		return "message sent"
	}
	return "message received"
}

// args returns what is known about an event.
func (e *event) args(protocols []protocol) (list []perfetto.Arg) {
	if e.peer >= 0 {
		name := "peer"
		switch {
		case e.flags&Sends != 0:
			name = "to"
		case e.flags&Receives != 0:
			name = "from"
		}
		list = append(list, perfetto.Arg{Name: name, Value: e.peer})
	}
	if e.flags&(Sends|Receives|Accesses) != 0 || e.bytes > 0 {
		list = append(list, perfetto.Arg{Name: "bytes", Value: e.bytes})
	}
	if e.flags&(Sends|Receives) != 0 {
		list = append(list, perfetto.Arg{Name: "tag", Value: e.tag}, perfetto.Arg{Name: "context", Value: int(e.context)})
		if p := protocolFor(protocols, e.bytes); p != "" {
			list = append(list, perfetto.Arg{Name: "protocol", Value: p})
		}
	}
	return list
}

// A protocol serves messages of up to most bytes.
type protocol struct {
	most uint64
	name string
}

// Protocols notes which protocols messages of which sizes use, in lines such as "0-100: eager".
func (r *Rank) Protocols(text string) {
	copy(r.mem[protocolsAt:pageBytes], text)
}

// protocolsOf reads what Protocols has noted.
func protocolsOf(head []byte) (list []protocol) {
	text, _, _ := strings.Cut(string(head[protocolsAt:pageBytes]), "\x00")
	for line := range strings.Lines(text) {
		sizes, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		_, last, _ := strings.Cut(sizes, "-")
		most, err := strconv.ParseUint(last, 10, 64)
		if err != nil {
			most = math.MaxUint64
		}
		if ok {
			list = append(list, protocol{most, name})
		}
	}
	return list
}

func protocolFor(list []protocol, bytes int) string {
	for _, p := range list {
		if uint64(bytes) <= p.most {
			return p.name
		}
	}
	return ""
}
