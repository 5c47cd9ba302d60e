package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rhinet/bench/compare"
	"rhinet/bench/peer"
	"rhinet/bench/rma"
	"rhinet/bench/workdir"
)

func compareCommand(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		tests        []string
		short, hosts bool
		kernels      originals
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
			if err := s.checkPeers(); err != nil {
				return err
			}
			if err := kernels.check(); err != nil {
				return err
			}
			if hosts {
				return s.betweenHosts(short, tests, &kernels)
			}
			if len(kernels.folders) > 0 {
				return usage(errors.New("--reference is for kernels, which run in compare npb and with --hosts"))
			}
			plan := compare.Full()
			if short {
				plan = compare.Short()
			}
			var err error
			if s.Cells, err = compare.Select(plan, tests); err != nil {
				return usage(err)
			}
			return s.run(s.withPeers)
		},
	}
	s.flags(c.Flags(), 8, time.Minute)
	s.peerFlags(c.Flags(), 50*time.Millisecond, "measuring time of one size")
	f := c.Flags()
	f.StringSliceVar(&tests, "tests", nil, "tests to run (default: all of the plan)")
	f.BoolVar(&short, "short", false, "a plan that takes seconds and has every kind of cell")
	f.BoolVar(&hosts, "hosts", false, "run the jobs between hosts, which are network namespaces of this machine (as root)")
	kernels.flags(f)
	c.AddCommand(compareNPB(out, errs), comparePMB(out, errs), compareRMA(out, errs))
	return c
}

// withPeers returns the variants of this program, and the peers' program.
func (s *comparison) withPeers(dir workdir.Dir) ([]compare.Runtime, error) {
	others, err := compare.Peers(dir.Context, s.peers, dir.Path)
	if err != nil {
		return nil, err
	}
	ours, err := s.ourselves(dir)
	return append(ours, others...), err
}

// A suite is what differs between commands that compare the benchmarks of another command.
type suite struct {
	command string // after bench
	budget  time.Duration
	sizes   string // used if none are given
	// plan makes cells of the named benchmarks; skipped lists what cannot run.
	plan     func(names []string, ranks, sizes []int) (cells []compare.Cell, skipped []string, err error)
	runtimes func(workdir.Dir) ([]compare.Runtime, error)
}

// suiteCommand compares benchmarks of a suite by their names.
func (s *comparison) suiteCommand(of suite) *cobra.Command {
	var (
		ranks []int
		sizes string
	)
	c := &cobra.Command{
		Use:   of.command + " [name]...",
		Short: "Run the benchmarks of bench " + of.command + " here, on Open MPI and on MPICH in turn",
		RunE: func(_ *cobra.Command, names []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if err := s.checkPeers(); err != nil {
				return err
			}
			list, err := parseSizes(sizes)
			if err != nil {
				return usage(err)
			}
			if s.Cells, s.Left, err = of.plan(names, ranks, list); err != nil {
				return usage(err)
			}
			return s.run(of.runtimes)
		},
	}
	s.flags(c.Flags(), 8, time.Minute)
	s.peerFlags(c.Flags(), of.budget, "time that one size takes at most")
	c.Flags().IntSliceVar(&ranks, "ranks", []int{2}, "numbers of ranks; a benchmark skips those on which it cannot run")
	c.Flags().StringVar(&sizes, "sizes", "", "sizes in bytes, separated by commas (default: "+of.sizes+")")
	return c
}

// aboutFresh says what --fresh does, here and in bench pmb.
const aboutFresh = "between collective calls, read what was received and write what is sent next, as programs do"

// comparePMB compares the suite of bench pmb.
func comparePMB(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	c := s.suiteCommand(suite{"pmb", 100 * time.Millisecond, "seven from 8 bytes to 1 MiB", compare.Suite, func(dir workdir.Dir) ([]compare.Runtime, error) {
		all, err := s.withPeers(dir)
		for i := range all {
			if s.OwnBarrier {
				all[i] = all[i].With(compare.OwnBarrier)
			}
			if s.Fresh {
				all[i] = all[i].With(compare.Fresh)
			}
		}
		return all, err
	}})
	c.Flags().BoolVar(&s.Fresh, "fresh", false, aboutFresh)
	c.Flags().BoolVar(&s.OwnBarrier, "own-barrier", false, "separate collective calls by a barrier of messages, the same on all runtimes, instead of their own")
	return c
}

// compareRMA compares the benchmarks of bench rma.
func compareRMA(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var o rma.Options
	c := s.suiteCommand(suite{"rma", 20 * time.Millisecond, "five from 8 bytes to 1 MiB", compare.RMA, func(dir workdir.Dir) ([]compare.Runtime, error) {
		others, err := compare.PeersRMA(dir.Context, s.peers, dir.Path, o)
		if err != nil {
			return nil, err
		}
		self, launch, err := s.programs(dir)
		if err != nil {
			return nil, err
		}
		ours, err := s.variants(dir, launch, func(v compare.Setting) compare.Runtime { return compare.OursRMA(launch, self, v, o) })
		return append(ours, others...), err
	}})
	rmaFlags(c.Flags(), &o)
	return c
}

