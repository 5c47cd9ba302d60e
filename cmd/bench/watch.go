package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/bench/watch"
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
		Short: "Count what messages cost in allocations, system calls and instructions, and fail if it is more than before",
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
				return usage(fmt.Errorf("--baseline: %w; name another file", err)) // and do not overwrite this one
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
	f.StringVar(&baseline, "baseline", "", "the record of before")
	f.BoolVar(&update, "update", false, "write the record instead of comparing with it")
	f.BoolVar(&times, "time", false, "compare times too, if the machine is of the same kind")
	f.IntVar(&o.Tries, "tries", 3, "tries of each test; of counts the least is taken")
	f.DurationVar(&o.Limit, "limit", time.Minute, "longest time of one command")
	f.BoolVar(&quiet, "quiet", false, "no progress on the terminal")
	f.StringVar(&launch, "mpirun", "", "our mpirun (default: beside this program, or built)")
	c.AddCommand(tallyCommand(out), pieceCommand(), callsCommand(out))
	return c
}

// again is how often tests that cost more than before are tried once more, so
// that a busy moment is not taken for a regression.
const again = 2

// watchCosts counts, and compares with the record of before; without one it
// writes a new one to file. end takes the progress away when a count is over.
func watchCosts(out io.Writer, o watch.Options, end func(), launch, file string, before *watch.Record, times bool) error {
	p, closePlace, err := openPlace()
	if err != nil {
		return err
	}
	defer closePlace()
	mpirun, err := p.program(launch, "mpirun")
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
	if o.Counter, missing = watch.FindCounter(p.ctx); missing != nil {
		fmt.Fprintln(out, "note:", missing)
	} else if o.Works, err = works(self, p); err != nil {
		return err
	}
	now, notes, err := watch.Run(p.ctx, o)
	end()
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(out, "note:", n)
	}
	if before == nil {
		if err := bench.Replace(file, func(out *os.File) error { return now.Encode(out) }); err != nil {
			return usage(fmt.Errorf("--baseline: %w", err))
		}
		return showCosts(out, now)
	}
	for range again {
		if o = costly(o, before, now, times); len(o.Tests)+len(o.Works) == 0 {
			break
		}
		more, _, err := watch.Run(p.ctx, o)
		end()
		if err != nil {
			return err
		}
		now.Merge(more)
	}
	if err := showCosts(out, now); err != nil {
		return err
	}
	return judge(out, before, now, times)
}

// costly keeps of a set what costs more than before.
func costly(o watch.Options, before, now *watch.Record, times bool) watch.Options {
	found, _ := watch.Compare(before, now, times)
	high := map[string]bool{}
	for _, f := range found {
		high[f.What] = true
	}
	o.Tests = slices.DeleteFunc(slices.Clone(o.Tests), func(t watch.Test) bool { return !high[t.String()] })
	o.Works = slices.DeleteFunc(slices.Clone(o.Works), func(w watch.Work) bool { return !high[w.Name] })
	return o
}

// showCosts prints a record as a table.
func showCosts(out io.Writer, r *watch.Record) error {
	fmt.Fprintln(out, r.Host)
	var rows [][]string
	for _, c := range r.Costs {
		calls := "-"
		if c.Syscalls >= 0 {
			calls = fmt.Sprintf("%.3f", c.Syscalls)
		}
		rows = append(rows, []string{c.Test, strconv.Itoa(c.Ranks), strconv.Itoa(c.Bytes), fmt.Sprintf("%.3f", c.Allocs), calls, fmt.Sprintf("%.3f", c.Median)})
	}
	err := bench.Table(out, []string{"test", "ranks", "bytes", "allocations", "system calls", "usec"}, rows)
	if err != nil || len(r.Works) == 0 {
		return err
	}
	rows = nil
	count := func(v float64) string {
		if v < 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	}
	for _, w := range r.Works {
		rows = append(rows, []string{w.Work, count(w.Instructions), fmt.Sprintf("%.2f %%", 100*w.Noise), count(w.Lines), count(w.Cycles), w.Tool})
	}
	return bench.Table(out, []string{"work", "instructions", "noise", "cache lines", "cycles", "counted by"}, rows)
}

func judge(out io.Writer, before, now *watch.Record, times bool) error {
	found, notes := watch.Compare(before, now, times)
	for _, n := range notes {
		fmt.Fprintln(out, "note:", n)
	}
	for _, f := range found {
		fmt.Fprintln(out, "more than before:", f)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s higher than in the record of %s", costs(len(found)), before.Host.Time.Format(time.RFC3339))
	}
	return nil
}

// repetitions reads how often something is to be done.
func repetitions(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q repetitions is no number above zero", text)
	}
	return n, nil
}

// tallyCommand is what the ranks run: one test, counted.
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

// costs begins the sentence on how many costs are too high.
func costs(n int) string {
	if n == 1 {
		return "1 cost is"
	}
	return fmt.Sprintf("%d costs are", n)
}
