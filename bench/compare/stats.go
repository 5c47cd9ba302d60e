package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Line is the summary of one figure: medians over the rounds, and the
// paired ratios to each other runtime.
type Line struct {
	Test    string    `json:"test"`
	Ranks   int       `json:"ranks"`
	Bytes   int       `json:"bytes"`
	Medians []float64 `json:"medians"` // in the order of Result.Runtimes; NaN if not measured
	Ratios  []Ratio   `json:"ratios"`  // ours over each of the others
}

// A Ratio summarises ours / other over the rounds in which both were measured;
// below 1 ours is faster, or smaller.
type Ratio struct {
	Median, Low, High float64 // Low and High are the quartiles
	Pairs             int
}

// Lines summarises the samples, in the order in which they were first seen.
func (res *Result) Lines() []Line {
	type key struct {
		test         string
		ranks, bytes int
	}
	type cell map[string]map[int]float64 // runtime, round
	cells := map[key]cell{}
	var order []key
	for _, s := range res.Samples {
		k := key{s.Test, s.Ranks, s.Bytes}
		if cells[k] == nil {
			cells[k] = cell{}
			order = append(order, k)
		}
		if cells[k][s.Runtime] == nil {
			cells[k][s.Runtime] = map[int]float64{}
		}
		cells[k][s.Runtime][s.Round] = s.Value
	}
	slices.SortStableFunc(order, func(a, b key) int {
		return slices.Index(res.tests(), a.test) - slices.Index(res.tests(), b.test)
	})
	var lines []Line
	for _, k := range order {
		line := Line{Test: k.test, Ranks: k.ranks, Bytes: k.bytes}
		ours := cells[k][res.Runtimes[0]]
		for i, name := range res.Runtimes {
			var values, ratios []float64
			for round, v := range cells[k][name] {
				values = append(values, v)
				if mine, ok := ours[round]; ok {
					ratios = append(ratios, mine/v)
				}
			}
			line.Medians = append(line.Medians, quantile(0.5, values))
			if i > 0 {
				line.Ratios = append(line.Ratios, Ratio{quantile(0.5, ratios), quantile(0.25, ratios), quantile(0.75, ratios), len(ratios)})
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// tests lists the tests in the order first measured.
func (res *Result) tests() []string {
	var names []string
	for _, s := range res.Samples {
		if !slices.Contains(names, s.Test) {
			names = append(names, s.Test)
		}
	}
	return names
}

// Best returns the ratio to the fastest of the others.
func (l Line) Best() Ratio {
	best := Ratio{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	for _, r := range l.Ratios {
		if r.Pairs > 0 && !(r.Median <= best.Median) {
			best = r
		}
	}
	return best
}

func quantile(p float64, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return stat.Quantile(p, stat.LinInterp, values, nil)
}
