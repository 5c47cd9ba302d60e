package observe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// How much of the statistics a text shows.
const (
	shownRanks = 16 // in tables of ranks and in the matrix
	shownPairs = 16 // pairs shown for larger jobs
)

// A Sum is what all ranks have spent in calls of one name.
type Sum struct {
	Call
	Longest float64 // time of the rank that spent most
	Rank    int     // that rank
}

// Sums adds up the calls of all ranks, in order of decreasing time.
func (s *Stats) Sums() []Sum {
	at := map[string]int{}
	var all []Sum
	for _, r := range s.Ranks {
		for _, c := range r.Calls {
			i, there := at[c.Call]
			if !there {
				i, at[c.Call] = len(all), len(all)
				all = append(all, Sum{Call: Call{Call: c.Call}, Longest: -1})
			}
			sum := &all[i]
			sum.Count += c.Count
			sum.Bytes += c.Bytes
			sum.Timed += c.Timed
			sum.Seconds += c.Seconds
			sum.Wait += c.Wait
			if c.Seconds > sum.Longest {
				sum.Longest, sum.Rank = c.Seconds, r.Rank
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Sum) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return all
}

// inCalls returns the time that a rank has spent in calls, and the part of it spent waiting.
func (r *RankStats) inCalls() (all, wait float64) {
	for _, c := range r.Calls {
		all += c.Seconds
		wait += c.Wait
	}
	return all, wait
}

// share returns part/of in percent, as text.
func share(part, of float64) string {
	if of <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*min(part/of, 1))
}

// WriteText writes the statistics as tables.
func (s *Stats) WriteText(out io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "calls of %d ranks, all together; the slowest rank\n", len(s.Ranks))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "call\tcount\tbytes\tseconds\twait\trank\tseconds\t")
	for _, c := range s.Sums() {
		if c.Timed == 0 && c.Seconds == 0 {
			fmt.Fprintf(t, "%s\t%d\t%d\t-\t-\t-\t-\t\n", c.Call.Call, c.Count, c.Bytes)
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.6f\t%s\t%d\t%.6f\t\n", c.Call.Call, c.Count, c.Bytes, c.Seconds, share(c.Wait, c.Seconds), c.Rank, c.Longest)
	}
	t.Flush()
	if len(s.Ranks) <= shownRanks {
		fmt.Fprintln(t, "rank\tseconds\tin calls\twaiting\tcalls\tbytes\t")
		for i := range s.Ranks {
			r := &s.Ranks[i]
			all, wait := r.inCalls()
			var count, bytes uint64
			for _, c := range r.Calls {
				count += c.Count
				bytes += c.Bytes
			}
			name := fmt.Sprint(r.Rank)
			if r.State != stateNames[left] {
				name += " (" + r.State + ")"
			}
			fmt.Fprintf(t, "%s\t%.6f\t%s\t%s\t%d\t%d\t\n", name, r.Seconds, share(all, r.Seconds), share(wait, r.Seconds), count, bytes)
		}
		t.Flush()
	}
	s.matrix(&b)
	_, err := out.Write(b.Bytes())
	return err
}

// matrix writes the traffic between ranks.
func (s *Stats) matrix(b *bytes.Buffer) {
	if len(s.Traffic) == 0 {
		return
	}
	n := len(s.Ranks)
	if n > shownRanks {
		pairs := slices.Clone(s.Traffic)
		slices.SortStableFunc(pairs, func(x, y Traffic) int { return cmp.Compare(y.Bytes+y.AccessBytes, x.Bytes+x.AccessBytes) })
		fmt.Fprintf(b, "messages (bytes) between ranks: %d pairs, most bytes first\n", len(pairs))
		for _, p := range pairs[:min(len(pairs), shownPairs)] {
			fmt.Fprintf(b, "  %d -> %d: %s\n", p.From, p.To, p.text())
		}
		return
	}
	fmt.Fprintln(b, "messages (bytes), from the rank on the left to that above; +: accesses to its windows")
	cells := make([][]string, n)
	for i := range cells {
		cells[i] = make([]string, n)
	}
	for _, p := range s.Traffic {
		cells[p.From][p.To] = p.text()
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range n {
		fmt.Fprintf(t, "\t%d", i)
	}
	fmt.Fprintln(t, "\t")
	for i, row := range cells {
		fmt.Fprint(t, i)
		for _, c := range row {
			fmt.Fprintf(t, "\t%s", cmp.Or(c, "-"))
		}
		fmt.Fprintln(t, "\t")
	}
	t.Flush()
}

// text returns a cell of the matrix.
func (t Traffic) text() string {
	text := ""
	if t.Messages > 0 {
		text = fmt.Sprintf("%d (%d)", t.Messages, t.Bytes)
	}
	if t.Accesses > 0 {
		text += fmt.Sprintf("+%d (%d)", t.Accesses, t.AccessBytes)
	}
	return text
}

// WriteJSON writes the statistics as JSON.
func (s *Stats) WriteJSON(out io.Writer) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}
