package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// processLimit returns how many threads the user of this process may have; negative if there is no limit,
// as for root.
func processLimit() int {
	var lim unix.Rlimit
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &lim) != nil || lim.Cur > 1<<31 {
		return -1
	}
	return int(lim.Cur)
}
