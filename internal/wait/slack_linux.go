package wait

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Timer slack: how late a sleeping thread may be woken. usualSlack is the default of every process;
// lentSlack, which a launcher lends, is the longest sleep of sysmon.
const (
	usualSlack = 50 * time.Microsecond
	lentSlack  = 10 * time.Millisecond
)

// slackTime is how long sysmon keeps the lent slack: longer than it takes to reach its longest sleep.
const slackTime = time.Second

// LendSlack allows the threads of processes that the calling thread forks to sleep up to 10 ms longer than
// they ask for, until restore is called. These processes are Go programs without C code and return the
// slack by [ReturnSlack].
//
// It is meant for one thread of each, sysmon of the Go runtime, which checks
// the other threads every 20 us in the first milliseconds of a process,
// then less and less often, down to every 10 ms. Its timers and switches made
// the first 15 ms of an oversubscribed job two to three times as
// slow as the rest, and doubled the latency of two ranks. A program cannot
// configure sysmon, but a thread inherits the slack of the thread that created
// it.
//
// A launcher whose own timer slack is not the default lends nothing.
func LendSlack() (restore func()) {
	if slack() != usualSlack || setSlack(lentSlack) != nil {
		return func() {}
	}
	return func() { _ = setSlack(usualSlack) }
}

// ReturnSlack gives this process timers of the usual precision, if its launcher has lent it slack: at once
// to the threads that run goroutines, and thus to those that they will create; after a second to all
// threads, including sysmon and the threads that it has created. Call it at the beginning of a program,
// when there are two or three threads.
func ReturnSlack() { returnSlack(slackTime) }

// ReturnSlackButSysmon is ReturnSlack except for sysmon, which keeps the lent slack. It is for ranks in
// virtual time, which hand the processor on to each other whenever they wait: each wait would wake sysmon,
// which would then take more context switches than the ranks.
func ReturnSlackButSysmon() {
	if slack() == lentSlack {
		returnToGoroutines()
	}
}

// returnSlack is ReturnSlack with the given delay. It returns a function that waits until all is done.
func returnSlack(after time.Duration) (settled func()) {
	if slack() != lentSlack {
		return func() {}
	}
	returnToGoroutines()
	done := make(chan struct{})
	time.AfterFunc(after, func() {
		defer close(done)
		_, _, _ = syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, uintptr(usualSlack), 0)
	})
	return func() { <-done }
}

// returnToGoroutines gives timers of the usual precision to all threads except sysmon.
func returnToGoroutines() {
	_ = setSlack(usualSlack) // this thread first: it may have to create others
	// Run on as many threads as there are at once: the runtime takes the most recently idle thread first.
	onThreads(len(threads())-1, func() { _ = setSlack(usualSlack) })
}

// onThreads runs f on n threads of this process at the same time.
func onThreads(n int, f func()) {
	var arrived sync.WaitGroup
	leave := make(chan struct{})
	for range n {
		arrived.Add(1)
		go func() {
			f() // before the lock: the runtime may create a thread for it
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f()
			arrived.Done()
			<-leave
		}()
	}
	arrived.Wait()
	close(leave)
}

// threads lists the threads of this process in the order in which they began.
func threads() []int {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	ids := make([]int, 0, len(names))
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// slack returns the timer slack of the calling thread, 0 if it is not known.
func slack() time.Duration {
	n, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return 0
	}
	return time.Duration(n)
}

func setSlack(d time.Duration) error {
	return unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(d), 0, 0, 0)
}
