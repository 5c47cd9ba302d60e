package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rhinet/bench/host"
)

func calibrateCommand(out io.Writer) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Time a 64 MiB triad and a dependent chain of multiply-adds, to compare figures measured at different times",
		Args:  noArgs, PreRunE: alone,
		RunE: func(*cobra.Command, []string) error {
			if format != "text" && format != "json" {
				return usage(fmt.Errorf("unknown format %q; the formats are text, json", format))
			}
			h, c := host.Describe(), host.Calibrate()
			h.FindCommit()
			h.After = host.Load()
			if format == "json" {
				return json.NewEncoder(out).Encode(struct {
					Host        host.Host        `json:"host"`
					Calibration host.Calibration `json:"calibration"`
				}{h, c})
			}
			_, err := fmt.Fprintf(out, "%s\n%s\n", h, c)
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "text", "output format: text, json")
	return c
}
