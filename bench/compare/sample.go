package compare

import (
	"fmt"
	"time"

	"rhinet/bench"
	"rhinet/bench/peer"
	"rhinet/bench/pmb"
	"rhinet/bench/progress"
)

// A Sample is one figure of one runtime in one round.
type Sample struct {
	Round   int     `json:"round"`
	Runtime string  `json:"runtime"`
	Test    string  `json:"test"`
	Ranks   int     `json:"ranks"`
	Bytes   int     `json:"bytes"`
	Value   float64 `json:"value"`          // in Unit
	Unit    string  `json:"unit,omitempty"` // empty: microseconds; for Memory, KiB
}

// percent is the unit of shares, such as the overlap of nonblocking operations with computation. They are
// shown, but not compared: a share of 0 has no ratio.
const percent = "%"

// unit returns the sample's unit by name.
func (s Sample) unit() string {
	switch {
	case s.Unit != "":
		return s.Unit
	case s.Test == Memory:
		return "KiB"
	}
	return "usec"
}

// rows returns the reader for a command that prints a row for each size or, for Hello, a line for each
// rank.
func rows(parse func(string) ([]bench.Row, error)) func([]Cell, string, time.Duration) ([]Sample, error) {
	return func(job []Cell, text string, elapsed time.Duration) ([]Sample, error) {
		if c := job[0]; c.Test == Hello {
			kib, ranks := peer.ParseHello(text)
			if ranks != c.Ranks {
				return nil, fmt.Errorf("printed %d lines", ranks)
			}
			return []Sample{
				{Test: Hello, Ranks: c.Ranks, Value: float64(elapsed.Nanoseconds()) / 1e3},
				{Test: Memory, Ranks: c.Ranks, Value: kib},
			}, nil
		}
		rows, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("gave what cannot be read: %w", err)
		}
		var samples []Sample
		for _, row := range rows {
			s := Sample{Test: row.Test, Ranks: row.Ranks, Bytes: row.Bytes, Value: row.Microsecs}
			if pmb.IsOverlap(s.Test) || progress.IsPercent(s.Test) {
				s.Unit = percent
			}
			samples = append(samples, s)
		}
		return samples, nil
	}
}

// slow finds what the peers' program skipped because it would take too long.
func slow(text string) (list []TooSlow) {
	for _, row := range peer.ParseSlow(text) {
		list = append(list, TooSlow{Test: row.Test, Ranks: row.Ranks, Bytes: row.Bytes})
	}
	return list
}
