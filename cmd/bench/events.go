package main

import (
	"io"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/events"
)

// eventsCommand measures the event kernel and the models that use it.
func eventsCommand(out io.Writer) *cobra.Command {
	var names []string
	var format string
	var messages, tries int
	c := &cobra.Command{
		Use: "events", Short: "Measure how many events per second the event kernel executes on this machine: alone, and with messages on each model", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := bench.CheckModelFormat(format); err != nil {
				return err
			}
			if err := atLeastOne("tries", tries); err != nil {
				return usage(err)
			}
			loads, err := events.Loads(names, messages)
			if err != nil {
				return err
			}
			var rows []events.Row
			for _, l := range loads {
				r, err := l.Measure(tries)
				if err != nil {
					return err
				}
				rows = append(rows, r)
			}
			return events.Write(out, format, rows)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&names, "load", events.Names(), "kernel, or a model as mpirun --time takes it; may be given several times")
	f.IntVar(&messages, "messages", 100_000, "messages among 16 ranks; the kernel alone executes this many events")
	f.IntVar(&tries, "tries", 3, "tries of each load; the fastest counts")
	f.StringVar(&format, "format", "table", "output format: "+bench.ModelFormats)
	return c
}
