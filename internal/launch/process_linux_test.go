package launch

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"rhinet/internal/program"

	"golang.org/x/sys/unix"
)

func TestProcessorTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip(err)
	}
	before := cpuTime(os.Getpid())
	for begin := time.Now(); time.Since(begin) < 20*time.Second; {
		if cpuTime(os.Getpid()) >= before+2*time.Millisecond {
			return
		}
	}
	t.Errorf("%v after %v at work", cpuTime(os.Getpid()), before)
}

func TestProcessorTimeOfNobody(t *testing.T) {
	if d := cpuTime(-1); d != 0 {
		t.Errorf("%v", d)
	}
}

func init() {
	steps["slack"] = func() { // of this thread's timers, in ns
		n, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

func TestStaticProgramsAreLentSlack(t *testing.T) {
	j := job(self(t, 1, "slack"), Part{Ranks: 1, Program: "cat", Args: []string{"/proc/self/timerslack_ns"}})
	want := []string{"10000000", "50000"}
	if exe, err := os.Executable(); err != nil || !program.IsStatic(exe) {
		want = []string{"50000", "50000"} // built for the race detector
	}
	if r := run(t, j); !slices.Equal(sorted(r.out), want) {
		t.Errorf("ranks began with timer slacks of %q ns, want %q", r.out, want)
	}
}

func TestStaticPrograms(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if program.IsStatic("/bin/sh") || program.IsStatic(t.TempDir()) || program.IsStatic("nothing") {
		t.Error("a shell, a folder or nothing counts as a static program")
	}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}) && !program.IsStatic(exe) {
		t.Error("this test does not count as a static program")
	}
}
