package wait

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processor returns the processor on which the calling thread runs.
func processor(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/stat")
	if err != nil {
		t.Skip(err)
	}
	stat := string(text)
	cpu, err := strconv.Atoi(strings.Fields(stat[strings.LastIndex(stat, ")")+1:])[36])
	if err != nil {
		t.Fatal(err)
	}
	return cpu
}

func TestRanksBeginOnAllProcessorsAndAreNotBound(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Skip(err)
	}
	if before.Count() < 2 {
		t.Skip("one processor")
	}
	size := 3 * before.Count()
	for name, choose := range map[string]func(rank int) func(n int) int{
		"together": func(rank int) func(n int) int { return Together(rank, size) },
		"in turn":  InTurn,
	} {
		ranks := map[int]int{}
		for rank := range size {
			settled := spread(choose(rank), 10*time.Millisecond)
			ranks[processor(t)]++
			settled()
		}
		for cpu, n := range ranks {
			if n != 3 || !before.IsSet(cpu) {
				t.Errorf("%s: %d ranks on processor %d", name, n, cpu)
			}
		}
		if len(ranks) != before.Count() {
			t.Errorf("%s: ranks began on %d processors of %d", name, len(ranks), before.Count())
		}
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("bound to %v, %v", after, err)
	}
}

func TestBoundRanksStay(t *testing.T) {
	var before, one unix.CPUSet
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Skip(err)
	}
	one.Set(nth(&before, 0))
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Skip(err)
	}
	defer unix.SchedSetaffinity(0, &before)
	spread(InTurn(1), time.Hour)()
	var after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != one {
		t.Errorf("a bound rank may run on %v, %v", after, err)
	}
}

func TestNthProcessor(t *testing.T) {
	var set unix.CPUSet
	for _, cpu := range []int{3, 64, 700} {
		set.Set(cpu)
	}
	for i, want := range []int{3, 64, 700} {
		if got := nth(&set, i); got != want {
			t.Errorf("processor %d is %d, want %d", i, got, want)
		}
	}
}
