package compare

import (
	"context"
	"fmt"
	"time"

	"rhinet/bench/host"
)

// Options of a comparison.
type Options struct {
	Cells  []Cell
	Rounds int
	Budget time.Duration // measuring time of one size
	Limit  time.Duration // longest time of one command
	Ours   int           // how many of the runtimes, from the first, are this one
	// Previous is a result to continue: what it holds is not measured again.
	// Resume must have found it fit.
	Previous *Result
	// Calibrate measures the machine before and after; nil leaves it out.
	Calibrate func() host.Calibration
	// Progress is told about each command before it runs.
	Progress func(done, all int, what string)
	// Save is given what there is after each round; nil if nobody keeps it.
	Save func(*Result) error
}

// failuresAllowed is how often a runtime may fail a cell before it is left
// out of the rounds to come: a crowded one that hangs would cost Limit each.
const failuresAllowed = 2

// Run measures all cells on all runtimes. A peer that fails a cell is noted
// and the rest goes on, but a failure of ours ends the comparison. With an
// error the result holds what was measured before.
func Run(ctx context.Context, runtimes []Runtime, opts Options) (*Result, error) {
	r := &run{runtimes: runtimes, opts: opts, res: begin(runtimes, opts)}
	r.index()
	err := r.all(ctx)
	r.res.Interrupted = err != nil
	r.res.Host.After = host.Load()
	if opts.Calibrate != nil && err == nil {
		c := opts.Calibrate()
		r.res.CalibratedAfter = &c
	}
	return r.res, err
}

// A run is a comparison in progress.
type run struct {
	runtimes []Runtime
	opts     Options
	res      *Result
	have     map[string]bool // figures of a round that are measured
	failed   map[string]int  // how often a runtime failed a cell
	tried    map[string]bool // cells of a round that failed
}

// begin returns the result to add to.
func begin(runtimes []Runtime, opts Options) *Result {
	if res := opts.Previous; res != nil {
		res.Rounds = opts.Rounds
		res.Notes = append(res.Notes, fmt.Sprintf("resumed at %s, load then %s", time.Now().UTC().Format(time.RFC3339), host.Load()))
		return res
	}
	res := &Result{Schema: Schema, Host: host.Describe(), Rounds: opts.Rounds, Budget: opts.Budget.String(), Ours: max(opts.Ours, 1), Settings: settings()}
	res.Host.FindCommit()
	for _, r := range runtimes {
		res.Runtimes = append(res.Runtimes, r.Name)
	}
	if opts.Calibrate != nil {
		c := opts.Calibrate()
		res.Calibrated = &c
	}
	return res
}

// index notes what a continued result holds.
func (r *run) index() {
	r.have, r.failed, r.tried = map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, s := range r.res.Samples {
		r.have[fmt.Sprint(s.Round, s.Runtime, s.Test, s.Ranks, s.Bytes)] = true
	}
	for _, f := range r.res.Failures {
		r.failed[fmt.Sprint(f.Runtime, f.Test, f.Ranks)]++
		r.tried[fmt.Sprint(f.Round, f.Runtime, f.Test, f.Ranks)] = true
	}
}

// holds reports whether a cell needs no measuring in a round.
func (r *run) holds(round int, name string, c Cell) bool {
	if r.failed[fmt.Sprint(name, c.Test, c.Ranks)] >= failuresAllowed || r.tried[fmt.Sprint(round, name, c.Test, c.Ranks)] {
		return true
	}
	for _, n := range c.Bytes {
		if !r.have[fmt.Sprint(round, name, c.Test, c.Ranks, n)] {
			return false
		}
	}
	return true
}

func (r *run) all(ctx context.Context) error {
	done, all := 0, r.opts.Rounds*len(r.opts.Cells)*len(r.runtimes)
	for round := range r.opts.Rounds {
		for _, c := range r.opts.Cells {
			for i := range r.runtimes {
				t := r.runtimes[(i+round)%len(r.runtimes)]
				r.opts.Progress(done, all, fmt.Sprintf("round %d/%d: %s, %s on %d ranks", round+1, r.opts.Rounds, t.Name, c.Test, c.Ranks))
				done++
				if err := r.cell(ctx, round, t, c); err != nil {
					return err
				}
			}
		}
		if r.opts.Save != nil {
			if err := r.opts.Save(r.res); err != nil {
				return err
			}
		}
	}
	return nil
}

// cell measures one cell on one runtime, unless it is known.
func (r *run) cell(ctx context.Context, round int, t Runtime, c Cell) error {
	if r.holds(round, t.Name, c) {
		return ctx.Err()
	}
	samples, err := t.measure(ctx, c, r.opts.Budget, r.opts.Limit)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		for _, mine := range r.res.Runtimes[:r.res.ours()] {
			if t.Name == mine {
				return err
			}
		}
		r.failed[fmt.Sprint(t.Name, c.Test, c.Ranks)]++
		r.res.Failures = append(r.res.Failures, Failure{round, t.Name, c.Test, c.Ranks})
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("round %d: %v", round+1, err))
		return nil
	}
	for _, s := range samples {
		s.Round = round
		r.res.Samples = append(r.res.Samples, s)
	}
	return nil
}
