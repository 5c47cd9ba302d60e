package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
	"rhinet/bench/traffic"
	"rhinet/mpi"
)

// A trafficRun holds the flags of bench traffic.
type trafficRun struct {
	out, errs io.Writer
	seed      uint64
	seeds     int
	minutes   float64
	nics      []string
	ranks     []int
	timeout   time.Duration
	opts      traffic.Options
	print     bool
	goOn      bool
	launch    string
}

// nicsOfTraffic are the settings that seeds go through in turn.
var nicsOfTraffic = []string{
	"martini", "martini:pm", "martini:vp", "martini+RHINET_CMA=off", "martini:pm+RHINET_CMA=off", "martini:pm:throttle=global",
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
	f.Uint64Var(&t.seed, "seed", 0, "the seed, or the first of them")
	f.IntVar(&t.seeds, "seeds", 1, "how many seeds to run, one job each")
	f.Float64Var(&t.minutes, "minutes", 0, "run seeds for so long, in the place of --seeds")
	f.StringSliceVar(&t.nics, "nic", nicsOfTraffic, "settings that seeds go through in turn, each NIC or NIC+NAME=VALUE")
	f.IntSliceVar(&t.ranks, "ranks", []int{2, 3, 4, 5, 6, 8, 12, 16}, "numbers of ranks that seeds choose from")
	f.DurationVar(&t.timeout, "timeout", 2*time.Minute, "time of one job; one that has not ended then is taken to hang")
	f.BoolVar(&t.print, "print", false, "print the plan of the seed for the first of --ranks, and run nothing")
	f.BoolVar(&t.goOn, "keep-going", false, "go on after a seed that fails")
	f.StringVar(&t.launch, "mpirun", "", "our mpirun (default: beside this program, or built)")
	f.IntVar(&t.opts.Steps, "steps", 12, "steps of one lane of a plan, about")
	f.IntVar(&t.opts.Budget, "budget", 96<<20, "bytes of the messages of one exchange at most")
	f.IntVar(&t.opts.Most, "most", traffic.MostBytes, "bytes of one message at most")
	c.AddCommand(floodCommand(), alltoallCommand(), t.fixedCommand())
	return c
}

// check finds the mistakes in what flags say.
func (t *trafficRun) check() ([]compare.Setting, error) {
	for _, n := range t.ranks {
		if n < 1 || n > traffic.MostRanks {
			return nil, fmt.Errorf("--ranks %d: random traffic is for 1 to %d ranks", n, traffic.MostRanks)
		}
	}
	for name, n := range map[string]int{"seeds": t.seeds, "steps": t.opts.Steps, "budget": t.opts.Budget, "ranks": len(t.ranks)} {
		if err := atLeastOne(name, n); err != nil {
			return nil, err
		}
	}
	if t.opts.Most < 0 || t.opts.Most > traffic.MostBytes {
		return nil, fmt.Errorf("--most %d: messages have 0 to %d bytes", t.opts.Most, traffic.MostBytes)
	}
	if t.minutes < 0 {
		return nil, fmt.Errorf("--minutes %v is negative", t.minutes)
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
		t.opts.Ranks = t.ranks[0]
		_, err := fmt.Fprint(t.out, traffic.Draw(t.seed, t.opts))
		return err
	}
	return t.launched(func(ctx context.Context, mpirun, self string) error {
		for _, s := range settings { // before the first seed
			if err := s.Try(ctx, mpirun, 1, self); err != nil {
				return usage(fmt.Errorf("--nic %w", err))
			}
		}
		return t.all(ctx, mpirun, self, settings)
	})
}

// rank is the part of one rank of a job.
func (t *trafficRun) rank() error {
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	if t.opts.Ranks = world.Size(); t.opts.Ranks > traffic.MostRanks {
		mpi.Finalize(world)
		return usage(fmt.Errorf("random traffic is for 1 to %d ranks, not %d", traffic.MostRanks, t.opts.Ranks))
	}
	if err := traffic.Draw(t.seed, t.opts).Run(world); err != nil {
		return err
	}
	return mpi.Finalize(world)
}

