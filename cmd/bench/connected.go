package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
	"rhinet/bench/host"
	"rhinet/bench/pm"
	"rhinet/mpi"
)

// connectedCommand measures round trips over MPI against the number of idle
// peers, within one job.
func connectedCommand(out io.Writer) *cobra.Command {
	var sizes, format string
	var c pm.Connected
	cmd := &cobra.Command{
		Use:   "connected",
		Short: "Measure: round trip over MPI with many connected idle peers, against few, in turn",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) (err error) {
			if err := compare.CheckFormat(format); err != nil {
				return usage(err)
			}
			if c.Sizes, err = parseSizes(sizes); err != nil {
				return usage(err)
			}
			if err := atLeastOne("rounds", c.Rounds); err != nil {
				return usage(err)
			}
			if err := positive("time", c.Budget); err != nil {
				return usage(err)
			}
			var res connectedRun
			return onRanks(c.Check,
				func(world *mpi.Comm) error {
					res = connectedResult(c, world.Size())
					return c.Run(world, res.add)
				},
				func() error {
					res.Host.After = host.Load()
					return res.Write(out, format)
				})
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Few, "few", 2, "idle peers of the pair to compare with")
	f.StringVar(&sizes, "sizes", "8", "message sizes in bytes, separated by commas")
	f.IntVar(&c.Rounds, "rounds", 20, "rounds in rotated order; fewer than 6 cannot show a difference")
	f.DurationVar(&c.Budget, "time", 20*time.Millisecond, "measuring time of one pair in a round")
	f.StringVar(&format, "format", "table", "output format: "+compare.Formats)
	return cmd
}

// A connectedRun is a comparison whose runtimes are the two pairs.
type connectedRun struct {
	*compare.Result
	ranks int
}

func connectedResult(c pm.Connected, ranks int) connectedRun {
	h := host.Describe()
	h.FindCommit()
	res := &compare.Result{
		Schema: compare.Schema, Host: h, Rounds: c.Rounds, Budget: c.Budget.String(),
		Runtimes: []string{peers(c.Many(ranks)), peers(c.Few)}, Ours: 2,
		Notes: []string{"round trips, not halved, between two ranks that are connected with so many idle ones"},
	}
	return connectedRun{res, ranks}
}

func peers(n int) string { return fmt.Sprintf("%d peers", n) }

// add records one time.
func (r connectedRun) add(round, idle, bytes int, usec float64) {
	r.Samples = append(r.Samples, compare.Sample{Round: round, Runtime: peers(idle), Test: "connected", Ranks: r.ranks, Bytes: bytes, Value: usec})
}
