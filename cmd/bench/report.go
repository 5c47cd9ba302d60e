package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/report"
)

func reportCommand(out io.Writer) *cobra.Command {
	var file, title, plots, format string
	c := &cobra.Command{
		Use:     "report FILE|DIR...",
		Short:   "Make one HTML page of result files: tables, plots, method, data",
		PreRunE: alone,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("no result file named; bench compare --out FILE writes them"))
			}
			if file == "" && plots == "" {
				return usage(errors.New("nothing to write: give -o FILE, --plots DIR or both"))
			}
			if err := report.CheckPlotFormat(format); err != nil {
				return usage(err)
			}
			sources, err := report.Load(args)
			if err != nil {
				return usage(err)
			}
			r, err := report.New(title, sources)
			if err != nil {
				return err
			}
			if file != "" {
				if err := report.PageFile(file).Check(); err != nil { // before plots are drawn
					return usage(fmt.Errorf("-o: %w", err))
				}
			}
			if plots != "" {
				if err := r.SavePlots(plots, format); err != nil {
					return usage(fmt.Errorf("--plots: %w", err))
				}
			}
			if file != "" {
				if err := bench.Replace(file, func(out *os.File) error { return r.Write(out) }); err != nil {
					return usage(fmt.Errorf("-o: %w", err))
				}
			}
			_, err = fmt.Fprintf(out, "%s, %s\n", bench.Number(len(sources), "result"), bench.Number(len(r.Figures), "plot"))
			return err
		},
	}
	f := c.Flags()
	f.StringVarP(&file, "out", "o", "", "the page to write")
	f.StringVar(&title, "title", "MPI runtimes compared", "title of the page")
	f.StringVar(&plots, "plots", "", "also write every plot to a file in this folder")
	f.StringVar(&format, "plot-format", "svg", "format of the plots' files: "+report.PlotFormats)
	return c
}
