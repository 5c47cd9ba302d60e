package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"rhinet/internal/integer"
	"rhinet/internal/pmi"
)

// A Reading is the state of one rank as the launcher sees it.
type Reading struct {
	pmi.Status
	Rank  int
	Ended bool          // its process has ended
	Busy  bool          // it used processors between two readings
	For   time.Duration // how long its wait has lasted
}

// maxGroups limits the lines about waits in the message of a failed job.
const maxGroups = 16

// Table prints what every rank waits for, and names cycles of waits.
func Table(all []Reading) string {
	all = distinct(all)
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\tcall\tpeer\ttag\tbytes\tsince")
	for _, r := range all {
		switch {
		case r.Ended:
			fmt.Fprintf(t, "%d\t(ended)\t\t\t\t\n", r.Rank)
		case r.State != pmi.Waiting:
			fmt.Fprintf(t, "%d\t(%s)\t\t\t\t\n", r.Rank, r.State)
		default:
			peer := r.peer()
			if r.Peer >= 0 && r.Peer < len(all) && all[r.Peer].Ended {
				peer += " (ended)"
			}
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Rank, r.calls(), peer, r.tag(), r.bytes(), since(r.For))
		}
	}
	t.Flush()
	rows := b.String()
	b.Reset()
	for row := range strings.Lines(rows) {
		b.WriteString(strings.TrimRight(row, " \n") + "\n") // empty cells are blanks
	}
	for _, r := range all {
		if !r.Ended && r.State == pmi.Waiting && r.Taken != "" {
			fmt.Fprintf(&b, "lock: rank %d waits for what rank %d has taken at %s\n", r.Rank, r.Peer, r.Taken)
		}
	}
	for _, r := range all {
		if text := r.unmatched(); text != "" && !r.Ended {
			fmt.Fprintf(&b, "unexpected: rank %d has %s\n", r.Rank, text)
		}
	}
	for _, d := range append(finalizing(all), disagreements(all)...) {
		b.WriteString(d + "\n")
	}
	for _, c := range Cycles(all) {
		b.WriteString(c + "\n")
	}
	return b.String()
}

// distinct returns the readings without the names of communicators, if all ranks in collective calls are on the
// same one. If they are not, that may be the mistake.
func distinct(all []Reading) []Reading {
	var first *Reading
	for i := range all {
		r := &all[i]
		switch {
		case !r.collective():
		case first == nil:
			first = r
		case r.Team != first.Team:
			return all
		}
	}
	all = slices.Clone(all)
	for i := range all {
		if all[i].Named {
			all[i].Note = ""
		}
	}
	return all
}

// collective reports whether the rank waits in a collective call.
func (s *Reading) collective() bool {
	return !s.Ended && s.State == pmi.Waiting && (s.Sign != 0 || s.Named)
}

// calls names the known call, what in it is waited for, and the number of other calls that the rank is in.
func (s *Reading) calls() string {
	text := s.Call
	if s.Note != "" {
		text += " (" + s.Note + ")"
	}
	if s.More > 0 {
		text += " +" + strconv.Itoa(s.More)
	}
	return text
}

// unmatched describes the messages that have come and that the rank's wait does not take, or returns "".
func (s *Reading) unmatched() string {
	switch {
	case s.State != pmi.Waiting || s.Messages == 0:
		return ""
	case s.Elsewhere:
		return fmt.Sprintf("a message from rank %d, tag %d, on another communicator than that of this %s", s.First, s.MessagesTag, s.Call)
	case s.Messages == 1:
		return fmt.Sprintf("a message from rank %d, tag %d, that this %s does not take", s.First, s.MessagesTag, s.Call)
	}
	return fmt.Sprintf("%d messages that this %s does not take, the first from rank %d, tag %d", s.Messages, s.Call, s.First, s.MessagesTag)
}

func (s *Reading) peer() string {
	switch s.Peer {
	case pmi.AnyPeer:
		return "any"
	case pmi.NoPeer:
		return "-"
	}
	return strconv.Itoa(s.Peer)
}

func (s *Reading) tag() string {
	switch s.Tag {
	case pmi.AnyTag:
		return "any"
	case pmi.NoTag:
		return "-"
	}
	return strconv.Itoa(s.Tag)
}

func (s *Reading) bytes() string {
	if s.Bytes < 0 {
		return "-"
	}
	return strconv.FormatInt(s.Bytes, 10)
}

// what describes what a rank was in.
func (s *Reading) what() string {
	if s.State != pmi.Waiting {
		return s.State.String()
	}
	var details []string
	if s.Note != "" {
		details = append(details, s.Note)
	}
	if s.Peer != pmi.NoPeer && !(s.collective() && s.Bytes < 0) { // there it is one of several that have not come
		details = append(details, "peer "+s.peer())
	}
	if s.Tag != pmi.NoTag {
		details = append(details, "tag "+s.tag())
	}
	if s.Bytes >= 0 {
		details = append(details, s.bytes()+" bytes")
	}
	if s.Taken != "" {
		details = append(details, "taken there at "+s.Taken)
	}
	text := "waiting in " + s.Call
	if details != nil {
		text += " (" + strings.Join(details, ", ") + ")"
	}
	if s.More > 0 {
		text += fmt.Sprintf(" and %d more", s.More)
	}
	return text
}

// since prints a duration with reasonable precision.
func since(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// Groups describes in a few lines what the living ranks were in: ranks in the same wait share a line. Ranks
// outside MPI are left out.
func Groups(all []Reading) []string {
	all = distinct(all)
	type group struct {
		ranks   []int
		longest time.Duration
	}
	var order []string
	byText := map[string]*group{}
	for i := range all {
		r := &all[i]
		if r.Ended || r.State == pmi.Outside {
			continue
		}
		text := r.what()
		g := byText[text]
		if g == nil {
			g = new(group)
			byText[text] = g
			order = append(order, text)
		}
		g.ranks = append(g.ranks, r.Rank)
		g.longest = max(g.longest, r.For)
	}
	var lines []string
	for i, text := range order {
		if i == maxGroups {
			lines = append(lines, fmt.Sprintf("and %d more kinds of waits", len(order)-maxGroups))
			break
		}
		g := byText[text]
		line := Ranks(g.ranks) + " " + text
		if g.longest > 0 {
			line += " for " + since(g.longest)
		}
		lines = append(lines, line)
	}
	return lines
}

// Ranks prints ranks as "rank 3" or "ranks 0-2,4".
func Ranks(ranks []int) string {
	if len(ranks) == 1 {
		return "rank " + strconv.Itoa(ranks[0])
	}
	return "ranks " + integer.Ranges(ranks)
}
