package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/rma"
	"rhinet/mpi"
)

// An rmaRun holds what bench rma and bench rma compare have in common.
type rmaRun struct {
	o          rma.Options
	benchmarks []rma.Benchmark
	sizes      string
	time       time.Duration
}

func (r *rmaRun) flags(c *cobra.Command, budget time.Duration) {
	f := c.Flags()
	f.StringVar(&r.sizes, "sizes", "", "sizes in bytes, separated by commas (default: those of each benchmark)")
	f.DurationVar(&r.time, "time", budget, "measuring time of one size")
	f.BoolVar(&r.o.Aggregate, "aggregate", false, "complete all accesses of a batch at once, not one by one")
	f.BoolVar(&r.o.Create, "create", false, "windows of the program's own memory, not allocated ones")
}

// parse checks names of benchmarks and flags.
func (r *rmaRun) parse(names []string) (err error) {
	r.benchmarks = rma.All()
	if len(names) > 0 {
		r.benchmarks = nil
	}
	for _, name := range names {
		b, err := rma.Find(name)
		if err != nil {
			return usage(err)
		}
		r.benchmarks = append(r.benchmarks, b)
	}
	if r.o.Sizes, err = parseSizes(r.sizes); err != nil {
		return usage(err)
	}
	if err := positive("time", r.time); err != nil {
		return usage(err)
	}
	r.o.Policy = bench.Steady(r.time)
	return nil
}

func rmaCommand(out, errs io.Writer) *cobra.Command {
	var (
		r      rmaRun
		format string
	)
	c := &cobra.Command{
		Use:   "rma [name]...",
		Short: "Run the benchmarks of one-sided communication that users of IMB-RMA know",
		RunE: func(_ *cobra.Command, names []string) error {
			if err := r.parse(names); err != nil {
				return err
			}
			if err := oneOf(rmaFormats, format); err != nil {
				return usage(err)
			}
			printer, err := rmaPrinter(format, out)
			if err != nil {
				return err
			}
			return onRanks(
				func(ranks int) error { return rma.Check(r.benchmarks, ranks, r.o.Sizes) },
				func(world *mpi.Comm) error { return rma.Run(world, r.benchmarks, r.o, printer.row) },
				printer.last)
		},
	}
	r.flags(c, 50*time.Millisecond)
	c.Flags().StringVar(&format, "format", "imb", "output format: "+rmaFormats)
	c.AddCommand(rmaCompare(out, errs))
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
