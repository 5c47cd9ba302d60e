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
	// Progress is told about each command before it runs.
	Progress func(done, all int, what string)
}

// A Result is everything that a comparison found. It is what --out writes.
type Result struct {
	Schema   string    `json:"schema"`
	Host     host.Host `json:"host"`
	Rounds   int       `json:"rounds"`
	Budget   string    `json:"time_per_size"`
	Runtimes []string  `json:"runtimes"` // the first is ours
	Samples  []Sample  `json:"samples"`
	Notes    []string  `json:"notes"` // what could not be measured, and why
}

// Schema names the format of a result file.
const Schema = "rhinet-compare-1"

// failuresAllowed is how often a runtime may fail a cell before it is left
// out of the rounds to come: a crowded one that hangs would cost Limit each.
const failuresAllowed = 2

// Run measures all cells on all runtimes. A runtime that fails a cell is noted
// and the rest goes on, but a failure of ours ends the comparison.
func Run(ctx context.Context, runtimes []Runtime, opts Options) (*Result, error) {
	res := &Result{Schema: Schema, Host: host.Describe(), Rounds: opts.Rounds, Budget: opts.Budget.String()}
	for _, r := range runtimes {
		res.Runtimes = append(res.Runtimes, r.Name)
	}
	failed := map[string]int{}
	all := opts.Rounds * len(opts.Cells) * len(runtimes)
	done := 0
	for round := range opts.Rounds {
		for _, c := range opts.Cells {
			for i := range runtimes {
				r := runtimes[(i+round)%len(runtimes)]
				key := fmt.Sprint(r.Name, c.Test, c.Ranks)
				opts.Progress(done, all, fmt.Sprintf("round %d/%d: %s, %s on %d ranks", round+1, opts.Rounds, r.Name, c.Test, c.Ranks))
				done++
				if failed[key] >= failuresAllowed {
					continue
				}
				samples, err := r.measure(ctx, c, opts.Budget, opts.Limit)
				if ctx.Err() != nil {
					return res, ctx.Err()
				}
				if err != nil {
					if r.Name == runtimes[0].Name {
						return res, err
					}
					failed[key]++
					res.Notes = append(res.Notes, fmt.Sprintf("round %d: %v", round+1, err))
					continue
				}
				for _, s := range samples {
					s.Round = round
					res.Samples = append(res.Samples, s)
				}
			}
		}
	}
	res.Host.After = host.Load()
	return res, nil
}
