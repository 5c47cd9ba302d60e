package compare

import "slices"

// A run is a comparison in progress: what has been measured, and what is left.
type run struct {
	runtimes []Runtime
	opts     Options
	res      *Result
	have     map[roundFigure]bool // figures of a round that were measured, or are too slow to be
	failed   map[cellOf]int       // how often a runtime failed a cell
	tried    map[try]bool         // cells of a round that failed
}

// Keys of the maps: a cell of a runtime, the same in a round, and one size of it in a round.
type (
	cellOf struct {
		runtime, test string
		ranks         int
	}
	try struct {
		cellOf
		round int
	}
	roundFigure struct {
		try
		bytes int
	}
)

func cellKey(runtime, test string, ranks int) cellOf { return cellOf{runtime, test, ranks} }

func triedKey(round int, runtime, test string, ranks int) try {
	return try{cellKey(runtime, test, ranks), round}
}

func figureKey(round int, runtime, test string, ranks, bytes int) roundFigure {
	return roundFigure{triedKey(round, runtime, test, ranks), bytes}
}

// index notes the contents of a result that is continued.
func (r *run) index() {
	r.have, r.failed, r.tried = map[roundFigure]bool{}, map[cellOf]int{}, map[try]bool{}
	for _, s := range r.res.Samples {
		r.have[figureKey(s.Round, s.Runtime, s.Test, s.Ranks, s.Bytes)] = true
	}
	for _, f := range r.res.Failures {
		r.failed[cellKey(f.Runtime, f.Test, f.Ranks)]++
		r.tried[triedKey(f.Round, f.Runtime, f.Test, f.Ranks)] = true
	}
	for _, b := range r.res.TooSlow {
		r.have[figureKey(b.Round, b.Runtime, b.Test, b.Ranks, b.Bytes)] = true
	}
}

// missing returns the cells of a job that must be measured in a round: those with missing figures.
func (r *run) missing(round int, name string, job []Cell) (rest []Cell) {
	for _, c := range job {
		if r.failed[cellKey(name, c.Test, c.Ranks)] >= failuresAllowed || r.tried[triedKey(round, name, c.Test, c.Ranks)] {
			continue
		}
		if slices.ContainsFunc(c.Bytes, func(n int) bool { return !r.have[figureKey(round, name, c.Test, c.Ranks, n)] }) {
			rest = append(rest, c)
		}
	}
	return rest
}

// keep adds the outcome of a command in a round to the result.
func (r *run) keep(round int, got outcome) {
	for _, s := range got.samples {
		s.Round = round
		r.res.Samples = append(r.res.Samples, s)
	}
	for _, b := range got.slow {
		b.Round = round
		r.res.TooSlow = append(r.res.TooSlow, b)
	}
}

// fail notes that a cell failed on a runtime in a round.
func (r *run) fail(round int, name string, c Cell) {
	r.failed[cellKey(name, c.Test, c.Ranks)]++
	r.res.Failures = append(r.res.Failures, Failure{round, name, c.Test, c.Ranks})
}
