package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench/study"
	"rhinet/bench/virtual"
	"rhinet/bench/workdir"
	"rhinet/internal/bar"
	"rhinet/internal/hosts"
	"rhinet/nicemu/fabric"
)

// studyFlags are the flags of bench model npb.
type studyFlags struct {
	kernels, classes, series, settings []string
	nodes                              []int
	host                               string
	rates                              []string
	jobs                               int
}

// studyCommand runs the NAS Parallel Benchmarks on modelled networks.
func studyCommand(out, errs io.Writer) *cobra.Command {
	var o studyFlags
	c := &cobra.Command{
		Use: "npb DIR", Short: "Run (P13) the NAS Parallel Benchmarks on the modelled NICs; cells already in DIR are not run again",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(errors.New("model npb takes one folder, of its own or new"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0], out, errs) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.kernels, "kernels", study.Kernels(), "kernels")
	f.StringSliceVar(&o.classes, "classes", []string{"S", "W", "A"}, "classes")
	f.StringSliceVar(&o.series, "series", nil, "message layers pm, pm-unthrottled, vp, vpush (default: these), and loggp and fattree, for up to 1,024 nodes")
	f.IntSliceVar(&o.nodes, "nodes", []int{1, 2, 4, 8, 16}, "numbers of nodes; kernels that need a square take the next one")
	f.StringArrayVar(&o.settings, "set", nil, "NAME=VALUE, a parameter of the model; may be given several times")
	f.StringVar(&o.host, "host", "pentium3", "host whose computing rates are used")
	f.StringSliceVar(&o.rates, "rate", nil, "KERNEL=RATE, in operations per second, instead of the host's")
	f.IntVar(&o.jobs, "jobs", 2, "jobs at once")
	return c
}

// cellCommand measures a cell, and prints the result for the process that has started it.
func cellCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "npb-cell KERNEL CLASS NODES MODEL COMPUTE [SETTING...]", Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 5 {
				return usage(errors.New("npb-cell takes a kernel, a class, a number of nodes, a model and what computing costs"))
			}
			nodes, err := strconv.Atoi(args[2])
			if err != nil {
				return usage(fmt.Errorf("%q is no number of nodes", args[2]))
			}
			res, err := study.Measure(study.Cell{Kernel: args[0], Class: args[1], Nodes: nodes}, args[3], args[4], args[5:])
			if err != nil {
				return err
			}
			res.Memory = virtual.Peak() / float64(nodes)
			return json.NewEncoder(out).Encode(res)
		},
	}
}

// measure returns the process for a cell. One processor is enough: its ranks take turns.
func measure(self string, p study.Plan) func(ctx context.Context, c study.Cell, model string) *exec.Cmd {
	return func(ctx context.Context, c study.Cell, model string) *exec.Cmd {
		args := append([]string{"model", "npb-cell", c.Kernel, c.Class, strconv.Itoa(c.Nodes), model, p.Compute}, p.Settings...)
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		return cmd
	}
}

func (o *studyFlags) plan() (p study.Plan, err error) {
	if p.Series, err = study.Pick(o.series); err != nil {
		return p, err
	}
	p.Kernels, p.Classes, p.Settings = o.kernels, o.classes, o.settings
	for _, n := range o.nodes {
		if n < 1 || n > fabric.MaxRanks {
			return p, usage(fmt.Errorf("%d nodes; a job has 1 to %d", n, fabric.MaxRanks))
		}
	}
	if p.Nodes, p.Squares, err = study.Counts(o.nodes); err != nil {
		return p, err
	}
	host := strings.Join(append([]string{o.host}, o.rates...), ",")
	if _, err := hosts.Parse(host); err != nil {
		return p, usage(err)
	}
	p.Compute = "counted:" + host
	return p, p.Check()
}

func (o *studyFlags) run(dir string, out, errs io.Writer) error {
	if o.jobs < 1 {
		return usage(fmt.Errorf("--jobs %d; give 1 or more", o.jobs))
	}
	plan, err := o.plan()
	if err != nil {
		return err
	}
	ctx, stop := workdir.UntilInterrupted()
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r := study.Runner{Plan: plan, Dir: dir, Jobs: o.jobs, Command: measure(self, plan)}
	show := bar.New(errs, false)
	var results []study.Result
	all := len(plan.Cells())
	err = r.Run(ctx, func(res study.Result) {
		results = append(results, res)
		show.Step(len(results), all, res.String())
	})
	show.End()
	rows := plan.Rows(results)
	return errors.Join(err,
		plan.Folder(dir, o.command(), rows),
		plan.Summary(out, rows))
}

// command returns the command line without the names of programs and folders.
func (o *studyFlags) command() string {
	var nodes []string
	for _, n := range o.nodes {
		nodes = append(nodes, strconv.Itoa(n))
	}
	text := "bench model npb DIR --kernels " + strings.Join(o.kernels, ",") + " --classes " + strings.Join(o.classes, ",") + " --nodes " + strings.Join(nodes, ",") + " --host " + o.host
	for _, s := range o.rates {
		text += " --rate " + s
	}
	for _, s := range o.settings {
		text += " --set " + s
	}
	if len(o.series) > 0 {
		text += " --series " + strings.Join(o.series, ",")
	}
	return text
}
