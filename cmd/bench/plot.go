package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"rhinet/bench/report"
)

// checkPlot reports what is wrong with a file to draw to.
func checkPlot(file string) error {
	if err := report.CheckPlotFormat(strings.TrimPrefix(filepath.Ext(file), ".")); err != nil {
		return usage(fmt.Errorf("--plot %s: %w", file, err))
	}
	if err := report.PlotFile(file).Check(); err != nil {
		return usage(fmt.Errorf("--plot: %w", err))
	}
	return nil
}

// savePlot draws to a file.
func savePlot(file string, draw func() (*report.Figure, error)) error {
	f, err := draw()
	if err != nil {
		return err
	}
	return f.Save(file)
}
