package wait

import (
	"time"

	"golang.org/x/sys/unix"
)

// settleTime is how long a rank stays where Spread has put it: longer than all ranks take to start. During
// the start ranks sleep and wake, and the kernel chooses a processor anew each time.
const settleTime = time.Second

// Spread moves this process to one of the processors that it may use, keeps it there for a second, and then
// lets it run anywhere again. choose returns which of n it is, from 0 on; see [Together] and [InTurn].
//
// Oversubscribed ranks that wait for each other never sleep, they yield, and the kernel is slow to move
// threads that are always runnable: an uneven start, with six ranks on one processor and three on another,
// persists for long, and a barrier then takes as long as the fuller processor needs. An even start persists
// as well. Next to other processes that compute, this is no even start: ranks that cannot leave the
// processor of such a process wait for it at every scheduling turn, milliseconds each time (see [Alone]).
func Spread(choose func(n int) int) { spread(choose, settleTime) }

// spread is Spread with the given time. It returns a function that waits until the process may run
// anywhere.
func spread(choose func(n int) int, settle time.Duration) (settled func()) {
	settled = func() {}
	var all unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return settled
	}
	n := all.Count()
	if n < 2 {
		return settled // bound
	}
	var one unix.CPUSet
	one.Set(nth(&all, choose(n)))
	allow(&one)
	done := make(chan struct{})
	time.AfterFunc(settle, func() {
		defer close(done)
		allow(&all)
	})
	return func() { <-done }
}

// allow lets all threads of this process run on set: a goroutine may change its thread, and new threads
// inherit the set of the thread that creates them. Threads that end in the meantime do not matter, and only
// speed depends on the rest. Threads that are created by a thread after the first listing and before its
// own change appear in the second listing.
func allow(set *unix.CPUSet) {
	for range 2 {
		for _, id := range threads() {
			_ = unix.SchedSetaffinity(id, set)
		}
	}
}

// nth returns the i-th processor of set, counted from 0; set must have more than i.
func nth(set *unix.CPUSet, i int) int {
	cpu := 0
	for ; !set.IsSet(cpu) || i > 0; cpu++ {
		if set.IsSet(cpu) {
			i--
		}
	}
	return cpu
}
