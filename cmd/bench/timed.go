package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/report"
	"rhinet/bench/timed"
)

// timedFlags are the flags of the experiments on the timed model.
type timedFlags struct {
	design, format, sizes, plot string
	settings                    []string
}

// modelsCommand groups the commands for the timed models.
func modelsCommand(out, errs io.Writer) *cobra.Command {
	on := group("model", "Measure the timed models, in virtual time")
	on.AddCommand(parametersCommand(out), stagesCommand(out), spansCommand(out), folderCommand(out), syncCommand(out), dimmnet2Command(out), cenju4Command(out),
		studyCommand(out, errs), cellCommand(out), collectivesCommand(out, errs), nicsCommand(out, errs), eventsCommand(out), picturesCommand(out))
	for _, e := range timed.Experiments() {
		on.AddCommand(experimentCommand(out, e))
	}
	return on
}

// load parses the flags common to all experiments.
func (o *timedFlags) load() (timed.Options, error) {
	if err := bench.CheckModelFormat(o.format); err != nil {
		return timed.Options{}, err
	}
	t, err := timed.Load(o.design, o.settings)
	if err != nil {
		return timed.Options{}, err
	}
	sizes, err := parseSizes(o.sizes)
	if err != nil {
		return timed.Options{}, usage(err)
	}
	return timed.Options{Table: t, Sizes: sizes}, nil
}

func experimentCommand(out io.Writer, e timed.Experiment) *cobra.Command {
	var o timedFlags
	c := &cobra.Command{
		Use: e.Name, Short: fmt.Sprintf("Measure (%s): %s", e.IDs, e.About), Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.measure(out, e) },
	}
	modelTable(c, &o.design, &o.format, &o.settings)
	c.Flags().StringVar(&o.sizes, "sizes", "", "sizes in bytes, separated by commas (default: the experiment's)")
	c.Flags().StringVar(&o.plot, "plot", "", "also draw the curves to this file: "+report.PlotFormats)
	return c
}

func (o *timedFlags) measure(out io.Writer, e timed.Experiment) error {
	options, err := o.load()
	if err != nil {
		return err
	}
	return report.Planned[timed.Row]{
		Check: func() error { return e.Check(options) },
		Run:   func(row func(timed.Row)) error { return e.Run(options, row) },
		Plot:  func(rows []timed.Row) (*report.Figure, error) { return timed.Plot(e, rows) },
		Write: timed.Write,
	}.Measure(out, o.format, o.plot)
}

func stagesCommand(out io.Writer) *cobra.Command {
	var o timedFlags
	c := &cobra.Command{
		Use: "stages", Short: "Show when writes and reads of eight bytes reach each stage, compared with the specification", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			options, err := o.load()
			if err != nil {
				return err
			}
			rows, err := timed.Stages(options)
			if err != nil {
				return err
			}
			return timed.WriteStages(out, o.format, rows)
		},
	}
	modelTable(c, &o.design, &o.format, &o.settings)
	return c
}

func spansCommand(out io.Writer) *cobra.Command {
	var o timedFlags
	var trace, html string
	c := &cobra.Command{
		Use: "timeline", Short: "Show (E9, P8) what each part of a receiver does during one VPUSH, over time", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			options, err := o.load()
			if err != nil {
				return err
			}
			if trace != "" {
				return timed.TraceTo(trace, options)
			}
			if html != "" {
				return o.page(html, options)
			}
			all, err := timed.Timelines(options)
			if err != nil {
				return err
			}
			return timed.WriteTimeline(out, o.format, all)
		},
	}
	modelTable(c, &o.design, &o.format, &o.settings)
	c.Flags().StringVar(&o.sizes, "sizes", "", "sizes in bytes, separated by commas (default: 2048,512,8)")
	c.Flags().StringVar(&trace, "trace", "", "instead write all events of the first size to a new file: FILE.json for Perfetto, FILE.vcd for GTKWave")
	c.Flags().StringVar(&html, "html", "", "instead write the path of a PUSH from host to host, step by step, to a new page `FILE`: of 8 bytes, or of the first size")
	return c
}

// page writes the path of a message as a page.
func (o *timedFlags) page(file string, options timed.Options) error {
	bytes, command := 8, "bench model timeline --html FILE"
	if len(options.Sizes) > 0 {
		bytes = options.Sizes[0]
		command += fmt.Sprintf(" --sizes %d", bytes)
	}
	if o.design != "rhinet2" {
		command += " --switch " + o.design
	}
	for _, s := range o.settings {
		command += " --set " + s
	}
	j, err := timed.Travel(options, bytes)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return usage(fmt.Errorf("--html: %w", err))
	}
	return errors.Join(j.WritePage(f, command), f.Close())
}

// folderCommand runs all experiments.
func folderCommand(out io.Writer) *cobra.Command {
	var o timedFlags
	o.format = "csv"
	c := &cobra.Command{
		Use: "all DIR", Short: "Run all experiments, and write tables and plots to a new folder", Args: oneFolder,
		RunE: func(_ *cobra.Command, args []string) error { return o.folder(out, args[0]) },
	}
	c.Flags().StringVar(&o.design, "switch", "rhinet2", "which switch's parameters: rhinet2, rhinet3")
	c.Flags().StringArrayVar(&o.settings, "set", nil, "NAME=VALUE, a parameter; may be given several times")
	return c
}

func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(errors.New("model all takes one folder, which is not there yet"))
	}
	return nil
}

func (o *timedFlags) folder(out io.Writer, dir string) error {
	options, err := o.load()
	if err != nil {
		return err
	}
	command := "bench model all DIR --switch " + o.design
	for _, s := range o.settings {
		command += " --set " + s
	}
	return timed.Folder(dir, command, options, func(name string, points int) {
		fmt.Fprintf(out, "%s: %d points\n", name, points)
	})
}
