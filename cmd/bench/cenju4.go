package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/cenju4"
	"rhinet/bench/network"
	"rhinet/bench/report"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/param"
)

// cenju4Command measures the model of Cenju-4.
func cenju4Command(out io.Writer) *cobra.Command {
	var nodes, sizes, format, plot string
	var settings []string
	var print bool
	names, abouts := cenju4.Experiments()
	long := "Measure the model of Cenju-4 in virtual time. The experiments:\n"
	for i, name := range names {
		long += fmt.Sprintf("\n  %-10s  %s", name, abouts[i])
	}
	c := &cobra.Command{
		Use: "cenju4 EXPERIMENT", Short: "Measure the model of Cenju-4, in virtual time: " + strings.Join(names, ", "), Long: long,
		Args: cobra.MaximumNArgs(1), ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			p := cenju4.Plan{Experiment: strings.Join(args, ""), Table: timed.Parameters()}
			if err := p.Table.SetAll(settings); err != nil {
				return bench.Input(err, param.ErrSetting)
			}
			if print {
				return network.WriteParameters(out, format, p.Table)
			}
			if nodes != "" {
				if p.Nodes, err = parseNodes(nodes); err != nil {
					return usage(err)
				}
			}
			if sizes != "" {
				if p.Sizes, err = parseSizes(sizes); err != nil {
					return usage(err)
				}
			}
			write := func(out io.Writer, format string, rows []cenju4.Row) error {
				cenju4.Compare(rows)
				return cenju4.Write(out, format, rows)
			}
			return report.Planned[cenju4.Row]{Check: p.Check, Run: p.Run, Plot: cenju4.Plot, Write: write}.Measure(out, format, plot)
		},
	}
	f := c.Flags()
	f.StringVar(&nodes, "nodes", "", "numbers of nodes, separated by commas (default: the experiment's)")
	f.StringVar(&sizes, "sizes", "", "sizes in bytes, separated by commas (default: the experiment's)")
	f.BoolVar(&print, "parameters", false, "print every number of the model with its source, and measure nothing")
	f.StringArrayVar(&settings, "set", nil, "NAME=VALUE, a parameter; may be given several times")
	f.StringVar(&format, "format", "table", "output format: "+bench.ModelFormats)
	f.StringVar(&plot, "plot", "", "also draw the curves to this file: "+report.PlotFormats)
	return c
}
