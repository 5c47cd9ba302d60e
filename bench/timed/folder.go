package timed

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rhinet/bench"
	"rhinet/bench/network"
	"rhinet/bench/report"
	"rhinet/nicemu/vtime"
)

// TraceTo writes all events in the time line of the first size to a new file, for Perfetto or GTKWave
// depending on the extension of its name.
func TraceTo(file string, o Options) error {
	if vtime.NewFileTracer(file, io.Discard) == nil {
		return bench.Input(fmt.Errorf("--trace %s: the name ends in .json or .vcd", file))
	}
	if len(o.Sizes) == 0 {
		o.Sizes = TimelineSizes()
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return bench.Input(fmt.Errorf("--trace: %w", err))
	}
	t := vtime.NewFileTracer(file, f)
	o.Trace = t
	_, err = Timeline(o, o.Sizes[0])
	return errors.Join(err, t.Close(), f.Close())
}

// Timelines returns the time lines of all sizes.
func Timelines(o Options) (all []Span, err error) {
	sizes := o.Sizes
	if sizes == nil {
		sizes = TimelineSizes()
	}
	for _, n := range sizes {
		spans, err := Timeline(o, n)
		if err != nil {
			return nil, err
		}
		all = append(all, spans...)
	}
	return all, nil
}

// Folder runs all experiments, and writes tables and plots to a new folder, together with the command. It
// reports how many points each experiment has.
func Folder(dir, command string, o Options, tell func(name string, points int)) error {
	if err := bench.NewFolder(dir); err != nil {
		return err
	}
	for _, e := range Experiments() {
		var rows []Row
		if err := e.Run(o, func(r Row) { rows = append(rows, r) }); err != nil {
			return err
		}
		if err := bench.WriteFile(dir, e.Name+".csv", func(w io.Writer) error { return Write(w, "csv", rows) }); err != nil {
			return err
		}
		if err := report.SavePlot(filepath.Join(dir, e.Name+".svg"), func() (*report.Figure, error) { return Plot(e, rows) }); err != nil {
			return err
		}
		tell(e.Name, len(rows))
	}
	stages, err := Stages(o)
	if err != nil {
		return err
	}
	spans, err := Timelines(o)
	if err != nil {
		return err
	}
	return errors.Join(
		bench.WriteCommand(dir, command),
		bench.WriteFile(dir, "stages.csv", func(w io.Writer) error { return WriteStages(w, "csv", stages) }),
		bench.WriteFile(dir, "timeline.csv", func(w io.Writer) error { return WriteTimeline(w, "csv", spans) }),
		bench.WriteFile(dir, "timeline.svg", func(w io.Writer) error { return DrawTimeline(w, spans) }),
		bench.WriteFile(dir, "timeline.txt", func(w io.Writer) error { return WriteTimeline(w, "table", spans) }),
		bench.WriteFile(dir, "parameters.csv", func(w io.Writer) error { return network.WriteParameters(w, "csv", o.Table) }),
	)
}
