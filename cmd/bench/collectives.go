package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/virtual"
	"rhinet/internal/bar"
	"rhinet/nicemu/models"
)

// collectivesFlags are the flags of bench model collectives.
type collectivesFlags struct {
	models     []string
	algorithms []string
	sizes      string
	format     string
	plan       virtual.Plan
}

// collectivesCommand measures collective operations of many ranks on cheap models.
func collectivesCommand(out, errs io.Writer) *cobra.Command {
	var o collectivesFlags
	c := &cobra.Command{
		Use: "collectives [DIR]", Short: "Measure a collective operation of many ranks, by each of its algorithms, on cheap models; with DIR write table and plots to a new folder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(errors.New("model collectives takes one folder, which is not there yet, or none"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(out, errs, args) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "time", []string{"loggp", "fattree"}, "a model as mpirun --time takes it; may be given several times")
	f.StringVar(&o.plan.Operation, "operation", "allreduce", "the operation: "+strings.Join(virtual.Operations(), ", "))
	f.StringSliceVar(&o.algorithms, "algorithms", nil, "its algorithms (default: three)")
	f.IntVarP(&o.plan.Ranks, "ranks", "n", 1024, "number of ranks")
	f.StringVar(&o.sizes, "sizes", "", "sizes in bytes, separated by commas (default: 8, 64 ... 1048576)")
	f.StringVar(&o.format, "format", "table", "output format: "+bench.ModelFormats)
	return c
}

// load parses the flags.
func (o *collectivesFlags) load() (err error) {
	if err := bench.CheckModelFormat(o.format); err != nil {
		return err
	}
	for _, text := range o.models {
		m, err := models.Parse(text)
		if err != nil {
			return usage(fmt.Errorf("--time %s: %w", text, err))
		}
		o.plan.Models = append(o.plan.Models, m)
	}
	if o.plan.Sizes, err = parseSizes(o.sizes); err != nil {
		return usage(err)
	}
	if o.plan.Sizes == nil {
		for n := 8; n <= 1<<20; n *= 8 {
			o.plan.Sizes = append(o.plan.Sizes, n)
		}
		o.plan.Sizes = append(o.plan.Sizes, 1<<20)
	}
	if o.plan.Algorithms = o.algorithms; o.algorithms == nil {
		o.plan.Algorithms = virtual.Usual(o.plan.Operation)
	}
	return o.plan.Check()
}

func (o *collectivesFlags) run(out, errs io.Writer, args []string) error {
	if err := o.load(); err != nil {
		return err
	}
	dir := ""
	if len(args) == 1 {
		dir = args[0]
		if err := bench.NewFolder(dir); err != nil {
			return err
		}
	}
	show := bar.New(errs, false)
	var rows []virtual.Row
	all := len(o.plan.Cells())
	err := o.plan.Run(func(r virtual.Row) {
		rows = append(rows, r)
		show.Step(len(rows), all, fmt.Sprintf("%s %s %d bytes", r.Model, r.Algorithm, r.Bytes))
	})
	show.End()
	if err == nil && dir != "" {
		err = o.plan.Folder(dir, o.command(), rows)
	}
	if err != nil {
		return err
	}
	return virtual.Write(out, o.format, rows)
}

// command returns the command line without the name of the folder.
func (o *collectivesFlags) command() string {
	text := "bench model collectives DIR --operation " + o.plan.Operation + " --ranks " + strconv.Itoa(o.plan.Ranks) + " --algorithms " + strings.Join(o.plan.Algorithms, ",")
	for _, m := range o.models {
		text += " --time " + m
	}
	var sizes []string
	for _, n := range o.plan.Sizes {
		sizes = append(sizes, strconv.Itoa(n))
	}
	return text + " --sizes " + strings.Join(sizes, ",")
}
