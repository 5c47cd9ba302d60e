package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
	"rhinet/bench/traffic"
	"rhinet/bench/workdir"
	"rhinet/llc/nics"
	"rhinet/mpi"
)

// A trafficRun holds the flags of bench traffic.
type trafficRun struct {
	out, errs io.Writer
	seeds     traffic.Seeds
	nics      []string
	timeout   time.Duration
	print     bool
	launch    string
}

func trafficCommand(out, errs io.Writer) *cobra.Command {
	t := &trafficRun{out: out, errs: errs}
	c := &cobra.Command{
		Use:   "traffic",
		Short: "Test: random messages between processes, each checked against the plan that its seed gives",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return t.run() },
	}
	f := c.Flags()
	f.Uint64Var(&t.seeds.First, "seed", 0, "the seed, or the first of them")
	f.IntVar(&t.seeds.Count, "seeds", 1, "how many seeds to run, one job each")
	f.Float64Var(&t.seeds.Minutes, "minutes", 0, "run seeds for this many minutes, instead of --seeds")
	f.StringSliceVar(&t.nics, "nic", traffic.NICs(), "settings that the seeds use in turn, each NIC or NIC+NAME=VALUE")
	f.IntSliceVar(&t.seeds.Ranks, "ranks", []int{2, 3, 4, 5, 6, 8, 12, 16}, "numbers of ranks that seeds choose from")
	f.DurationVar(&t.timeout, "timeout", 2*time.Minute, "time limit of one job; a job that exceeds it counts as hung")
	f.BoolVar(&t.print, "print", false, "print the plan of the seed for the first of --ranks, and run nothing")
	f.BoolVar(&t.seeds.GoOn, "keep-going", false, "continue after a seed that fails")
	f.StringVar(&t.launch, "mpirun", "", "our mpirun (default: the one next to this program, or else built)")
	f.IntVar(&t.seeds.Options.Steps, "steps", 12, "approximate number of steps in one lane of a plan")
	f.IntVar(&t.seeds.Options.Budget, "budget", 96<<20, "maximum bytes of all messages of one exchange")
	f.IntVar(&t.seeds.Options.Most, "most", traffic.MostBytes, "maximum bytes of one message")
	c.AddCommand(floodCommand(), alltoallCommand(), t.fixedCommand())
	return c
}

// check returns mistakes in the flags.
func (t *trafficRun) check() ([]compare.Setting, error) {
	for _, n := range t.seeds.Ranks {
		if n < 1 || n > traffic.MostRanks {
			return nil, fmt.Errorf("--ranks %d: random traffic is for 1 to %d ranks", n, traffic.MostRanks)
		}
	}
	for name, n := range map[string]int{"seeds": t.seeds.Count, "steps": t.seeds.Options.Steps, "budget": t.seeds.Options.Budget, "ranks": len(t.seeds.Ranks)} {
		if err := atLeastOne(name, n); err != nil {
			return nil, err
		}
	}
	if t.seeds.Options.Most < 0 || t.seeds.Options.Most > traffic.MostBytes {
		return nil, fmt.Errorf("--most %d: messages have 0 to %d bytes", t.seeds.Options.Most, traffic.MostBytes)
	}
	if t.seeds.Minutes < 0 {
		return nil, fmt.Errorf("--minutes %v is negative", t.seeds.Minutes)
	}
	if err := positive("timeout", t.timeout); err != nil {
		return nil, err
	}
	if len(t.nics) == 0 {
		return nil, errors.New("--nic is empty; leave it out, or name one")
	}
	settings, err := compare.ParseSettings(t.nics)
	if err != nil {
		return nil, fmt.Errorf("--nic: %w", err)
	}
	return settings, nil
}

