package wait

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Spread moves the calling thread to one of the processors that it may use,
// in turn by rank, and then lets it run anywhere again.
//
// More ranks than processors that wait for each other never sleep, they yield,
// and the kernel sees no reason to move what is always ready to run: as they
// happen to begin, six on one processor and three on another, they stay. A
// barrier then takes as long as the fuller one needs. An even beginning stays
// as well.
func Spread(rank int) { spread(rank, func() {}) }

// spread calls there while the thread is where it belongs.
func spread(rank int, there func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return
	}
	n := all.Count()
	if n < 2 {
		return // bound
	}
	var one unix.CPUSet
	one.Set(nth(&all, rank%n))
	if unix.SchedSetaffinity(0, &one) != nil {
		return // it was only for speed
	}
	there()
	_ = unix.SchedSetaffinity(0, &all) // was permitted a moment ago
}

// nth returns the i-th processor of a set that has more.
func nth(set *unix.CPUSet, i int) int {
	cpu := 0
	for ; !set.IsSet(cpu) || i > 0; cpu++ {
		if set.IsSet(cpu) {
			i--
		}
	}
	return cpu
}
