package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/mpi"
)

func pmbCommand(out io.Writer) *cobra.Command {
	var (
		o             pmb.Options
		sizes, format string
		list, contest bool
		steady        bool
	)
	c := &cobra.Command{
		Use:   "pmb [name]...",
		Short: "Run the benchmarks that users of IMB (PMB) know: names, sizes, repetitions and output as theirs",
		RunE: func(c *cobra.Command, names []string) error {
			if list && len(names) > 0 {
				return usage(fmt.Errorf("--list lists all benchmarks; leave %s out", strings.Join(names, " ")))
			}
			if list {
				return pmb.Usage(out)
			}
			find := pmb.Named
			if contest {
				find = pmb.NamedContestants
			}
			benchmarks, err := find(names)
			if err != nil {
				return usage(err)
			}
			if o.Sizes, err = parseSizes(sizes); err != nil {
				return usage(err)
			}
			for _, f := range []struct {
				name  string
				value any
				above bool
			}{
				{"time", o.Time, o.Time > 0},
				{"repetitions", o.Repetitions, o.Repetitions > 0},
				{"volume", o.Volume, o.Volume > 0},
				{"window", o.Window, o.Window > 0},
				{"npmin", o.NPMin, o.NPMin > 0},
			} {
				if !f.above {
					return usage(fmt.Errorf("--%s %v is not above zero", f.name, f.value))
				}
			}
			if steady {
				if err := withoutEffect(c, "--steady", "repetitions", "volume"); err != nil {
					return err
				}
				o = o.Steady()
			}
			if contest {
				if err := withoutEffect(c, "--algorithms", "steady", "window", "npmin", "off-cache", "no-sync", "own-barrier", "fresh", "root-shift"); err != nil {
					return err
				}
				return runContests(benchmarks, o, format, out)
			}
			command := "bench " + strings.Join(append([]string{"pmb"}, os.Args[min(2, len(os.Args)):]...), " ")
			printer, err := pmb.NewPrinter(format, out, pmb.AboutMachine(filepath.Base(os.Args[0])), command, benchmarks, o)
			if err != nil {
				return usage(err)
			}
			return runPMB(benchmarks, o, printer)
		},
	}
	f := c.Flags()
	f.StringVar(&sizes, "sizes", "", "message sizes in bytes, separated by commas (default: 0, 1, 2, 4 ... 4194304)")
	f.IntVar(&o.Repetitions, "repetitions", 1000, "maximum repetitions of one size")
	f.IntVar(&o.Volume, "volume", 40<<20, "maximum bytes moved for one size; limits the repetitions")
	f.DurationVar(&o.Time, "time", 10*time.Second, "maximum time of one size; limits the repetitions")
	f.BoolVar(&steady, "steady", false, "repeat as often as --time allows, in five batches, and take their median, as comparisons do")
	f.IntVar(&o.OffCache, "off-cache", 0, "use several buffers in turn, of `BYTES` in all, written --off-cache=BYTES (without a number: twice the caches, 64 MiB at most)")
	f.Lookup("off-cache").NoOptDefVal = strconv.Itoa(pmb.FromCaches)
	f.BoolVar(&o.Check, "check", false, "check the data that arrives, and print a column of defects")
	f.BoolVar(&o.Multi, "multi", false, "run as many groups of --npmin ranks as possible at the same time")
	f.IntVar(&o.NPMin, "npmin", 2, "begin with this many ranks, then double them, up to all")
	f.IntVar(&o.Window, "window", 64, "messages in flight of Uniband, Biband, bw and bibw")
	f.BoolVar(&o.NoSync, "no-sync", false, "do without a barrier between collective calls")
	f.BoolVar(&o.OwnBarrier, "own-barrier", false, "separate collective calls by a barrier of messages, instead of the runtime's")
	f.BoolVar(&o.Fresh, "fresh", false, aboutFresh)
	f.BoolVar(&o.RootShift, "root-shift", false, "use another root for each collective call")
	f.StringVar(&format, "format", "imb", "output format: "+pmb.Formats)
	f.BoolVar(&contest, "algorithms", false, "on all ranks, time each algorithm available for a collective operation, and mark the one that is used")
	f.BoolVar(&list, "list", false, "list the benchmarks and stop")
	return c
}

// withoutEffect rejects flags that are ignored in combination with another one.
func withoutEffect(c *cobra.Command, other string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s has no effect on %s; leave it out", name, other))
		}
	}
	return nil
}

// runContests implements --algorithms.
func runContests(benchmarks []pmb.Benchmark, o pmb.Options, format string, out io.Writer) error {
	tell, err := pmb.NewContestPrinter(format, out)
	if err != nil {
		return usage(err)
	}
	return onRanks(
		func(ranks int) error { return pmb.CheckContests(benchmarks, ranks, o) },
		func(world *mpi.Comm) error { return pmb.Contests(world, benchmarks, o, tell) },
		func() error { return nil })
}

func runPMB(benchmarks []pmb.Benchmark, o pmb.Options, printer pmb.Printer) error {
	watch := &pmb.Defects{Printer: printer}
	return onRanks(
		func(ranks int) error { return pmb.Check(benchmarks, ranks, o) },
		func(world *mpi.Comm) error { return pmb.Run(world, benchmarks, o, watch) },
		func() error {
			if err := printer.Close(); err != nil {
				return err
			}
			if watch.Found > 0 {
				return fmt.Errorf("%s in the bytes or values that arrived", bench.Number(watch.Found, "defect"))
			}
			return nil
		})
}
