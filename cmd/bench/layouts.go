package main

import (
	"io"

	"github.com/spf13/cobra"

	"rhinet/bench/layouts"
	"rhinet/mpi"
)

func layoutsCommand(out io.Writer) *cobra.Command {
	o := layouts.Default()
	c := &cobra.Command{
		Use:   "layouts",
		Short: "Exchange messages that do not lie in one piece, against slices and packing by hand (2 ranks)",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			var rows []layouts.Row
			return onRanks(o.Check,
				func(world *mpi.Comm) (err error) {
					rows, err = layouts.Measure(world, o)
					return err
				},
				func() error { return layouts.Print(out, rows) })
		},
	}
	c.Flags().IntSliceVar(&o.Sizes, "sizes", o.Sizes, "message sizes in bytes")
	c.Flags().IntSliceVar(&o.Blocks, "blocks", o.Blocks, "bytes of one block; the gap between two blocks is as long")
	c.Flags().IntVar(&o.Rounds, "rounds", o.Rounds, "rounds, in rotated order")
	c.Flags().IntVar(&o.Repetitions, "repetitions", o.Repetitions, "repetitions of one message in a round")
	return c
}
