package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/nics"
	"rhinet/bench/workdir"
	"rhinet/internal/bar"
)

// nicsFlags are the flags of bench model nics.
type nicsFlags struct {
	plan   nics.Plan
	jobs   int
	format string
	from   []string
}

// nicsCommand runs the same programs on all modelled NICs.
func nicsCommand(out, errs io.Writer) *cobra.Command {
	o := nicsFlags{plan: nics.Usual()}
	long := "Run the same programs in virtual time on all modelled NICs, in three variants.\n\n"
	for _, v := range nics.Variants() {
		long += fmt.Sprintf("  %-7s %s\n", v.Name, v.About)
	}
	long += "\nThe rules of the variants modern and equal:\n\n  " + strings.Join(nics.Rule(), "\n  ")
	c := &cobra.Command{
		Use: "nics DIR", Short: "Run the same programs on all modelled NICs, on their own and on equal terms; cells already in DIR are not run again", Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(errors.New("model nics takes one folder, of its own or new"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0], out, errs) },
	}
	f, p := c.Flags(), &o.plan
	f.StringSliceVar(&p.Variants, "variants", p.Variants, "variants")
	f.StringSliceVar(&p.NICs, "nics", p.NICs, "NICs, as mpirun --time takes them")
	f.StringSliceVar(&p.Tests, "tests", p.Tests, "tests of the suite of benchmarks")
	f.IntSliceVar(&p.Sizes, "sizes", p.Sizes, "bytes of their messages")
	f.IntSliceVar(&p.Nodes, "nodes", p.Nodes, "numbers of nodes for the tests")
	f.StringSliceVar(&p.Kernels, "kernels", p.Kernels, "kernels of the NAS Parallel Benchmarks")
	f.StringSliceVar(&p.Classes, "classes", p.Classes, "their classes")
	f.IntSliceVar(&p.KernelNodes, "kernel-nodes", p.KernelNodes, "numbers of nodes for kernels, where a kernel allows them")
	f.IntVar(&o.jobs, "jobs", 2, "cells at once")
	f.StringSliceVar(&o.from, "from", nil, "nics.json files of earlier runs: their results are used where the models have not changed")
	f.StringVar(&o.format, "format", "table", "output format: "+bench.ModelFormats)
	return c
}

func (o *nicsFlags) run(dir string, out, errs io.Writer) error {
	if o.jobs < 1 {
		return usage(fmt.Errorf("--jobs %d; give 1 or more", o.jobs))
	}
	if err := bench.CheckModelFormat(o.format); err != nil {
		return err
	}
	p := &o.plan
	if err := p.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usage(fmt.Errorf("%w; give another folder", err))
	}
	known, err := nics.Known(o.from)
	if err != nil {
		return usage(err)
	}
	ctx, stop := workdir.UntilInterrupted()
	defer stop()
	show := bar.New(errs, false)
	var results []nics.Result
	all := len(p.Cells())
	r := nics.Runner{Plan: *p, Dir: dir, Jobs: o.jobs, Known: known}
	err = r.Run(ctx, func(res nics.Result) {
		results = append(results, res)
		show.Step(len(results), all, res.String())
	})
	show.End()
	rows := p.Rows(results)
	if err = errors.Join(err, p.Folder(dir, o.from, rows)); o.format != "table" {
		return errors.Join(err, nics.Write(out, o.format, rows))
	}
	return errors.Join(err, p.Summary(out, rows))
}
