package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Line is the summary of one figure: medians over the rounds, and the
// paired ratios to each other runtime.
type Line struct {
	Test    string    `json:"test"`
	Ranks   int       `json:"ranks"`
	Bytes   int       `json:"bytes"`
	Unit    string    `json:"unit"`    // "usec", "s", "KiB", "Mop/s", "%"
	Medians []float64 `json:"medians"` // in the order of Result.Runtimes; NaN if not measured
	Spans   []Span    `json:"spans"`   // the 95 % intervals of the medians, by bootstrap
	Ratios  []Ratio   `json:"ratios"`  // the first runtime's over each of the others; for a cost, each of these over the first's
	Better  []Ratio   `json:"better"`  // each of ours over the faster of the peers
	Rivals  []int     `json:"rivals"`  // the index of that peer in Result.Runtimes; -1 if no peer was measured in the same rounds
}

// A Span is a range of values.
type Span struct{ From, To float64 }

// Rate reports whether larger is better, as for figures per second.
func (l Line) Rate() bool { return strings.HasSuffix(l.Unit, "/s") }

// A Ratio summarises one runtime's figure over another's in the rounds in which both were measured. Without
// pairs its figures are NaN.
type Ratio struct {
	Median    float64
	Low, High float64 // the quartiles
	From, To  float64 // the 95 % interval of the median, by bootstrap
	Pairs     int
	Outliers  int // pairs beyond 1.5 interquartile ranges from the quartiles
}

// The bootstrap is deterministic, so that the same file always gives the same table.
const (
	resamples = 2000
	seed      = 1
)

// enough is the number of pairs below which nothing is called faster: with fewer, even the whole range
// covers the median with less than 95 % (2 x 0.5^n > 0.05).
const enough = 6

// Verdict interprets the interval: faster, slower, equal (no difference is shown) or, if there are too few
// pairs, "?". rate says that larger is better.
func (r Ratio) Verdict(rate bool) string {
	less, more := "faster", "slower"
	if rate {
		less, more = more, less
	}
	switch {
	case r.Pairs < enough:
		return "?"
	case r.To < 1:
		return less
	case r.From > 1:
		return more
	}
	return "equal"
}

// String returns the median and its interval.
func (r Ratio) String() string {
	return fmt.Sprintf("%s [%s %s]", short(r.Median), short(r.From), short(r.To))
}

// short keeps two digits of ratios far from 1.
func short(v float64) string {
	if v < 0.1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// summarise returns the ratio that represents those of all rounds.
func summarise(ratios []float64) Ratio {
	v := slices.Sorted(slices.Values(ratios))
	r := Ratio{Median: quantile(0.5, v), Low: quantile(0.25, v), High: quantile(0.75, v), Pairs: len(v)}
	r.From, r.To = bootstrap(v)
	fence := 1.5 * (r.High - r.Low)
	for _, x := range v {
		if x < r.Low-fence || x > r.High+fence {
			r.Outliers++
		}
	}
	return r
}

// bootstrap returns the 95 % percentile interval of the median of sorted values.
func bootstrap(v []float64) (from, to float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	medians := make([]float64, resamples)
	for i, m := range middles(len(v)) {
		medians[i] = v[m.low] + m.part*(v[m.high]-v[m.low])
	}
	slices.Sort(medians)
	return quantile(0.025, medians), quantile(0.975, medians)
}

// A middle says where the median of a resample lies in sorted values: at a fraction of the way from one
// index to another.
type middle struct {
	low, high int
	part      float64
}

// middles returns the medians of all resamples of n sorted values, which depend only on n.
var middles = func() func(n int) []middle {
	var known sync.Map // by n
	return func(n int) []middle {
		if m, ok := known.Load(n); ok {
			return m.([]middle)
		}
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		list, picked := make([]middle, resamples), make([]int, n)
		for i := range list {
			for j := range picked {
				picked[j] = rng.IntN(n)
			}
			slices.Sort(picked)
			list[i] = middle{picked[(n-1)/2], picked[n/2], 0.5}
		}
		known.Store(n, list)
		return list
	}
}()

// quantile interpolates between the two nearest of the sorted values, so that 0.5 gives the exact median of
// an odd number of them.
func quantile(p float64, sorted []float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// A figure identifies a line.
type figure struct {
	test         string
	ranks, bytes int
}

// Lines summarises the samples: tests in the order in which they were first
// seen, within a test by ranks and size.
func (res *Result) Lines() []Line {
	cells := map[figure]map[string]map[int]float64{} // runtime, round
	units := map[figure]string{}
	var order []figure
	var tests []string
	samples := res.Samples
	if res.Efficiency {
		samples = slices.Concat(samples, res.efficiencies())
	}
	for _, s := range samples {
		if s.Test == callTest {
			continue
		}
		k := figure{s.Test, s.Ranks, s.Bytes}
		if cells[k] == nil {
			cells[k] = map[string]map[int]float64{}
			order = append(order, k)
			units[k] = s.unit()
		}
		if cells[k][s.Runtime] == nil {
			cells[k][s.Runtime] = map[int]float64{}
		}
		cells[k][s.Runtime][s.Round] = s.Value
		if !slices.Contains(tests, s.Test) {
			tests = append(tests, s.Test)
		}
	}
	slices.SortStableFunc(order, func(a, b figure) int {
		if d := slices.Index(tests, a.test) - slices.Index(tests, b.test); d != 0 {
			return d
		}
		if a.ranks != b.ranks {
			return a.ranks - b.ranks
		}
		return a.bytes - b.bytes
	})
	var lines []Line
	for _, k := range order {
		lines = append(lines, res.line(Line{Test: k.test, Ranks: k.ranks, Bytes: k.bytes, Unit: units[k]}, cells[k]))
	}
	return lines
}

// Compared returns the lines by which runtimes are compared: all except those of overlap.
func (res *Result) Compared() []Line {
	return slices.DeleteFunc(res.Lines(), func(l Line) bool { return l.Unit == percent })
}

// line fills l from the values by runtime and round.
func (res *Result) line(l Line, values map[string]map[int]float64) Line {
	for _, name := range res.Runtimes {
		var v []float64
		for _, x := range values[name] {
			v = append(v, x)
		}
		slices.Sort(v)
		from, to := bootstrap(v)
		l.Medians, l.Spans = append(l.Medians, quantile(0.5, v)), append(l.Spans, Span{from, to})
	}
	pair := func(a, b string) Ratio {
		var v []float64
		if l.Unit == percent {
			return summarise(v)
		}
		for round, x := range values[a] {
			if y, ok := values[b][round]; ok {
				v = append(v, x/y)
			}
		}
		return summarise(v)
	}
	for _, name := range res.Runtimes[1:] {
		r := pair(res.Runtimes[0], name)
		if res.Cost {
			r = pair(name, res.Runtimes[0])
		}
		l.Ratios = append(l.Ratios, r)
	}
	for _, mine := range res.Runtimes[:res.ours()] {
		best, rival := summarise(nil), -1
		for i, name := range res.Peers() {
			r := pair(mine, name)
			closer := r.Median > best.Median
			if l.Rate() {
				closer = r.Median < best.Median
			}
			if r.Pairs > 0 && (best.Pairs == 0 || closer) {
				best, rival = r, res.ours()+i
			}
		}
		l.Better, l.Rivals = append(l.Better, best), append(l.Rivals, rival)
	}
	return l
}

// Best returns the first runtime's ratio to the faster of the peers.
func (l Line) Best() Ratio { return l.Better[0] }

// Rival returns the index of that peer in Result.Runtimes, -1 if there is none.
func (l Line) Rival() int { return l.Rivals[0] }
