package wait

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Alone reports whether nobody but the calling thread wants a processor of the machine. One of a few
// looks within milliseconds that finds nobody is enough: what sleeps most of the time does not
// matter. Where the system does not say it, the answer is yes.
func Alone() bool { return alone(runnable) }

// alone is Alone where a look finds so many threads that run or could; 0: unknown.
func alone(look func() int) bool {
	for i := range aloneLooks {
		if i > 0 {
			time.Sleep(aloneGap)
		}
		if look() <= 1 {
			return true
		}
	}
	return false
}

// runnable returns how many threads of the machine run or could, the calling one included; 0: unknown.
func runnable() int {
	text, _ := os.ReadFile("/proc/loadavg")
	return runnableIn(text)
}

// runnableIn returns how many threads run or could, as a text like that of /proc/loadavg says: three averages,
// runnable/all, the last process. 0: it does not.
func runnableIn(text []byte) int {
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte{' '})
	}
	text, _, _ = bytes.Cut(text, []byte{'/'})
	n, _ := strconv.Atoi(string(text))
	return max(0, n)
}
