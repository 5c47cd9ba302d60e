package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
)

func compareCommand(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		tests, peers []string
		short        bool
	)
	c := &cobra.Command{
		Use:   "compare",
		Short: "Run the same measurements here, on Open MPI and on MPICH in turn, and print medians and ratios",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if err := notEmpty(c, "tests", tests); err != nil {
				return err
			}
			if err := positive("time", s.Budget); err != nil {
				return usage(err)
			}
			if err := compare.CheckPeers(peers); err != nil {
				return usage(err)
			}
			plan := compare.Full()
			if short {
				plan = compare.Short()
			}
			var err error
			if s.Cells, err = compare.Select(plan, tests); err != nil {
				return usage(err)
			}
			return s.run(s.withPeers(peers))
		},
	}
	s.flags(c.Flags(), 8, time.Minute)
	f := c.Flags()
	f.DurationVar(&s.Budget, "time", 50*time.Millisecond, "measuring time of one size")
	f.StringSliceVar(&tests, "tests", nil, "tests to run (default: all of the plan)")
	f.StringSliceVar(&peers, "peers", []string{"openmpi", "mpich"}, "runtimes to compare with")
	f.BoolVar(&short, "short", false, "a plan of seconds that touches every kind of cell")
	c.AddCommand(compareNPB(out, errs), compareSuite(out, errs))
	return c
}

// withPeers are the variants of this program, and the peers' program.
func (s *comparison) withPeers(peers []string) func(p place) ([]compare.Runtime, error) {
	return func(p place) ([]compare.Runtime, error) {
		others, err := compare.Peers(p.ctx, peers, p.dir)
		if err != nil {
			return nil, err
		}
		ours, err := s.ourselves(p)
		return append(ours, others...), err
	}
}

// compareSuite compares the suite of bench pmb.
func compareSuite(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		peers []string
		ranks []int
		sizes string
	)
	c := &cobra.Command{
		Use:   "pmb [name]...",
		Short: "Run the benchmarks of bench pmb here, on Open MPI and on MPICH in turn",
		RunE: func(_ *cobra.Command, names []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if err := positive("time", s.Budget); err != nil {
				return usage(err)
			}
			if err := compare.CheckPeers(peers); err != nil {
				return usage(err)
			}
			list, err := parseSizes(sizes)
			if err != nil {
				return usage(err)
			}
			if s.Cells, s.Left, err = compare.Suite(names, ranks, list); err != nil {
				return usage(err)
			}
			return s.run(s.withPeers(peers))
		},
	}
	s.flags(c.Flags(), 8, time.Minute)
	f := c.Flags()
	f.DurationVar(&s.Budget, "time", 100*time.Millisecond, "time that one size takes at most")
	f.IntSliceVar(&ranks, "ranks", []int{2}, "numbers of ranks; a test leaves out what it cannot run on")
	f.StringVar(&sizes, "sizes", "", "message sizes in bytes, separated by commas (default: five from 8 bytes to 1 MiB)")
	f.StringSliceVar(&peers, "peers", []string{"openmpi", "mpich"}, "runtimes to compare with")
	return c
}

// ofReferences refuses the MPI of originals where there are none.
func ofReferences(mpi string, references []string) error {
	if mpi != "" && len(references) == 0 {
		return usage(fmt.Errorf("--reference-mpi %s is the MPI of compiled originals; name their folder with --reference", mpi))
	}
	return nil
}

// compareNPB compares the NAS Parallel Benchmarks with compiled originals.
func compareNPB(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		kernels, classes, references []string
		ranks                        []int
		mpi, program                 string
	)
	c := &cobra.Command{
		Use:   "npb",
		Short: "Run the NAS Parallel Benchmarks here and, in turn, originals compiled for other runtimes",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if err := notEmpty(c, "kernels", kernels); err != nil {
				return err
			}
			if err := notEmpty(c, "classes", classes); err != nil {
				return err
			}
			if err := ofReferences(mpi, references); err != nil {
				return err
			}
			if mpi != "" {
				if err := compare.CheckPeers([]string{mpi}); err != nil {
					return usage(err)
				}
			}
			cells, skipped, err := compare.NPB(kernels, classes, ranks)
			if err != nil {
				return usage(err)
			}
			s.Cells, s.Left = cells, skipped
			return s.run(func(p place) ([]compare.Runtime, error) {
				others, lacking, err := compare.References(references, mpi, cells)
				if err != nil {
					return nil, usage(err)
				}
				s.Left = append(s.Left, lacking...)
				launch, err := p.program(s.launch, "mpirun")
				if err != nil {
					return nil, err
				}
				npb, err := p.program(program, "npb")
				if err != nil {
					return nil, err
				}
				ours, err := s.variants(p, launch, func(v compare.Setting) compare.Runtime { return compare.OursNPB(launch, npb, v) })
				return append(ours, others...), err
			})
		},
	}
	s.flags(c.Flags(), 6, 10*time.Minute)
	f := c.Flags()
	f.StringSliceVar(&kernels, "kernels", nil, "kernels to run (default: all)")
	f.StringSliceVar(&classes, "classes", []string{"S"}, "problem classes")
	f.IntSliceVar(&ranks, "ranks", []int{1, 2, 4}, "numbers of ranks; a kernel leaves out what it cannot run on")
	f.StringArrayVar(&references, "reference", nil, "folder of compiled originals, called like cg.A.x or cg.A.2; may be repeated")
	f.StringVar(&mpi, "reference-mpi", "", "the MPI of the originals: openmpi or mpich (default: the one they are linked with)")
	f.StringVar(&program, "npb", "", "our npb (default: beside this program, or built)")
	return c
}
