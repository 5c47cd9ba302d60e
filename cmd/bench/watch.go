package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/bench/watch"
	"rhinet/bench/workdir"
	"rhinet/internal/bar"
	"rhinet/mpi"
)

func watchCommand(out, errs io.Writer) *cobra.Command {
	var (
		baseline, launch string
		update, times    bool
		quiet            bool
		o                watch.Options
	)
	c := &cobra.Command{
		Use:   "watch",
		Short: "Count the allocations, system calls and instructions of messages, and fail if there are more than in the record",
		Args:  noArgs, PreRunE: alone,
		RunE: func(*cobra.Command, []string) error {
			if baseline == "" {
				return usage(errors.New("no record to compare with: give --baseline FILE, and --update to make it"))
			}
			if err := atLeastOne("tries", o.Tries); err != nil {
				return usage(err)
			}
			if err := positive("limit", o.Limit); err != nil {
				return usage(err)
			}
			before, err := watch.Read(baseline)
			switch {
			case os.IsNotExist(err) && !update:
				return usage(fmt.Errorf("--baseline: %w; --update makes it", err))
			case err != nil && !os.IsNotExist(err):
				return usage(fmt.Errorf("--baseline: %w; name another file", err)) // do not overwrite this file
			case update:
				if err := (bench.Kept{File: baseline, Kind: "record of bench watch", Is: watch.IsRecord}).Check(); err != nil {
					return usage(fmt.Errorf("--baseline: %w", err))
				}
				before = nil
			}
			show := bar.New(errs, quiet)
			defer show.End()
			o.Progress = show.Step
			return watchCosts(out, o, show.End, launch, baseline, before, times)
		},
	}
	f := c.Flags()
	f.StringVar(&baseline, "baseline", "", "the record to compare with")
	f.BoolVar(&update, "update", false, "write the record instead of comparing with it")
	f.BoolVar(&times, "time", false, "compare times, too, if the machine is of the same kind")
	f.IntVar(&o.Tries, "tries", 3, "most tries of each test, of which the smallest count is taken; a work that takes no more than in the record has only one")
	f.DurationVar(&o.Limit, "limit", time.Minute, "longest time of one command")
	f.BoolVar(&quiet, "quiet", false, "show no progress on the terminal")
	f.StringVar(&launch, "mpirun", "", "our mpirun (default: the one next to this program, or else built)")
	c.AddCommand(tallyCommand(out), pieceCommand(), callsCommand(out))
	return c
}

// watchCosts counts, and compares with the earlier record; if there is none, it writes a new one to file.
// end removes the progress bar when a count is over.
func watchCosts(out io.Writer, o watch.Options, end func(), launch, file string, before *watch.Record, times bool) error {
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	mpirun, err := dir.Program(launch, "mpirun")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o.Tests = watch.Quick()
	o.Command = func(t watch.Test, reps int) []string {
		return []string{mpirun, "-n", strconv.Itoa(t.Ranks), self, "watch", "tally", t.Name, strconv.Itoa(t.Bytes), strconv.Itoa(reps)}
	}
	var missing error
	if o.Counter, missing = watch.FindCounter(dir.Context); missing != nil {
		fmt.Fprintln(out, "note:", missing)
	} else if o.Works, err = watch.Works(self, func(name string) (string, error) { return dir.Program("", name) }); err != nil {
		return err
	}
	return watch.Guard(dir.Context, out, o, end, file, before, times)
}

// repetitions parses how often something is to be done.
func repetitions(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q repetitions is no number above zero", text)
	}
	return n, nil
}

// tallyCommand is the program of the ranks: one test, counted.
func tallyCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:    "tally NAME BYTES REPETITIONS",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return usage(errors.New("tally takes a name, a size and a number of repetitions"))
			}
			b, err := pmb.Find(args[0])
			if err != nil {
				return usage(err)
			}
			bytes, err := strconv.Atoi(args[1])
			if err != nil {
				return usage(fmt.Errorf("the size %q is not a number of bytes", args[1]))
			}
			reps, err := repetitions(args[2])
			if err != nil {
				return usage(err)
			}
			world, err := mpi.Init()
			if err != nil {
				return err
			}
			if err := pmb.Check([]pmb.Benchmark{b}, world.Size(), pmb.Options{Sizes: []int{bytes}}); err != nil {
				mpi.Finalize(world)
				return usage(err)
			}
			t, err := b.Count(world, bytes, reps)
			if err != nil {
				return err
			}
			if world.Rank() == 0 {
				fmt.Fprint(out, watch.FormatTally(t.Allocs, t.Usec))
			}
			return mpi.Finalize(world)
		},
	}
}
