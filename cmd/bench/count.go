package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
	"rhinet/bench/report"
)

func countCommand(out io.Writer) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "count FILE|DIR...",
		Short:   "Count the cells of comparisons in which this runtime is faster, equal or slower, by ranks and peer",
		PreRunE: alone,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("no result file named; bench compare --out FILE writes them"))
			}
			if err := oneOf(compare.CountFormats, format); err != nil {
				return usage(err)
			}
			sources, err := report.Load(args)
			if err != nil {
				return usage(err)
			}
			counts := report.Counts(sources)
			if len(counts) == 0 {
				return usage(fmt.Errorf("%s: no comparison with a peer to count the cells of", strings.Join(args, ", ")))
			}
			return compare.WriteCounts(out, format, counts)
		},
	}
	c.Flags().StringVar(&format, "format", "table", "output format: "+compare.CountFormats)
	return c
}
