package model

import (
	"fmt"

	"rhinet/bench"
)

// Options of a run.
type Options struct {
	Sizes       []int // bytes; nil: the experiment's own
	Repetitions int   // counted repetitions at each point; 0: by size
}

// maxRepetitions limits the repetitions.
const maxRepetitions = 1_000_000

// Check returns what is wrong with running e with these options.
func (e Experiment) Check(o Options) error {
	if o.Repetitions < 0 || o.Repetitions > maxRepetitions {
		return fmt.Errorf("%w: %d repetitions; give 1 to %d", bench.ErrInput, o.Repetitions, maxRepetitions)
	}
	var all []bench.Test
	for _, s := range e.series {
		all = append(all, s.Test)
	}
	return bench.CheckSizes(all, o.Sizes)
}

// Run measures the points of all curves of e and reports them as they come.
func (e Experiment) Run(o Options, report func(Row)) error {
	for _, s := range e.series {
		sizes := s.Sizes
		if o.Sizes != nil {
			sizes = o.Sizes
		}
		var rates []bench.Row
		for _, n := range sizes {
			if !s.Fits(n) {
				continue // another series takes it
			}
			reps := o.Repetitions
			if reps == 0 {
				reps = min(max(512<<10/n, 8), 100)
			}
			p, err := s.measure(n, reps)
			if err != nil {
				return fmt.Errorf("%s, %d bytes: %w", s.Name, n, err)
			}
			report(Row{s.Name, e.nodes, n, reps, p.steps, p.perStep, p.micros})
			rates = append(rates, bench.Row{Bytes: n, MBPerSec: p.perStep})
		}
		if half, ok := bench.Half(rates); ok && s.Half {
			report(Row{Test: s.Name + "-half", Nodes: e.nodes, Bytes: half.Bytes, PerStep: half.MBPerSec})
		}
	}
	return nil
}
