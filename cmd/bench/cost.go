package main

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
	"rhinet/bench/watch"
	"rhinet/bench/workdir"
)

// costCommand counts the cost of checking and observing jobs.
func costCommand(out, errs io.Writer) *cobra.Command {
	var (
		tries int
		limit time.Duration
	)
	c := &cobra.Command{
		Use:   "cost",
		Short: "Count the instructions of messages with --check, --stats and --trace of mpirun, and without",
		Args:  noArgs, PreRunE: alone,
		RunE: func(*cobra.Command, []string) error {
			if err := atLeastOne("tries", tries); err != nil {
				return usage(err)
			}
			if err := positive("limit", limit); err != nil {
				return usage(err)
			}
			return showModes(out, tries, limit)
		},
	}
	c.Flags().IntVar(&tries, "tries", 3, "tries of each count; the smallest counts")
	c.Flags().DurationVar(&limit, "limit", time.Minute, "longest time of one command")
	c.AddCommand(costPrograms(out, errs))
	return c
}

// costPrograms compares the times of programs in such jobs.
func costPrograms(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		kernels, classes []string
		ranks            []int
		program          string
	)
	c := &cobra.Command{
		Use:   "programs",
		Short: "Compare the times of kernels with --check, --stats and --trace of mpirun, and without, in turn",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.checkKernels(c, kernels, classes); err != nil {
				return err
			}
			var err error
			if s.Cells, s.Left, err = compare.NPB(kernels, classes, ranks); err != nil {
				return usage(err)
			}
			s.Cost = true
			return s.run(func(dir workdir.Dir) ([]compare.Runtime, error) {
				launch, err := dir.Program(s.launch, "mpirun")
				if err != nil {
					return nil, err
				}
				npb, err := dir.Program(program, "npb")
				if err != nil {
					return nil, err
				}
				s.ours = compare.Watched(dir.Path)
				s.Session.Ours = len(s.ours)
				return s.variants(dir, launch, func(v compare.Setting) compare.Runtime { return compare.TimedNPB(launch, npb, v) })
			})
		},
	}
	s.roundFlags(c.Flags(), 8, 10*time.Minute)
	f := c.Flags()
	f.StringSliceVar(&kernels, "kernels", []string{"cg", "ft", "is", "lu", "mg"}, "kernels to run, or all")
	f.StringSliceVar(&classes, "classes", []string{"W"}, "problem classes")
	f.IntSliceVar(&ranks, "ranks", []int{2}, "numbers of ranks; a kernel skips those on which it cannot run")
	f.StringVar(&program, "npb", "", "our npb (default: the one next to this program, or else built)")
	return c
}

// showModes counts the pieces that exist in all modes, and prints a table.
func showModes(out io.Writer, tries int, limit time.Duration) error {
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	counter, err := watch.FindCounter(dir.Context)
	if err != nil {
		return err
	}
	return watch.Modes(dir.Context, out, self, watch.Options{Tries: tries, Limit: limit, Counter: counter})
}
