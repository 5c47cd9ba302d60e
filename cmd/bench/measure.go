package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/mpi"
)

// addPlain adds commands for some tests of the suite that print the columns common to measurements of every
// level.
func addPlain(root *cobra.Command, out io.Writer) error {
	for _, name := range []string{"allreduce", "barrier", "exchange", "pingpong"} {
		b, err := pmb.Find(name)
		if err != nil {
			return err
		}
		root.AddCommand(plainCommand(name, b, out))
	}
	return nil
}

func plainCommand(name string, b pmb.Benchmark, out io.Writer) *cobra.Command {
	m := measurement{out: out}
	c := m.command(name, b.About, 200*time.Millisecond, func(printer bench.Printer, sizes []int) error {
		return onRanks(
			func(ranks int) error { return pmb.CheckPlain(b, ranks, sizes) },
			func(world *mpi.Comm) error { return pmb.Plain(world, b, sizes, m.budget, printer.Row) },
			printer.Close)
	})
	return c
}

// A measurement holds the flags of commands that measure one thing.
type measurement struct {
	out           io.Writer
	sizes, format string
	budget        time.Duration
}

// command returns the command of a measurement.
func (m *measurement) command(name, about string, budget time.Duration, run func(bench.Printer, []int) error) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: "Measure: " + about, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			printer, err := bench.NewPrinter(m.format, m.out)
			if err != nil {
				return usage(err)
			}
			sizes, err := parseSizes(m.sizes)
			if err != nil {
				return usage(err)
			}
			if err := positive("time", m.budget); err != nil {
				return usage(err)
			}
			return run(printer, sizes)
		},
	}
	c.Flags().StringVar(&m.sizes, "sizes", "", "sizes in bytes, separated by commas (default: the test's schedule)")
	c.Flags().StringVar(&m.format, "format", "table", "output format: "+bench.Formats)
	c.Flags().DurationVar(&m.budget, "time", budget, "measuring time of one size")
	return c
}

func parseSizes(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var sizes []int
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			return nil, fmt.Errorf("size %q in --sizes is not a number of bytes", f)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
