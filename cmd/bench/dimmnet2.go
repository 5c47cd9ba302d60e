package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/dimmnet2"
	"rhinet/bench/network"
	"rhinet/bench/report"
	"rhinet/nicemu/dimmnet2/timed"
	"rhinet/nicemu/param"
)

// dimmnet2Command measures the timed model of DIMMnet-2.
func dimmnet2Command(out io.Writer) *cobra.Command {
	var format, plot string
	var settings []string
	var print bool
	table := timed.Parameters()
	names := strings.Join(dimmnet2.Names(), "|")
	c := &cobra.Command{
		Use: "dimmnet2 " + names, Short: "Measure the timed DIMMnet-2 as its board was measured, in virtual time", ValidArgs: dimmnet2.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := table.SetAll(settings); err != nil {
				return bench.Input(err, param.ErrSetting)
			}
			if print {
				return network.WriteParameters(out, format, table)
			}
			if len(args) != 1 {
				return usage(errors.New("model dimmnet2 takes one experiment: " + strings.Join(dimmnet2.Names(), ", ")))
			}
			run := func(row func(dimmnet2.Row)) error {
				rows, err := dimmnet2.Run(args[0], table)
				for _, r := range rows {
					row(r)
				}
				return err
			}
			return report.Planned[dimmnet2.Row]{Run: run, Plot: dimmnet2.Plot, Write: dimmnet2.Write}.Measure(out, format, plot)
		},
	}
	f := c.Flags()
	f.BoolVar(&print, "parameters", false, "print every number of the model with its source, and measure nothing")
	f.StringArrayVar(&settings, "set", nil, "NAME=VALUE, a parameter; may be given several times")
	f.StringVar(&format, "format", "table", "output format: "+bench.ModelFormats)
	f.StringVar(&plot, "plot", "", "also draw the curves to this file: "+report.PlotFormats)
	return c
}
