package pmb

import (
	"runtime"

	"rhinet/bench/host"
)

// FromCaches as the value of Options.OffCache asks for buffers by the size of the
// caches, mostOffCache bounds them: every rank has two such sets, and a last cache
// that many cores share may be larger than all of them together need.
const (
	FromCaches   = -1
	mostOffCache = 64 << 20
)

// offCache is the bytes of buffers that an option asks for.
func offCache(asked int) int {
	if asked != FromCaches {
		return asked
	}
	h := host.Describe()
	return min(2*max(h.L3, h.L2, h.L1, 8<<20), mostOffCache)
}

// AboutMachine describes where and how for the head of the output.
func AboutMachine(program string) []string {
	h := host.Describe()
	return []string{
		"Machine               : " + h.CPU,
		"System                : " + runtime.GOOS,
		"Release               : " + h.Kernel,
		"Version               : " + program + " commit " + h.Commit + ", " + h.Go,
		"MPI Version           : 4.1 (in part)",
		"MPI Thread Environment: MPI_THREAD_MULTIPLE",
		"Load average          : " + h.Load,
	}
}
