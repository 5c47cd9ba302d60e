package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/network"
	"rhinet/bench/report"
)

// networkFlags are the flags of bench network.
type networkFlags struct {
	topology, design, format, plot, loads string
	settings                              []string
	print                                 bool
	plan                                  network.Plan
}

// networkCommand measures the timed model of a network.
func networkCommand(out io.Writer) *cobra.Command {
	var o networkFlags
	c := &cobra.Command{
		Use: "network", Short: "Measure the timed model of a network under load, in virtual time", Args: noArgs, PreRunE: alone,
		RunE: func(*cobra.Command, []string) error { return o.run(out) },
	}
	f := c.Flags()
	f.StringVar(&o.topology, "topology", "full:4x4", "a file, or a rule with numbers: pair, one, line, ring, full, tree, random")
	f.BoolVar(&o.print, "print-topology", false, "print the topology as a file, and measure nothing")
	modelTable(c, &o.design, &o.format, &o.settings)
	f.StringSliceVar(&o.plan.Traffic, "traffic", strings.Split(network.Kinds, ", "), "kinds of traffic")
	f.StringVar(&o.loads, "loads", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9", "loads that each host offers, as fractions of a link's data rate")
	f.IntVar(&o.plan.Bytes, "bytes", 512, "payload of a packet")
	f.Float64Var(&o.plan.Hot, "hot", 0.2, "hot-spot traffic: fraction of the packets that go to the first host")
	f.Uint64Var(&o.plan.Seed, "seed", 1, "seed of traffic, bit errors and random topologies")
	f.DurationVar(&o.plan.WarmUp, "warm-up", 200*time.Microsecond, "virtual time before the measurement starts")
	f.DurationVar(&o.plan.Time, "time", time.Millisecond, "measured virtual time, for each point")
	f.StringVar(&o.plot, "plot", "", "also draw latency over load to this file: "+report.PlotFormats)
	return c
}

// modelTable adds the flags of commands that have a table of parameters.
func modelTable(c *cobra.Command, design, format *string, settings *[]string) {
	c.Flags().StringVar(design, "switch", "rhinet2", "which switch's parameters: rhinet2, rhinet3")
	c.Flags().StringArrayVar(settings, "set", nil, "NAME=VALUE, a parameter; may be given several times")
	c.Flags().StringVar(format, "format", "table", "output format: "+bench.ModelFormats)
}

func (o *networkFlags) run(out io.Writer) (err error) {
	p := &o.plan
	if err := bench.CheckModelFormat(o.format); err != nil {
		return err
	}
	if p.Topology, err = network.Topology(o.topology, p.Seed); err != nil {
		return err
	}
	if o.print {
		_, err := p.Topology.WriteTo(out)
		return err
	}
	if p.Table, err = network.Load(o.design, o.settings); err != nil {
		return err
	}
	if p.Loads, err = parseLoads(o.loads); err != nil {
		return err
	}
	title := fmt.Sprintf("%s, %s, %d bytes", o.design, filepath.Base(o.topology), p.Bytes)
	plot := func(rows []network.Row) (*report.Figure, error) { return network.Plot(title, rows) }
	return report.Planned[network.Row]{Check: p.Check, Run: p.Run, Plot: plot, Write: network.Write}.Measure(out, o.format, o.plot)
}

func parseLoads(list string) (loads []float64, err error) {
	for _, f := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil {
			return nil, usage(fmt.Errorf("load %q in --loads is not a number", f))
		}
		loads = append(loads, v)
	}
	return loads, nil
}
