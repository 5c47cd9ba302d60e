package rma

import (
	"context"
	_ "embed" // the peers' program
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

// PeerArgs returns the first arguments of the peers' program: the time for a size, and the options. The
// names of benchmarks follow, each with its sizes.
func PeerArgs(budget time.Duration, o Options) []string {
	return []string{
		peer.Budget(budget),
		choice(o.Create, "create", "allocate"), choice(o.Aggregate, "aggregate", "each"),
	}
}

// Flags returns the flags of bench rma for Aggregate and Create.
func (o Options) Flags() (flags []string) {
	if o.Aggregate {
		flags = append(flags, "--aggregate")
	}
	if o.Create {
		flags = append(flags, "--create")
	}
	return flags
}

func choice(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
