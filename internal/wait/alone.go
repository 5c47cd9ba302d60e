package wait

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Alone reports whether nobody but the calling thread wants a processor of the machine. One of a few
// looks within milliseconds that finds nobody is enough: what sleeps most of the time does not
// matter. Where the system does not say it, the answer is yes.
func Alone() bool { return alone(os.DirFS("/")) }

// alone is Alone on the system that root shows.
func alone(root fs.FS) bool {
	for look := range aloneLooks {
		if look > 0 {
			time.Sleep(aloneGap)
		}
		if runnable(root) <= 1 {
			return true
		}
	}
	return false
}

// runnable returns how many threads of the machine run or could; 0: unknown.
func runnable(root fs.FS) int {
	text, err := fs.ReadFile(root, "proc/loadavg")
	if err != nil {
		return 0
	}
	// three averages, runnable/all, the last process
	field := strings.Fields(string(text))
	if len(field) < 4 {
		return 0
	}
	now, _, _ := strings.Cut(field[3], "/")
	n, _ := strconv.Atoi(now)
	return n
}
