package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/watch"
)

// costCommand counts what jobs that are checked or observed pay for it.
func costCommand(out, errs io.Writer) *cobra.Command {
	var (
		tries int
		limit time.Duration
	)
	c := &cobra.Command{
		Use:   "cost",
		Short: "Count what messages cost in instructions with --check, --stats and --trace of mpirun, against jobs without",
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
	c.Flags().IntVar(&tries, "tries", 3, "tries of each count; the least is taken")
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
		Short: "Compare how long kernels take with --check, --stats and --trace of mpirun, and without, in turn",
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
			return s.run(func(p place) ([]compare.Runtime, error) {
				launch, err := p.program(s.launch, "mpirun")
				if err != nil {
					return nil, err
				}
				npb, err := p.program(program, "npb")
				if err != nil {
					return nil, err
				}
				s.ours = compare.Watched(p.dir)
				s.Session.Ours = len(s.ours)
				return s.variants(p, launch, func(v compare.Setting) compare.Runtime { return compare.TimedNPB(launch, npb, v) })
			})
		},
	}
	s.roundFlags(c.Flags(), 8, 10*time.Minute)
	f := c.Flags()
	f.StringSliceVar(&kernels, "kernels", []string{"cg", "ft", "is", "lu", "mg"}, "kernels to run, or all")
	f.StringSliceVar(&classes, "classes", []string{"W"}, "problem classes")
	f.IntSliceVar(&ranks, "ranks", []int{2}, "numbers of ranks; a kernel leaves out what it cannot run on")
	f.StringVar(&program, "npb", "", "our npb (default: beside this program, or built)")
	return c
}

// modes are the beginnings of the names of pieces that are done by ranks of such a job, and its flag.
var modes = []struct{ piece, flag string }{{"observed", "--stats"}, {"traced", "--trace"}, {"checked", "--check"}}

// showModes counts the pieces that there are in all modes, and prints a table.
func showModes(out io.Writer, tries int, limit time.Duration) error {
	p, closePlace, err := openPlace()
	if err != nil {
		return err
	}
	defer closePlace()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	counter, err := watch.FindCounter(p.ctx)
	if err != nil {
		return err
	}
	o := watch.Options{Tries: tries, Limit: limit, Counter: counter}
	for _, piece := range watch.Pieces() {
		if _, _, ok := inMode(piece.Name); ok {
			o.Works = append(o.Works, pieceWork(self, piece))
		}
	}
	now, _, err := watch.Run(p.ctx, o)
	if err != nil {
		return err
	}
	plain := map[string]float64{}
	for _, w := range now.Works {
		if call, flag, _ := inMode(w.Work); flag == "" {
			plain[call] = w.Instructions
		}
	}
	var rows [][]string
	for _, w := range now.Works {
		call, flag, _ := inMode(w.Work)
		if plain[call] == 0 {
			return errors.New("no count of " + call)
		}
		rows = append(rows, []string{call, flag, fmt.Sprintf("%.0f", w.Instructions), fmt.Sprintf("%.2f", w.Instructions/plain[call])})
	}
	fmt.Fprintln(out, now.Host)
	return bench.Table(out, []string{"work", "flag", "instructions", "times as many"}, rows)
}

// inMode splits the name of a piece into what is done and the flag of the job; not ok of pieces
// that are not done in all modes.
func inMode(name string) (call, flag string, ok bool) {
	for _, m := range modes {
		if rest, found := strings.CutPrefix(name, m.piece+" "); found {
			call, flag = rest, m.flag
		}
	}
	switch {
	case call == "8" || name == "traffic 8":
		return "8 bytes by Send and Recv", flag, true
	case call != "":
		return call, flag, true
	}
	return name, "", name == "window 64" || name == "allreduce 8" || name == "barrier"
}
