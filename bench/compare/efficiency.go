package compare

import "strings"

// The parallel efficiency of a kernel on n ranks is its speedup divided by n: the run time on 1 rank, over
// the run time on n ranks times n, in percent, within a round.

// efficiencySuffix is the suffix of the names of efficiencies.
const efficiencySuffix = "_efficiency"

// efficiencies derives the efficiencies of kernels that were run on 1 rank and on more.
func (res *Result) efficiencies() (list []Sample) {
	type run struct {
		round         int
		runtime, test string
	}
	alone := map[run]float64{}
	for _, s := range res.Samples {
		if s.Ranks == 1 && s.isRun() {
			alone[run{s.Round, s.Runtime, s.Test}] = s.Value
		}
	}
	for _, s := range res.Samples {
		one, ok := alone[run{s.Round, s.Runtime, s.Test}]
		if !ok || s.Ranks == 1 || !s.isRun() || !(one > 0 && s.Value > 0) {
			continue
		}
		faster := one / s.Value
		if s.Unit == mops {
			faster = s.Value / one
		}
		list = append(list, Sample{Round: s.Round, Runtime: s.Runtime, Test: s.Test + efficiencySuffix, Ranks: s.Ranks, Value: 100 * faster / float64(s.Ranks), Unit: percent})
	}
	return list
}

// isRun reports whether a sample is the time or the rate of a whole kernel.
func (s Sample) isRun() bool {
	return s.Unit == mops || s.Unit == seconds && !strings.HasSuffix(s.Test, WaitTest(""))
}
