package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// A set is a comparison with peers.
type set struct {
	part  *Part
	res   *compare.Result
	lines []compare.Line // lines that the matrix shows
	at    []int          // their indexes in the part's table
}

// renamed lists tests of earlier comparisons that the tests of the suite have replaced; they were defined
// differently, and are not counted together.
var renamed = []string{earlier, "exchange", "barrier", "allreduce"}

// sets returns the comparisons that have a peer, the largest first: if several have measured a cell, the
// first one counts.
func sets(parts []*Part, results []*compare.Result) (list []set) {
	for i, res := range results {
		if len(res.Peers()) > 0 {
			list = append(list, set{part: parts[i], res: res})
		}
	}
	slices.SortStableFunc(list, func(a, b set) int { return len(b.part.lines) - len(a.part.lines) })
	seen := map[string]bool{}
	for i := range list {
		s := &list[i]
		var left []string
		for at, l := range s.part.lines {
			cell := fmt.Sprint(l.Test, l.Ranks, l.Bytes)
			switch {
			case l.Unit == "KiB":
				continue
			case slices.Contains(renamed, l.Test):
				if !slices.Contains(left, l.Test) {
					left = append(left, l.Test)
				}
				continue
			case seen[cell]:
				if name := l.Test + " (measured in a larger set)"; !slices.Contains(left, name) {
					left = append(left, name)
				}
				continue
			}
			seen[cell] = true
			s.lines, s.at = append(s.lines, l), append(s.at, at)
		}
		if len(left) > 0 {
			s.part.Remarks = append(s.part.Remarks, "not in the matrix, because one test is to have one definition and one figure: "+strings.Join(left, ", "))
		}
	}
	return slices.DeleteFunc(list, func(s set) bool { return len(s.lines) == 0 })
}

// verdict returns the sentence that opens the page.
func verdict(list []set) string {
	var count compare.Tally
	var worst compare.Line
	var rivals []string
	most := 0.0
	for _, s := range list {
		for _, l := range s.lines {
			count.Add(l.Best(), l.Rate())
			if r := timeRatio(l.Best(), l.Rate()); r.Verdict(false) == "slower" && r.Median > most {
				worst, most = l, r.Median
			}
		}
		for _, p := range s.res.Peers() {
			if t := s.res.Title(p); !slices.Contains(rivals, t) {
				rivals = append(rivals, t)
			}
		}
	}
	told := count.Faster + count.Equal + count.Slower
	text := fmt.Sprintf("Of %s %s is faster than %s in %d, equal in %d and slower in %d", bench.Number(told, "cell"), list[0].res.Runtimes[0], fasterOf(rivals), count.Faster, count.Equal, count.Slower)
	if most > 0 {
		text += fmt.Sprintf("; the worst is %s, %.1f times slower", cellName(worst), most)
	}
	if count.Few > 0 {
		text += fmt.Sprintf("; in %d there are too few rounds to tell", count.Few)
	}
	return text + "."
}

// fasterOf names the peers for the sentence.
func fasterOf(names []string) string {
	last := len(names) - 1
	switch last {
	case 0:
		return names[0]
	case 1:
		return "the faster of " + strings.Join(names, " and ")
	}
	return "the fastest of " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// cellName names the cell of a line.
func cellName(l compare.Line) string {
	text := l.Test + " on " + bench.Number(l.Ranks, "rank")
	if l.Bytes > 0 {
		text = l.Test + " of " + bytesText(l.Bytes) + " on " + bench.Number(l.Ranks, "rank")
	}
	return text
}

// A Compared says what is compared, and lists the sets that compare it.
type Compared struct {
	Who  string // runtimes and machine
	Sets []ComparedSet
}

// A ComparedSet says what one set measured, and when.
type ComparedSet struct{ Name, Href, What string }

// compared describes, for all sets, what is compared, where and when; what several sets have in common is
// given once.
func compared(list []set) (all []Compared) {
	for _, s := range list {
		who := s.who()
		i := slices.IndexFunc(all, func(c Compared) bool { return c.Who == who })
		if i < 0 {
			i, all = len(all), append(all, Compared{Who: who})
		}
		all[i].Sets = append(all[i].Sets, ComparedSet{stem(s.part.File), "#" + s.part.ID, s.what()})
	}
	return all
}

// who names the runtimes and the machine of a set.
func (s *set) who() string {
	var rivals []string
	for _, name := range s.res.Peers() {
		rivals = append(rivals, s.res.Title(name))
	}
	h := s.res.Host
	return fmt.Sprintf("%s (commit %s, %s) and %s on %s, %d cores", s.res.Runtimes[0], h.Commit, h.Go, strings.Join(rivals, ", "), h.CPU, h.Cores)
}

// what describes what a set measured, and when.
func (s *set) what() string {
	var tests, ranks []string
	low, high := 0, 0
	for _, l := range s.lines {
		if !slices.Contains(tests, l.Test) {
			tests = append(tests, l.Test)
		}
		if n := fmt.Sprint(l.Ranks); !slices.Contains(ranks, n) {
			ranks = append(ranks, n)
		}
		if l.Bytes > 0 && (low == 0 || l.Bytes < low) {
			low = l.Bytes
		}
		high = max(high, l.Bytes)
	}
	slices.SortFunc(ranks, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	sizes := ""
	switch {
	case high > low:
		sizes = fmt.Sprintf(", %s to %s", bytesText(low), bytesText(high))
	case high > 0:
		sizes = ", " + bytesText(high)
	}
	h := s.res.Host
	return fmt.Sprintf("%s on %s ranks%s, in %s; load %s before and %s after; %s", bench.Number(len(tests), "test"), strings.Join(ranks, ", "), sizes,
		bench.Number(s.res.Rounds, "round"), h.Load, h.After, h.Time.Format("2006-01-02 15:04 MST"))
}
