package main

import (
	"io"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/model"
)

// modelCommand measures the stepped model of the NIC, on its own clock.
func modelCommand(out io.Writer) *cobra.Command {
	on := group("model", "Measure the stepped model of the NIC, in steps")
	for _, e := range model.Experiments() {
		var sizes, format string
		var o model.Options
		c := &cobra.Command{
			Use: e.Name, Short: "Measure: " + e.About, Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) (err error) {
				if o.Sizes, err = checkModel(sizes, format); err != nil {
					return err
				}
				if c.Flags().Changed("repetitions") {
					if err := atLeastOne("repetitions", o.Repetitions); err != nil {
						return usage(err)
					}
				}
				if err := e.Check(o); err != nil {
					return err
				}
				var rows []model.Row
				if err := e.Run(o, func(r model.Row) { rows = append(rows, r) }); err != nil {
					return err
				}
				return model.Write(out, format, rows)
			},
		}
		modelFlags(c, &sizes, &format)
		c.Flags().IntVar(&o.Repetitions, "repetitions", 0, "repetitions at each point (default: 8 to 100, by size)")
		on.AddCommand(c)
	}
	on.AddCommand(timelineCommand(out))
	return on
}

// timelineCommand shows how a receiver spends the time of a VPUSH.
func timelineCommand(out io.Writer) *cobra.Command {
	var sizes, format string
	c := &cobra.Command{
		Use: "timeline", Short: "Show what each part of a receiver does during one VPUSH, step by step", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := checkModel(sizes, format)
			if err != nil {
				return err
			}
			if list == nil {
				list = model.TimelineSizes()
			}
			var all []model.Span
			for _, n := range list {
				spans, err := model.Timeline(n)
				if err != nil {
					return err
				}
				all = append(all, spans...)
			}
			return model.WriteTimeline(out, format, all)
		},
	}
	modelFlags(c, &sizes, &format)
	return c
}

func modelFlags(c *cobra.Command, sizes, format *string) {
	c.Flags().StringVar(sizes, "sizes", "", "sizes in bytes, separated by commas (default: the experiment's)")
	c.Flags().StringVar(format, "format", "table", "output format: "+bench.ModelFormats)
}

func checkModel(sizes, format string) ([]int, error) {
	if err := bench.CheckModelFormat(format); err != nil {
		return nil, err
	}
	list, err := parseSizes(sizes)
	if err != nil {
		return nil, usage(err)
	}
	return list, nil
}
