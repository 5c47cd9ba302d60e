package wait

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Alone reports whether only the calling thread wants a processor of the machine. It looks a few times
// within milliseconds, and one look that finds no other thread is enough: threads that sleep most of the
// time do not matter. Where the system does not tell, the answer is yes.
func Alone() bool { return alone(runnable) }

// alone is Alone with a look that returns the number of threads that are running or runnable; 0: unknown.
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

// runnable returns how many threads of the machine are running or runnable, including the calling one; 0:
// unknown.
func runnable() int {
	text, _ := os.ReadFile("/proc/loadavg")
	return runnableIn(text)
}

// runnableIn returns how many threads are running or runnable according to a text like that of
// /proc/loadavg: three averages, runnable/all, the last process. It returns 0 if the text has another form.
func runnableIn(text []byte) int {
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte{' '})
	}
	text, _, _ = bytes.Cut(text, []byte{'/'})
	n, _ := strconv.Atoi(string(text))
	return max(0, n)
}
