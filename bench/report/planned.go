package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rhinet/bench"
)

// CheckPlot returns what is wrong with the file given by --plot.
func CheckPlot(file string) error {
	if err := CheckPlotFormat(strings.TrimPrefix(filepath.Ext(file), ".")); err != nil {
		return bench.Input(fmt.Errorf("--plot %s: %w", file, err))
	}
	if err := PlotFile(file).Check(); err != nil {
		return bench.Input(fmt.Errorf("--plot: %w", err))
	}
	return nil
}

// SavePlot draws to a file.
func SavePlot(file string, draw func() (*Figure, error)) error {
	f, err := draw()
	if err != nil {
		return err
	}
	return f.Save(file)
}

// A Planned measurement in virtual time has rows of type R.
type Planned[R any] struct {
	Check func() error // what is wrong with its plan; nil: nothing can be wrong
	Run   func(report func(R)) error
	Plot  func([]R) (*Figure, error)
	Write func(out io.Writer, format string, rows []R) error
}

// Measure runs the measurement and writes its rows to out, and a plot if a file is named.
func (p Planned[R]) Measure(out io.Writer, format, plot string) error {
	if err := bench.CheckModelFormat(format); err != nil {
		return err
	}
	if p.Check != nil {
		if err := p.Check(); err != nil {
			return err
		}
	}
	if plot != "" {
		if err := CheckPlot(plot); err != nil {
			return err
		}
	}
	var rows []R
	if err := p.Run(func(r R) { rows = append(rows, r) }); err != nil {
		return err
	}
	if plot != "" {
		if err := SavePlot(plot, func() (*Figure, error) { return p.Plot(rows) }); err != nil {
			return err
		}
	}
	return p.Write(out, format, rows)
}
