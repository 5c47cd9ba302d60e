package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"rhinet/bench"
	"rhinet/bench/rma"
)

// RMA plans benchmarks of one-sided communication, all of them if none is named, on the given numbers of
// ranks; those for two ranks are planned on two. Sizes are the message sizes; nil means a few that
// represent every regime. skipped lists what cannot run.
func RMA(names []string, ranks, sizes []int) (cells []Cell, skipped []string, err error) {
	chosen, err := rma.Choose(names)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range ranks {
		if n < 2 {
			return nil, nil, fmt.Errorf("--ranks %d is too few; one rank has nobody to access", n)
		}
		if err := rma.Check(chosen, n, sizes); err != nil {
			return nil, nil, err
		}
	}
	if sizes == nil {
		sizes = []int{8, 1 << 10, 16 << 10, 256 << 10, 1 << 20}
	}
	for _, b := range chosen {
		list := slices.DeleteFunc(once(sizes), func(n int) bool { return !b.Fits(n) })
		for _, n := range once(ranks) {
			switch {
			case !b.On(n):
				skipped = append(skipped, fmt.Sprintf("%s does not run on %s", b.Name, bench.Number(n, "rank")))
			case len(list) > 0:
				cells = append(cells, Cell{b.Name, n, list})
			}
		}
	}
	if len(cells) == 0 {
		return nil, nil, fmt.Errorf("nothing to measure: %s", skipped[0])
	}
	return cells, skipped, nil
}

// inRMA reports whether a test is one of one-sided communication, by its exact name.
func inRMA(test string) bool {
	return slices.ContainsFunc(rma.All(), func(b rma.Benchmark) bool { return b.Name == test })
}

// OursRMA is this runtime with a setting: the launcher mpirun and the benchmark
// program self.
func OursRMA(mpirun, self string, s Setting, o rma.Options) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(job []Cell, budget time.Duration) []string {
			args := s.launch(mpirun, job[0].Ranks, self, "rma")
			for _, c := range job {
				args = append(args, c.Test)
			}
			args = append(args, "--sizes", join(job[0].Bytes), "--time", budget.String(), "--format", "json")
			return append(args, o.Flags()...)
		},
		read: rows(parseRows),
		env:  s.Env,
	}
}

// parseRows parses what a rank printed with --format json.
func parseRows(text string) (rows []bench.Row, err error) {
	if err = json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rows, func(r bench.Row) bool { return r.Test == "" }); i >= 0 {
		return nil, fmt.Errorf("row %d names no test", i+1)
	}
	return rows, nil
}

// PeersRMA compiles the peers' program for one-sided communication in dir for the named C runtimes. If one
// is missing, the error is an ErrNoPeers that says what to install.
func PeersRMA(ctx context.Context, names []string, dir string, o rma.Options) ([]Runtime, error) {
	compile := func(mpicc string) (string, error) { return rma.CompilePeer(ctx, mpicc, dir) }
	return peers(ctx, names, nil, compile, func(budget time.Duration) []string { return rma.PeerArgs(budget, o) }, nil)
}