// originals are the folders of compiled kernels given on the command line.
type originals struct {
	folders []string
	mpi     string
}

func (o *originals) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.folders, "reference", nil, "folder of compiled originals, called like cg.A.x or cg.A.2; may be repeated")
	f.StringVar(&o.mpi, "reference-mpi", "", "the MPI of the originals: openmpi or mpich (default: the one they are linked with)")
}

// check returns mistakes in the flags.
func (o *originals) check() error {
	if err := ofReferences(o.mpi, o.folders); err != nil || o.mpi == "" {
		return err
	}
	if err := compare.CheckPeers([]string{o.mpi}); err != nil {
		return usage(err)
	}
	return nil
}

// ofReferences rejects an MPI of originals if there are no originals.
func ofReferences(mpi string, references []string) error {
	if mpi != "" && len(references) == 0 {
		return usage(fmt.Errorf("--reference-mpi %s is the MPI of compiled originals; name their folder with --reference", mpi))
	}
	return nil
}

// checkKernels returns mistakes in the flags of a comparison of kernels.
func (s *comparison) checkKernels(c *cobra.Command, kernels, classes []string) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := notEmpty(c, "kernels", kernels); err != nil {
		return err
	}
	return notEmpty(c, "classes", classes)
}

// compareNPB compares the NAS Parallel Benchmarks with themselves on the libraries of other MPIs, and with
// compiled originals.
func compareNPB(out, errs io.Writer) *cobra.Command {
	s := &comparison{out: out, errs: errs}
	var (
		kernels, classes []string
		ranks            []int
		program          string
		references       originals
	)
	c := &cobra.Command{
		Use:   "npb",
		Short: "Run the NAS Parallel Benchmarks here and, in turn, on other MPIs' libraries and as originals compiled for them",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.checkKernels(c, kernels, classes); err != nil {
				return err
			}
			if err := references.check(); err != nil {
				return err
			}
			if s.Efficiency && !slices.Contains(ranks, 1) {
				return usage(errors.New("--efficiency is against 1 rank; add it to --ranks"))
			}
			if err := compare.CheckPeers(s.peers); err != nil {
				return usage(err)
			}
			cells, skipped, err := compare.NPB(kernels, classes, ranks)
			if err != nil {
				return usage(err)
			}
			s.Cells, s.Left = cells, skipped
			return s.run(func(dir workdir.Dir) ([]compare.Runtime, error) {
				var probe func(string) (string, error)
				if s.Waits {
					probe = func(mpicc string) (string, error) { return peer.CompileWaits(dir.Context, mpicc, dir.Path) }
				}
				others, lacking, err := compare.References(references.folders, references.mpi, cells, probe)
				if err != nil {
					return nil, usage(err)
				}
				s.Left = append(s.Left, lacking...)
				libraries, err := s.onLibraries(dir, nil, s.Waits)
				if err != nil {
					return nil, err
				}
				others = append(others, libraries...)
				launch, err := dir.Program(s.launch, "mpirun")
				if err != nil {
					return nil, err
				}
				npb, err := dir.Program(program, "npb")
				if err != nil {
					return nil, err
				}
				ours, err := s.variants(dir, launch, func(v compare.Setting) compare.Runtime { return compare.OursNPB(launch, npb, v, s.Waits) })
				return append(ours, others...), err
			})
		},
	}
	s.flags(c.Flags(), 6, 10*time.Minute)
	f := c.Flags()
	f.StringSliceVar(&kernels, "kernels", nil, "kernels to run (default: all)")
	f.StringSliceVar(&classes, "classes", []string{"S"}, "problem classes")
	f.IntSliceVar(&ranks, "ranks", []int{1, 2, 4}, "numbers of ranks; a kernel skips those on which it cannot run")
	references.flags(f)
	f.StringSliceVar(&s.peers, "peers", nil, "C runtimes on whose libraries our kernels run, too: "+strings.Join(compare.PeerNames(), ", ")+" (default: none)")
	f.BoolVar(&s.Waits, "waits", false, "compare the run time and the communication wait time, in seconds, instead of the rate")
	f.BoolVar(&s.Efficiency, "efficiency", false, "show the parallel efficiency against 1 rank, too; --ranks must include 1")
	f.StringVar(&program, "npb", "", "our npb (default: the one next to this program, or else built)")
	return c
}

// librariesTag is the build tag of programs that run on other MPIs' libraries.
const librariesTag = "peers"

// onLibraries returns the peers' libraries as runtimes of our kernels, on hosts.
func (s *comparison) onLibraries(dir workdir.Dir, hosts *compare.Hosts, waits bool) ([]compare.Runtime, error) {
	if len(s.peers) == 0 {
		return nil, nil
	}
	if err := compare.Installed(s.peers); err != nil { // before anything is built
		return nil, err
	}
	npb, err := dir.Tagged("npb", librariesTag)
	if err != nil {
		return nil, err
	}
	return compare.PeersNPB(dir.Context, s.peers, hosts, dir.Path, npb, waits)
}
