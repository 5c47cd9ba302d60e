package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/progress"
	"rhinet/mpi"
)

// A beside is a command that measures what goes on beside a long message: a comparison, and, as a
// rank of a job, the program that it compares.
type beside struct {
	comparison
	name   string
	all    []progress.Benchmark
	chosen []progress.Benchmark
	ranks  []int
	sizes  string
	bytes  []int
}

func besideCommand(name, about string, all []progress.Benchmark, out, errs io.Writer) *cobra.Command {
	b := &beside{comparison: comparison{out: out, errs: errs}, name: name, all: all}
	c := &cobra.Command{
		Use:               name + " [test]...",
		Short:             about,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // ranks run it, too
		RunE: func(c *cobra.Command, names []string) error {
			if err := b.check(c, names); err != nil {
				return err
			}
			if os.Getenv(rankVariable) != "" {
				return b.rank()
			}
			var err error
			if b.Cells, err = compare.Progress(b.chosen, b.ranks, b.bytes); err != nil {
				return usage(err)
			}
			return b.run(b.runtimes)
		},
	}
	f := c.Flags()
	b.flags(f, 8, time.Minute)
	b.peerFlags(f, 500*time.Millisecond, "measuring time of one size")
	f.IntSliceVar(&b.ranks, "ranks", nil, "numbers of ranks (default: all that the tests run on)")
	f.StringVar(&b.sizes, "sizes", "", "bytes of the long message, separated by commas (default: "+strconv.Itoa(all[0].Sizes[0])+")")
	return c
}

// check finds the mistakes in what flags and names say.
func (b *beside) check(c *cobra.Command, names []string) (err error) {
	if err := b.comparison.check(); err != nil {
		return err
	}
	if err := b.checkPeers(); err != nil {
		return err
	}
	if err := notEmpty(c, "ranks", numbersOf(b.ranks)); err != nil {
		return err
	}
	if b.bytes, err = parseSizes(b.sizes); err != nil {
		return usage(err)
	}
	b.chosen, err = b.named(names)
	return err
}

// numbersOf writes numbers.
func numbersOf(list []int) (text []string) {
	for _, n := range list {
		text = append(text, strconv.Itoa(n))
	}
	return text
}

// named returns the tests of those names, all if there are none.
func (b *beside) named(names []string) (chosen []progress.Benchmark, err error) {
	if len(names) == 0 {
		return b.all, nil
	}
	for _, name := range names {
		is := func(t progress.Benchmark) bool { return strings.EqualFold(t.Name, name) }
		i := slices.IndexFunc(b.all, is)
		if i < 0 {
			var known []string
			for _, t := range b.all {
				known = append(known, t.Name)
			}
			return nil, usage(fmt.Errorf("no test %q of bench llc %s; there is %s", name, b.name, strings.Join(known, ", ")))
		}
		if !slices.ContainsFunc(chosen, is) {
			chosen = append(chosen, b.all[i])
		}
	}
	return chosen, nil
}

// rank is the part of one rank of a job.
func (b *beside) rank() error {
	if b.Format == "go" {
		return usage(fmt.Errorf("the format go is for comparisons; a rank prints table, markdown, csv, json"))
	}
	var rows []bench.Row
	return onRanks(
		func(ranks int) error { return progress.Check(b.chosen, ranks, b.bytes) },
		func(world *mpi.Comm) error {
			o := progress.Options{Sizes: b.bytes, Policy: bench.Steady(b.Budget)}
			return progress.Run(world, b.chosen, o, func(r bench.Row) { rows = append(rows, r) })
		},
		func() error { return progress.Print(b.out, b.Format, rows) })
}

// runtimes are the variants of this program, and the peers' program.
func (b *beside) runtimes(p place) ([]compare.Runtime, error) {
	others, err := compare.PeersProgress(p.ctx, b.peers, p.dir)
	if err != nil {
		return nil, err
	}
	self, launch, err := b.programs(p)
	if err != nil {
		return nil, err
	}
	ours, err := b.variants(p, launch, func(v compare.Setting) compare.Runtime { return compare.OursProgress(launch, self, b.name, v) })
	return append(ours, others...), err
}
