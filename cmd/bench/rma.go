package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rhinet/bench"
	"rhinet/bench/rma"
	"rhinet/mpi"
)

// rmaFlags are those of bench rma and of bench compare rma.
func rmaFlags(f *pflag.FlagSet, o *rma.Options) {
	f.BoolVar(&o.Aggregate, "aggregate", false, "complete all accesses of a batch at once, not one by one")
	f.BoolVar(&o.Create, "create", false, "windows of the program's own memory, not allocated ones")
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
			if err := oneOf(rmaFormats, format); err != nil {
				return usage(err)
			}
			o.Policy = bench.Steady(budget)
			printer, err := rmaPrinter(format, out)
			if err != nil {
				return err
			}
			return onRanks(
				func(ranks int) error { return rma.Check(benchmarks, ranks, o.Sizes) },
				func(world *mpi.Comm) error { return rma.Run(world, benchmarks, o, printer.row) },
				printer.last)
		},
	}
	f := c.Flags()
	rmaFlags(f, &o)
	f.StringVar(&sizes, "sizes", "", "sizes in bytes, separated by commas (default: those of each benchmark)")
	f.DurationVar(&budget, "time", 50*time.Millisecond, "measuring time of one size")
	f.StringVar(&format, "format", "imb", "output format: "+rmaFormats)
	return c
}

const rmaFormats = "imb, " + bench.Formats

// An rmaOutput is how rows are shown.
type rmaOutput struct {
	row  func(rma.Row)
	last func() error
}

func rmaPrinter(format string, out io.Writer) (rmaOutput, error) {
	if format != "imb" {
		p, err := bench.NewPrinter(format, out)
		if err != nil {
			return rmaOutput{}, err
		}
		return rmaOutput{func(r rma.Row) { p.Row(r.Row) }, p.Close}, nil
	}
	before := ""
	return rmaOutput{func(r rma.Row) {
		if r.Test != before {
			before = r.Test
			fmt.Fprintf(out, "\n# Benchmarking %s\n# #processes = %d\n%12s %13s %13s %13s %13s %13s\n", r.Test, r.Ranks,
				"#bytes", "#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec")
		}
		fmt.Fprintf(out, "%12d %13d %13.3f %13.3f %13.3f %13s\n", r.Bytes, r.Repetitions, r.Min, r.Max, (r.Min+r.Max)/2, strconv.FormatFloat(r.MBPerSec, 'f', 2, 64))
	}, func() error { return nil }}, nil
}
