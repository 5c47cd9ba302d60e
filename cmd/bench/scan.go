package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/host"
	"rhinet/bench/pm"
)

// scanCommand measures polling of rings.
func scanCommand(out io.Writer) *cobra.Command {
	m := &measurement{out: out}
	var rings, dir string
	c := m.command("scan [DIR]", "looking into many rings, against their number (column ranks); with DIR write table and plot to a new folder", levelBudget, func(printer bench.Printer, sizes []int) error {
		counts, err := numbers("rings", rings, pm.Rings(), 1, pm.MaxRings)
		if err != nil {
			return err
		}
		if sizes != nil {
			return usage(errors.New("scan sends nothing that has a size; numbers of rings are given with --rings"))
		}
		if dir != "" {
			if err := bench.NewFolder(dir); err != nil {
				return err
			}
		}
		before, rows := host.Describe(), []bench.Row(nil)
		err = pm.MeasureScans(counts, bench.Steady(m.budget), func(r bench.Row) {
			rows = append(rows, r)
			printer.Row(r)
		})
		if err == nil && dir != "" {
			before.After = host.Load()
			err = pm.SaveScans(dir, before, counts, m.budget, rows)
		}
		return errors.Join(err, printer.Close())
	})
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(errors.New("pm scan takes one folder, which is not there yet, or none"))
		}
		return nil
	}
	c.PreRun = func(_ *cobra.Command, args []string) { dir = strings.Join(args, "") }
	c.Flags().StringVar(&rings, "rings", "", "numbers of rings (default 1,2,4 ... 1024)")
	_ = c.Flags().MarkHidden("sizes")
	return c
}
