package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rhinet/bench"
	"rhinet/bench/host"
)

// Options of a comparison.
type Options struct {
	Cells      []Cell
	Rounds     int
	Budget     time.Duration // measuring time of one size
	Limit      time.Duration // longest time of one command, not counting the measuring time of a command with several tests
	Within     time.Duration // a round begins only if it is expected to end within this time, except the first; 0: no limit
	Waits      bool          // kernels by run time and communication wait time, not by rate
	Efficiency bool          // show the parallel efficiency of kernels against 1 rank, too
	// Cost makes ratios relative to the first runtime, which does what the others do and nothing else.
	Cost bool
	// OwnBarrier and Fresh say that all runtimes have the flag of this name (see [Runtime.With]).
	OwnBarrier, Fresh bool

	Ours  int      // how many of the runtimes, from the first, are ours
	Notes []string // notes on all figures
	// Previous is a result to continue: what it holds is not measured again. It must be from Resume.
	Previous *Result
	// Calibrate measures the machine before and after; nil leaves it out.
	Calibrate func() host.Calibration
	// Progress is called before each command.
	Progress func(done, all int, what string)
	// Save is called with the result so far after each round, if not nil.
	Save func(*Result) error
}

// failuresAllowed is how often a cell may fail on a runtime before it is skipped in further rounds: an
// oversubscribed runtime that hangs would cost Limit each time.
const failuresAllowed = 2

// Run measures all cells on all runtimes. If a cell fails on a peer, this is noted and the rest continues,
// but a failure of ours ends the comparison. If there is an error, the result holds what was measured
// before.
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

// begin returns the result to which samples are added.
func begin(runtimes []Runtime, opts Options) *Result {
	if res := opts.Previous; res != nil {
		res.Rounds, res.Efficiency = opts.Rounds, res.Efficiency || opts.Efficiency
		for _, s := range res.Samples {
			res.Rounds = max(res.Rounds, s.Round+1)
		}
		res.Notes = append(res.Notes, fmt.Sprintf("resumed at %s, load then %s", time.Now().UTC().Format(time.RFC3339), host.Load()))
		return res
	}
	res := &Result{Schema: Schema, Host: host.Describe(), Rounds: opts.Rounds, Budget: opts.Budget.String(), Waits: opts.Waits, Efficiency: opts.Efficiency, Cost: opts.Cost, OwnBarrier: opts.OwnBarrier, Fresh: opts.Fresh, Ours: max(opts.Ours, 1), Settings: settings(), Versions: map[string]string{}, Notes: slices.Clone(opts.Notes)}
	res.Host.FindCommit()
	for _, r := range runtimes {
		res.Runtimes = append(res.Runtimes, r.Name)
		if r.version != "" {
			res.Versions[r.Name] = r.version
		}
	}
	if opts.Calibrate != nil {
		c := opts.Calibrate()
		res.Calibrated = &c
	}
	return res
}

// all runs the rounds.
func (r *run) all(ctx context.Context) error {
	list := jobs(r.opts.Cells)
	done, all := 0, r.opts.Rounds*len(list)*len(r.runtimes)
	start, longest := time.Now(), time.Duration(0)
	for round := range r.opts.Rounds {
		began := time.Now()
		if w := r.opts.Within; w > 0 && round > 0 && time.Since(start)+longest > w {
			r.res.Rounds = round
			r.res.Notes = append(r.res.Notes, fmt.Sprintf("ended after %d of %s, because %v had been allowed", round, bench.Number(r.opts.Rounds, "round"), w))
			return nil
		}
		for _, job := range list {
			for i := range r.runtimes {
				t := r.runtimes[(i+round)%len(r.runtimes)]
				r.opts.Progress(done, all, fmt.Sprintf("round %d/%d: %s, %s", round+1, r.opts.Rounds, t.Name, title(job)))
				done++
				if err := r.job(ctx, round, t, job); err != nil {
					return err
				}
			}
		}
		longest = max(longest, time.Since(began))
		if r.opts.Save != nil {
			if err := r.opts.Save(r.res); err != nil {
				return err
			}
		}
	}
	return nil
}

// job measures on one runtime the missing cells of a job. If a cell fails, the cells after it are not lost:
// they are run by another command.
func (r *run) job(ctx context.Context, round int, t Runtime, job []Cell) error {
	rest := r.missing(round, t.Name, job)
	for len(rest) > 0 {
		got, err := t.measure(ctx, rest, r.opts.Budget, r.opts.Limit)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && slices.Contains(r.res.Runtimes[:r.res.ours()], t.Name) {
			return err
		}
		if err == nil {
			r.keep(round, got)
			return nil
		}
		failed := slices.IndexFunc(rest, func(c Cell) bool { return !got.whole(c) })
		if failed < 0 {
			failed = len(rest) - 1 // it failed after printing everything
		}
		got.drop(rest[failed])
		r.keep(round, got)
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("round %d: %v", round+1, err))
		through := failed + 1
		if failed == 0 && errors.Is(err, context.DeadlineExceeded) {
			through = len(rest) // it hangs from the start, and would hang again
		}
		for _, c := range rest[failed:through] {
			r.fail(round, t.Name, c)
		}
		rest = rest[through:]
	}
	return ctx.Err()
}
