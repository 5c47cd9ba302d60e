package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/barriers"
	"rhinet/bench/network"
	"rhinet/bench/report"
	"rhinet/nicemu/param"
	"rhinet/nicemu/syncctl"
)

// syncCommand measures the model of the synchronization controller.
func syncCommand(out io.Writer) *cobra.Command {
	var nodes, format, plot string
	var settings []string
	var print bool
	p := barriers.Plan{Table: syncctl.Parameters()}
	c := &cobra.Command{
		Use: "sync", Short: "Measure the barriers and locks of the synchronization controller, in virtual time", Args: noArgs,
		RunE: func(*cobra.Command, []string) (err error) {
			if err := p.Table.SetAll(settings); err != nil {
				return bench.Input(err, param.ErrSetting)
			}
			if print {
				return network.WriteParameters(out, format, p.Table)
			}
			if p.Nodes, err = parseNodes(nodes); err != nil {
				return usage(err)
			}
			return report.Planned[barriers.Row]{Check: p.Check, Run: p.Run, Plot: barriers.Plot, Write: barriers.Write}.Measure(out, format, plot)
		},
	}
	f := c.Flags()
	f.StringVar(&nodes, "nodes", "2,4,8,9,16,24,25,36", "numbers of nodes, separated by commas")
	f.Float64Var(&p.Spread, "spread", 0, "processes arrive at random within this many µs; 0: all at once")
	f.IntVar(&p.Rounds, "rounds", 100, "barriers, or rounds of each node, at each point")
	f.Uint64Var(&p.Seed, "seed", 1, "seed of the arrivals")
	f.BoolVar(&print, "parameters", false, "print every number of the model with its source, and measure nothing")
	f.StringArrayVar(&settings, "set", nil, "NAME=VALUE, a parameter; may be given several times")
	f.StringVar(&format, "format", "table", "output format: "+bench.ModelFormats)
	f.StringVar(&plot, "plot", "", "also draw time over nodes to this file: "+report.PlotFormats)
	return c
}

func parseNodes(list string) (nodes []int, err error) {
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil {
			return nil, fmt.Errorf("%q in --nodes is not a number of nodes; give 2,4,8 or the like", f)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}
