package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"rhinet/bench"
)

// A Tally counts the verdicts on some cells.
type Tally struct {
	Faster int `json:"faster"`
	Equal  int `json:"equal"`  // no difference is shown
	Slower int `json:"slower"` // the interval is on the slow side of 1
	Few    int `json:"few"`    // too few rounds to tell
	None   int `json:"none"`   // no peer was measured in the same round, for example because it is too slow
}

// Add counts one cell.
func (t *Tally) Add(r Ratio, rate bool) {
	switch v := r.Verdict(rate); {
	case r.Pairs == 0:
		t.None++
	case v == "faster":
		t.Faster++
	case v == "equal":
		t.Equal++
	case v == "slower":
		t.Slower++
	default:
		t.Few++
	}
}

// Cells returns how many cells were counted.
func (t Tally) Cells() int { return t.Faster + t.Equal + t.Slower + t.Few + t.None }

// String returns a short text; counts that are 0 are left out, except for faster and slower.
func (t Tally) String() string {
	text := fmt.Sprintf("faster in %d, slower in %d", t.Faster, t.Slower)
	for _, v := range []struct {
		n    int
		what string
	}{{t.Equal, "no difference shown in %d"}, {t.Few, "too few rounds in %d"}, {t.None, "no peer in %d"}} {
		if v.n > 0 {
			text += ", " + fmt.Sprintf(v.what, v.n)
		}
	}
	return text
}

// A Count is the tally of a result on one number of ranks, or on all, against one peer, or in each cell
// against the faster peer.
type Count struct {
	File  string `json:"file"`
	Ranks int    `json:"ranks"` // 0: all
	Peer  string `json:"peer"`
	Tally
}

// FasterPeer stands for the faster of the peers, in each cell.
const FasterPeer = "faster peer"

// Counts counts the cells of a result, which was read from file: for each number of ranks and then for all,
// against each peer and against the faster of them. Without peers there are no counts. Figures of memory
// and of overlap are not cells.
func (res *Result) Counts(file string) (all []Count) {
	if len(res.Peers()) == 0 {
		return nil
	}
	lines := slices.DeleteFunc(res.Compared(), func(l Line) bool { return l.Unit == "KiB" })
	var ranks []int
	for _, l := range lines {
		ranks = append(ranks, l.Ranks)
	}
	ranks = once(ranks)
	if len(ranks) > 1 {
		ranks = append(ranks, 0)
	}
	for _, n := range ranks {
		counts := make([]Count, 0, 3)
		for _, peer := range append(slices.Clone(res.Peers()), FasterPeer) {
			counts = append(counts, Count{File: file, Ranks: n, Peer: peer})
		}
		for _, l := range lines {
			if n != 0 && n != l.Ranks {
				continue
			}
			for i := range res.Peers() {
				counts[i].Add(l.Ratios[res.ours()-1+i], l.Rate())
			}
			counts[len(counts)-1].Add(l.Best(), l.Rate())
		}
		all = append(all, counts...)
	}
	return all
}

// CountFormats names the formats of [WriteCounts].
const CountFormats = "table, markdown, csv, json"

// WriteCounts prints counts in a format of CountFormats.
func WriteCounts(out io.Writer, format string, counts []Count) error {
	var rows [][]string
	for _, c := range counts {
		ranks, share := strconv.Itoa(c.Ranks), "-"
		if c.Ranks == 0 {
			ranks = "all"
		}
		if told := c.Faster + c.Equal + c.Slower; told > 0 {
			share = fmt.Sprintf("%.0f %%", 100*float64(c.Faster)/float64(told))
		}
		row := []string{c.File, ranks, c.Peer}
		for _, n := range []int{c.Cells(), c.Faster, c.Equal, c.Slower, c.Few, c.None} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, share))
	}
	return bench.WriteRows(out, format, []string{"file", "ranks", "against", "cells", "faster", "equal", "slower", "few rounds", "no peer", "faster of those told"}, rows, counts)
}