func (t *trafficRun) run() error {
	settings, err := t.check()
	switch {
	case err != nil:
		return usage(err)
	case os.Getenv(rankVariable) != "":
		return t.rank()
	case t.print:
		t.seeds.Options.Ranks = t.seeds.Ranks[0]
		_, err := fmt.Fprint(t.out, traffic.Draw(t.seeds.First, t.seeds.Options))
		return err
	}
	return t.launched(settings, t.timeout, func(ctx context.Context, l traffic.Launch) error {
		for _, s := range settings { // before the first seed
			if err := s.Try(ctx, l.MPIRun, 1, l.Bench); err != nil {
				return usage(fmt.Errorf("--nic %w", err))
			}
		}
		return l.Random(ctx, t.seeds)
	})
}

// rank is the program of one rank of a job.
func (t *trafficRun) rank() error {
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	if t.seeds.Options.Ranks = world.Size(); t.seeds.Options.Ranks > traffic.MostRanks {
		mpi.Finalize(world)
		return usage(fmt.Errorf("random traffic is for 1 to %d ranks, not %d", traffic.MostRanks, t.seeds.Options.Ranks))
	}
	if err := traffic.Draw(t.seeds.First, t.seeds.Options).Run(world); err != nil {
		return err
	}
	return mpi.Finalize(world)
}

// launched calls run with the means to start jobs.
func (t *trafficRun) launched(settings []compare.Setting, timeout time.Duration, run func(context.Context, traffic.Launch) error) error {
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	l := traffic.Launch{Settings: settings, Timeout: timeout, Out: t.out, Errs: t.errs}
	if l.MPIRun, err = dir.Program(t.launch, "mpirun"); err != nil {
		return err
	}
	if l.Bench, err = os.Executable(); err != nil {
		return err
	}
	return run(dir.Context, l)
}

// program makes a command that is a program of ranks.
func program(use, about string, run func(*mpi.Comm) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: about, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			world, err := mpi.Init()
			if err != nil {
				return err
			}
			if err := run(world); err != nil {
				return err
			}
			return mpi.Finalize(world)
		},
	}
}

func floodCommand() *cobra.Command {
	var rounds, bytes int
	var sleep time.Duration
	c := program("flood", "Test, under mpirun: pairs exchange long messages, and a receiver that sleeps is told of each", func(world *mpi.Comm) error {
		return traffic.Flood(world, rounds, bytes, sleep)
	})
	c.Flags().IntVar(&rounds, "rounds", 1000, "exchanges of each pair")
	c.Flags().IntVar(&bytes, "bytes", 300_000, "bytes that each rank of a pair sends in one exchange")
	c.Flags().DurationVar(&sleep, "sleep", 500*time.Millisecond, "how long rank 0 sleeps first")
	return c
}

func alltoallCommand() *cobra.Command {
	var rounds, bytes int
	c := program("alltoall", "Test, under mpirun: Alltoall on many ranks, checked", func(world *mpi.Comm) error {
		return traffic.Everybody(world, rounds, bytes)
	})
	c.Flags().IntVar(&rounds, "rounds", 1, "calls")
	c.Flags().IntVar(&bytes, "bytes", 64<<10, "bytes from each rank to each")
	return c
}

// fixedCommand runs the programs that once lost messages.
func (t *trafficRun) fixedCommand() *cobra.Command {
	var names []string
	var timeout time.Duration
	c := &cobra.Command{
		Use: "fixed", Short: "Test: flood and alltoall on 3 to 128 ranks, on each NIC", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if os.Getenv(rankVariable) != "" {
				return usage(errors.New("bench traffic fixed starts its own ranks; run it without mpirun"))
			}
			settings, err := compare.ParseSettings(names)
			if err != nil {
				return usage(fmt.Errorf("--nic: %w", err))
			}
			if err := positive("timeout", timeout); err != nil {
				return usage(err)
			}
			return t.launched(settings, timeout, func(ctx context.Context, l traffic.Launch) error { return l.Fixed(ctx) })
		},
	}
	c.Flags().StringSliceVar(&names, "nic", nics.Names(), "settings to run on, each NIC or NIC+NAME=VALUE")
	c.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "time of one job")
	return c
}
