package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/mpi"
)

// addWorkloads adds a command for each workload.
func addWorkloads(root *cobra.Command, out io.Writer) {
	for _, w := range bench.Workloads() {
		root.AddCommand(workloadCommand(w, out))
	}
}

func workloadCommand(w bench.Workload, out io.Writer) *cobra.Command {
	var sizes, format string
	var budget time.Duration
	c := &cobra.Command{
		Use:   w.Name,
		Short: "Measure: " + w.About,
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			printer, err := bench.NewPrinter(format, out)
			if err != nil {
				return usage(err)
			}
			opts := bench.Options{Budget: budget}
			if opts.Sizes, err = parseSizes(sizes); err != nil {
				return usage(err)
			}
			if err := positive("time", budget); err != nil {
				return usage(err)
			}
			world, err := mpi.Init()
			if err != nil {
				return err
			}
			first := world.Rank() == 0
			if err := w.Check(world.Size(), opts); err != nil {
				mpi.Finalize(world)
				return usage(err)
			}
			if err := w.Run(world, opts, printer.Row); err != nil {
				return err
			}
			if err := mpi.Finalize(world); err != nil {
				return err
			}
			if first {
				return printer.Close()
			}
			return nil
		},
	}
	c.Flags().StringVar(&sizes, "sizes", "", "message sizes in bytes, separated by commas (default: the test's schedule)")
	c.Flags().StringVar(&format, "format", "table", "output format: "+bench.Formats)
	c.Flags().DurationVar(&budget, "time", 200*time.Millisecond, "measuring time of one size")
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
