package compare

import (
	"context"
	"slices"
	"strings"
	"time"

	"rhinet/bench/progress"
)

// Progress plans benchmarks of communication and computation during a long message, on the given numbers of
// ranks, by default all on which each can run. Sizes are those of the long message; nil means each
// benchmark's own.
func Progress(chosen []progress.Benchmark, ranks, sizes []int) (cells []Cell, err error) {
	for _, b := range chosen {
		on, list := ranks, once(sizes)
		if on == nil {
			on = b.Ranks()
		}
		if len(list) == 0 {
			list = b.Sizes
		}
		for _, n := range once(on) {
			if err := progress.Check([]progress.Benchmark{b}, n, list); err != nil {
				return nil, err
			}
			cells = append(cells, Cell{b.Name, n, list})
		}
	}
	return cells, nil
}

// inProgress reports whether a test is one during a long message, by its exact name.
func inProgress(test string) bool {
	return slices.ContainsFunc(progress.All(), func(b progress.Benchmark) bool { return b.Name == test })
}

// ofProgress reports whether a figure belongs to a test during a long message.
func ofProgress(figure, test string) bool {
	return inProgress(test) && strings.HasPrefix(figure, test+"_")
}

// aboutProgress explains figures measured during long messages.
const aboutProgress = "; beside a long message: Mixed is one way of 8 bytes, and in % of what it takes without, " +
	"with the time of the long message beside them and alone, and what it loses; Overlap is the time that computation does not hide, that of the message alone, and the share that is hidden"

// OursProgress is this runtime with a setting: the launcher mpirun and the benchmark program self, whose
// command llc NAME runs the tests.
func OursProgress(mpirun, self, name string, s Setting) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(job []Cell, budget time.Duration) []string {
			args := s.launch(mpirun, job[0].Ranks, self, "llc", name)
			for _, c := range job {
				args = append(args, c.Test)
			}
			return append(args, "--sizes", join(job[0].Bytes), "--time", budget.String(), "--format", "json")
		},
		read: rows(parseRows),
		env:  s.Env,
	}
}

// PeersProgress compiles the peers' program in dir for the named C runtimes. If one is missing, the error
// is an ErrNoPeers that says what to install.
func PeersProgress(ctx context.Context, names []string, dir string) ([]Runtime, error) {
	compile := func(mpicc string) (string, error) { return progress.CompilePeer(ctx, mpicc, dir) }
	return peers(ctx, names, nil, compile, progress.PeerArgs, nil)
}
