package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rhinet/bench"
	"rhinet/bench/rma"
	"rhinet/mpi"
)

// rmaFlags adds the flags of bench rma and bench compare rma.
func rmaFlags(f *pflag.FlagSet, o *rma.Options) {
	f.BoolVar(&o.Aggregate, "aggregate", false, "complete all accesses of a batch together, not one by one")
	f.BoolVar(&o.Create, "create", false, "use windows on the program's own memory, not allocated ones")
}

func rmaCommand(out io.Writer) *cobra.Command {
	var (
		o             rma.Options
		sizes, format string
		budget        time.Duration
	)
	c := &cobra.Command{
		Use:   "rma [name]...",
		Short: "Run the benchmarks of one-sided communication that users of IMB-RMA know",
		RunE: func(_ *cobra.Command, names []string) error {
			benchmarks, err := rma.Choose(names)
			if err != nil {
				return usage(err)
			}
			if o.Sizes, err = parseSizes(sizes); err != nil {
				return usage(err)
			}
			if err := positive("time", budget); err != nil {
				return usage(err)
			}
			if err := oneOf(rma.Formats, format); err != nil {
				return usage(err)
			}
			o.Policy = bench.Steady(budget)
			printer, err := rma.NewPrinter(format, out)
			if err != nil {
				return err
			}
			return onRanks(
				func(ranks int) error { return rma.Check(benchmarks, ranks, o.Sizes) },
				func(world *mpi.Comm) error { return rma.Run(world, benchmarks, o, printer.Row) },
				printer.Close)
		},
	}
	f := c.Flags()
	rmaFlags(f, &o)
	f.StringVar(&sizes, "sizes", "", "sizes in bytes, separated by commas (default: those of each benchmark)")
	f.DurationVar(&budget, "time", 50*time.Millisecond, "measuring time of one size")
	f.StringVar(&format, "format", "imb", "output format: "+rma.Formats)
	return c
}
