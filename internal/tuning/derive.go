package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Cell is the time of one algorithm for calls of one size.
type Cell struct {
	Operation, Algorithm string
	Ranks                int
	Bytes                int // as the benchmark counts
	Block                int // block size for rules
	Usec                 float64
	Chosen               bool // calls use this algorithm if there are no rules
	Pass                 int  // measurements of one pass follow each other
}

// margin is by how much an algorithm must be faster than the default one: smaller differences are not
// significant.
const margin = 0.9

// Rules derives rules from cells: where an algorithm other than the default one was faster, up to the next
// size and number of ranks that were measured. processors is how many ranks have a processor each; 0: any
// number.
func Rules(cells []Cell, processors int) (rules []string) {
	var ranks []int
	for _, c := range cells {
		ranks = append(ranks, c.Ranks)
	}
	ranks = slices.Compact(slices.Sorted(slices.Values(ranks)))
	for _, of := range groups(cells, func(c Cell) string { return c.Operation }) {
		for i, n := range ranks {
			last := 2*n - 1
			if i+1 < len(ranks) {
				last = ranks[i+1] - 1
			}
			shared := processors > 0 && n > processors
			if processors > 0 && !shared {
				last = min(last, processors)
			}
			where := fmt.Sprintf("@%d..%d@", n, last)
			behind := ""
			if shared {
				behind = "@shared"
			}
			mine := slices.DeleteFunc(slices.Clone(of), func(c Cell) bool { return c.Ranks != n })
			for _, p := range picks(mine) {
				rules = append(rules, of[0].Operation+"="+p.algorithm+where+p.bytes()+behind)
			}
		}
	}
	return rules
}

// A pick is an algorithm for a range of sizes; if to is 0, the range has no end.
type pick struct {
	algorithm string
	from, to  int
}

func (p pick) bytes() string {
	if p.to == 0 {
		return fmt.Sprintf("%d..", p.from)
	}
	return fmt.Sprintf("%d..%d", p.from, p.to)
}

// picks returns the picks for one operation on one number of ranks.
func picks(cells []Cell) (list []pick) {
	slices.SortStableFunc(cells, func(a, b Cell) int { return a.Block - b.Block })
	blocks := groups(cells, func(c Cell) int { return c.Block })
	for i, of := range blocks {
		end := 0
		if i+1 < len(blocks) {
			end = blocks[i+1][0].Block - 1
		}
		name := fastest(of)
		if name == "" {
			continue
		}
		p := pick{name, of[0].Block, end}
		if len(blocks) == 1 {
			p.from = 0
		}
		if n := len(list); n > 0 && list[n-1].algorithm == name && list[n-1].to == p.from-1 && p.from > 0 {
			list[n-1].to = p.to
			continue
		}
		list = append(list, p)
	}
	return list
}

// fastest returns the algorithm that serves calls of one block size best, or "" if that is the default one.
// It must be faster in each pass. Where rules do not distinguish calls of several sizes, their mean counts.
func fastest(cells []Cell) string {
	passes := groups(cells, func(c Cell) int { return c.Pass })
	won, sums := map[string]int{}, map[string]float64{}
	for _, pass := range passes {
		for name, r := range ratios(pass) {
			if sums[name] += r; r < math.Log(margin) {
				won[name]++
			}
		}
	}
	best, least := "", 0.0
	for _, of := range cells { // in their order, so that the result is deterministic
		if won[of.Algorithm] == len(passes) && sums[of.Algorithm] < least {
			best, least = of.Algorithm, sums[of.Algorithm]
		}
	}
	return best
}

// ratios returns the mean logarithm of each algorithm's time relative to that of the default one, for
// algorithms that serve all sizes.
func ratios(cells []Cell) map[string]float64 {
	sums, served := map[string]float64{}, map[string]int{}
	sizes := groups(cells, func(c Cell) int { return c.Bytes })
	for _, of := range sizes {
		i := slices.IndexFunc(of, func(c Cell) bool { return c.Chosen })
		if i < 0 {
			return nil
		}
		for _, c := range of {
			served[c.Algorithm]++
			sums[c.Algorithm] += math.Log(c.Usec/of[i].Usec) / float64(len(sizes))
		}
	}
	maps.DeleteFunc(sums, func(name string, _ float64) bool { return served[name] < len(sizes) })
	return sums
}

// groups splits a list by a key, in the order in which keys occur first.
func groups[K cmp.Ordered](cells []Cell, key func(Cell) K) (list [][]Cell) {
	at := map[K]int{}
	for _, c := range cells {
		k := key(c)
		i, known := at[k]
		if !known {
			i = len(list)
			at[k], list = i, append(list, nil)
		}
		list[i] = append(list[i], c)
	}
	return list
}

// A Curve is the time of one way to move messages, by size.
type Curve map[int]float64

// Threshold returns the size up to which messages are best moved in one way, and above which in another:
// one of the sizes that both curves have, or 0 if usual, the threshold without tuning, is as good or nearly
// as good for the sizes between them.
func Threshold(short, long Curve, usual int) int {
	var sizes []int
	for n := range short {
		if _, both := long[n]; both {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	cost := func(limit int) (sum float64) {
		for _, n := range sizes {
			if n <= limit {
				sum += math.Log(short[n])
			} else {
				sum += math.Log(long[n])
			}
		}
		return sum
	}
	best, least, between := 0, cost(usual), 0
	for _, n := range sizes {
		if c := cost(n); c < least {
			best, least = n, c
		}
	}
	for _, n := range sizes {
		if n > min(best, usual) && n <= max(best, usual) {
			between++
		}
	}
	if least > cost(usual)+float64(between)*math.Log(margin) {
		return 0
	}
	return best
}
