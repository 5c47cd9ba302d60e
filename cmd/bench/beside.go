package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/progress"
	"rhinet/bench/workdir"
	"rhinet/mpi"
)

// A beside is a command that measures communication and computation during a long message: it is a
// comparison and, in a rank of a job, the program that is compared.
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

// check returns mistakes in flags and names.
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
	if b.chosen, err = progress.Choose(b.all, names); err != nil {
		return usage(err)
	}
	return nil
}

// numbersOf formats numbers.
func numbersOf(list []int) (text []string) {
	for _, n := range list {
		text = append(text, strconv.Itoa(n))
	}
	return text
}

// rank is the program of one rank of a job.
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

// runtimes returns the variants of this program, and the peers' program.
func (b *beside) runtimes(dir workdir.Dir) ([]compare.Runtime, error) {
	others, err := compare.PeersProgress(dir.Context, b.peers, dir.Path)
	if err != nil {
		return nil, err
	}
	self, launch, err := b.programs(dir)
	if err != nil {
		return nil, err
	}
	ours, err := b.variants(dir, launch, func(v compare.Setting) compare.Runtime { return compare.OursProgress(launch, self, b.name, v) })
	return append(ours, others...), err
}
