package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/host"
	"rhinet/bench/pm"
	"rhinet/bench/report"
)

// scanCommand measures looking into rings.
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
			if err := newFolder(dir); err != nil {
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
			err = m.keepScans(dir, before, counts, rows)
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

// keepScans writes what a folder is to have: what was measured, where, and by which command.
func (m *measurement) keepScans(dir string, on host.Host, counts []int, rows []bench.Row) error {
	list := make([]string, len(counts))
	for i, n := range counts {
		list[i] = strconv.Itoa(n)
	}
	return errors.Join(
		write(dir, "scan.csv", func(w io.Writer) error {
			p, err := bench.NewPrinter("csv", w)
			if err != nil {
				return err
			}
			for _, r := range rows {
				p.Row(r)
			}
			return p.Close()
		}),
		write(dir, "host.json", func(w io.Writer) error { return bench.WriteJSON(w, []host.Host{on}) }),
		write(dir, "commands.txt", func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "bench pm scan DIR --rings %s --time %v\n", strings.Join(list, ","), m.budget)
			return err
		}),
		savePlot(filepath.Join(dir, "scan.svg"), func() (*report.Figure, error) { return scanPlot(rows) }))
}

// scanPlot draws the time of a pass over the number of rings, a curve for each way.
func scanPlot(rows []bench.Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		if n := len(curves); n == 0 || curves[n-1].Name != r.Test {
			curves = append(curves, report.Curve{Name: r.Test})
		}
		c := &curves[len(curves)-1]
		c.X, c.Y = append(c.X, float64(r.Ranks)), append(c.Y, r.Microsecs)
	}
	return report.ByNumber("scan", "P11: looking once into each of many rings", "rings", "µs", curves)
}
