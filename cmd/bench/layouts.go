package main

import (
	"errors"
	"fmt"
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
			if o.Rounds < 1 || o.Repetitions < 1 {
				return usage(fmt.Errorf("%d rounds of %d repetitions; both must be above zero", o.Rounds, o.Repetitions))
			}
			world, err := mpi.Init()
			if err != nil {
				return err
			}
			rows, err := layouts.Measure(world, o)
			if err == nil && world.Rank() == 0 {
				err = layouts.Print(out, rows)
			}
			return errors.Join(err, mpi.Finalize(world))
		},
	}
	c.Flags().IntSliceVar(&o.Sizes, "sizes", o.Sizes, "message sizes in bytes")
	c.Flags().IntSliceVar(&o.Blocks, "blocks", o.Blocks, "bytes of one block; as many lie between two")
	c.Flags().IntVar(&o.Rounds, "rounds", o.Rounds, "rounds, in rotated order")
	c.Flags().IntVar(&o.Repetitions, "repetitions", o.Repetitions, "repetitions of one message in a round")
	return c
}
