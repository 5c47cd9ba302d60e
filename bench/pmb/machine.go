package pmb

import (
	"runtime"

	"rhinet/bench/host"
)

// FromCaches as the value of Options.OffCache requests buffers sized by the caches. mostOffCache limits
// them: every rank has two sets of such buffers, and a last-level cache shared by many cores may be larger
// than they all need together.
const (
	FromCaches   = -1
	mostOffCache = 64 << 20
)

// offCache returns the bytes of buffers for the value of the option.
func offCache(asked int) int {
	if asked != FromCaches {
		return asked
	}
	h := host.Describe()
	return min(2*max(h.L3, h.L2, h.L1, 8<<20), mostOffCache)
}

// AboutMachine describes the machine for the head of the output.
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
