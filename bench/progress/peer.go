package progress

import (
	"context"
	_ "embed" // the peers' program
	"time"

	"rhinet/bench/peer"
)

//go:embed c/progress.c
var source []byte

// CompilePeer builds the peers' program with the C compiler driver mpicc into dir
// and returns its path.
func CompilePeer(ctx context.Context, mpicc, dir string) (string, error) {
	return peer.CompileSource(ctx, mpicc, dir, "progress", source)
}

// PeerArgs returns the first arguments of the peers' program: the time for a size. The names of benchmarks
// follow, each with its sizes.
func PeerArgs(budget time.Duration) []string { return []string{peer.Budget(budget)} }