// launched calls run with the paths of mpirun and of this program.
func (t *trafficRun) launched(run func(ctx context.Context, mpirun, self string) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := newPlace(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	mpirun, err := p.program(t.launch, "mpirun")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return run(ctx, mpirun, self)
}

// all runs the seeds.
func (t *trafficRun) all(ctx context.Context, mpirun, self string, settings []compare.Setting) error {
	began, ran, failed := time.Now(), 0, 0
	more := func() bool {
		if t.minutes > 0 {
			return time.Since(began) < time.Duration(t.minutes*float64(time.Minute))
		}
		return ran < t.seeds
	}
	for seed := t.seed; more(); seed++ {
		job := t.job(seed, settings[seed%uint64(len(settings))])
		fmt.Fprintf(t.errs, "seed %d: %d ranks, %s\n", seed, job.Ranks, settings[seed%uint64(len(settings))].Name)
		err := job.Run(ctx, mpirun, self)
		if ctx.Err() != nil {
			fmt.Fprintf(t.out, "interrupted in seed %d: %d run, %d failed\n", seed, ran, failed)
			return errors.New("interrupted")
		}
		ran++
		if err == nil {
			continue
		}
		failed++
		fmt.Fprintf(t.out, "seed %d: %v\n", seed, err)
		if !t.goOn {
			break
		}
	}
	if _, err := fmt.Fprintf(t.out, "seeds from %d: %d run, %d failed, %v\n", t.seed, ran, failed, time.Since(began).Round(time.Second)); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("failed: %d of %d", failed, ran)
	}
	return nil
}

func (t *trafficRun) job(seed uint64, s compare.Setting) *traffic.Job {
	return &traffic.Job{
		Ranks: traffic.RanksOf(seed, t.ranks), NIC: s.NIC, Env: s.Env, Timeout: t.timeout,
		Args: []string{"--seed", strconv.FormatUint(seed, 10), "--steps", strconv.Itoa(t.opts.Steps),
			"--budget", strconv.Itoa(t.opts.Budget), "--most", strconv.Itoa(t.opts.Most)},
	}
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
	c := program("flood", "Test, a rank: pairs exchange long messages, and a receiver that sleeps is told of each", func(world *mpi.Comm) error {
		return traffic.Flood(world, rounds, bytes, sleep)
	})
	c.Flags().IntVar(&rounds, "rounds", 1000, "exchanges of each pair")
	c.Flags().IntVar(&bytes, "bytes", 300_000, "bytes that each of a pair sends in one")
	c.Flags().DurationVar(&sleep, "sleep", 500*time.Millisecond, "how long rank 0 sleeps first")
	return c
}

func alltoallCommand() *cobra.Command {
	var rounds, bytes int
	c := program("alltoall", "Test, a rank: Alltoall on many ranks, checked", func(world *mpi.Comm) error {
		return traffic.Everybody(world, rounds, bytes)
	})
	c.Flags().IntVar(&rounds, "rounds", 1, "calls")
	c.Flags().IntVar(&bytes, "bytes", 64<<10, "bytes from each rank to each")
	return c
}

// fixedCommand runs the programs that once lost messages.
func (t *trafficRun) fixedCommand() *cobra.Command {
	var nics []string
	var timeout time.Duration
	c := &cobra.Command{
		Use: "fixed", Short: "Test: flood and alltoall on 3 to 128 ranks, on each NIC", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if os.Getenv(rankVariable) != "" {
				return usage(errors.New("bench traffic fixed starts its own ranks; run it without mpirun"))
			}
			settings, err := compare.ParseSettings(nics)
			if err != nil {
				return usage(fmt.Errorf("--nic: %w", err))
			}
			if err := positive("timeout", timeout); err != nil {
				return usage(err)
			}
			return t.launched(func(ctx context.Context, mpirun, self string) error {
				return t.fixed(ctx, mpirun, self, settings, timeout)
			})
		},
	}
	c.Flags().StringSliceVar(&nics, "nic", []string{"martini", "martini:pm", "martini:vp"}, "settings to run on, each NIC or NIC+NAME=VALUE")
	c.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "time of one job")
	return c
}

// fixedPrograms are the programs of bench traffic fixed: ranks and arguments.
var fixedPrograms = []struct {
	ranks int
	args  string
}{
	{3, "flood"}, {5, "flood --rounds 300"}, {9, "flood --rounds 200"}, {17, "flood --rounds 100"}, {33, "flood --rounds 30"},
	{80, "alltoall"}, {128, "alltoall"},
}

func (t *trafficRun) fixed(ctx context.Context, mpirun, self string, settings []compare.Setting, timeout time.Duration) error {
	failed, ran := 0, 0
	for _, s := range settings {
		for _, p := range fixedPrograms {
			job := traffic.Job{Ranks: p.ranks, NIC: s.NIC, Env: s.Env, Timeout: timeout, Args: strings.Fields(p.args)}
			began := time.Now()
			err := job.Run(ctx, mpirun, self)
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			if ran++; err != nil {
				failed++
				fmt.Fprintf(t.out, "%s: %d ranks: %s: %v\n", s.Name, p.ranks, p.args, err)
				continue
			}
			fmt.Fprintf(t.out, "%s: %d ranks: %s: good, %v\n", s.Name, p.ranks, p.args, time.Since(began).Round(time.Millisecond))
		}
	}
	if failed > 0 {
		return fmt.Errorf("failed: %d of %d", failed, ran)
	}
	return nil
}
