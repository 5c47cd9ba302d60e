package rma

import (
	"context"
	_ "embed" // the peers' program
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/bench/peer"
)

//go:embed c/rma.c
var source []byte

// CompilePeer builds the peers' program with the C compiler driver mpicc into dir
// and returns its path.
func CompilePeer(ctx context.Context, mpicc, dir string) (string, error) {
	return peer.CompileSource(ctx, mpicc, dir, "rma", source)
}

// PeerArgs are the arguments of the peers' program for benchmarks and options.
func PeerArgs(benchmarks []Benchmark, o Options) []string {
	args := []string{
		strconv.FormatFloat(float64(o.Policy.Time)/float64(time.Millisecond), 'f', 3, 64),
		choice(o.Create, "create", "allocate"), choice(o.Aggregate, "aggregate", "each"),
	}
	for _, b := range benchmarks {
		if list := b.SizeList(o); list != "" {
			args = append(args, b.Name, list)
		}
	}
	return args
}

// SizeList is the sizes at which b is measured, separated by commas.
func (b Benchmark) SizeList(o Options) string {
	var list []string
	for _, n := range b.sizes(o) {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ",")
}

// sizes are those of o that b can be measured at.
func (b Benchmark) sizes(o Options) []int {
	sizes := o.Sizes
	if sizes == nil {
		sizes = b.Sizes
	}
	return slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return !b.Fits(n) })
}

func choice(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
