package watch

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// envSteps makes the test's program reach breakpoints, for a tracer.
const envSteps = "RHINET_TEST_STEPS"

// sink keeps the compiler from removing work.
var sink int

// work executes at least n instructions.
func work(n int) {
	for i := range n {
		sink += i
	}
}

// TestBreakpoints is what TestSteps traces.
func TestBreakpoints(t *testing.T) {
	if os.Getenv(envSteps) == "" {
		t.Skip("only for TestSteps")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, n := range []int{0, 100, 1000} {
		runtime.Breakpoint()
		work(n)
		runtime.Breakpoint()
	}
}

// TestSteps: exactly the instructions between two breakpoints are counted.
func TestSteps(t *testing.T) {
	t.Setenv(envSteps, "1")
	args := []string{os.Args[0], "-test.run=^TestBreakpoints$"}
	counts, err := steps(t.Context(), args)
	if errors.Is(err, errNoTrace) {
		t.Skip(err)
	}
	if err != nil || len(counts) != 3 {
		t.Fatalf("%v, %v", counts, err)
	}
	again, err := steps(t.Context(), args)
	if err != nil || counts[0] > 50 || counts[1] < 100 || counts[2] < counts[1]+900 || counts[2] > 20000 {
		t.Errorf("%v, %v, %v", counts, again, err)
	}
	if _, err := CountCalls(t.Context(), "this", args); err == nil || !strings.Contains(err.Error(), "this: 3 stretches between breakpoints were counted, want 27") {
		t.Errorf("another program: %v", err)
	}
	if _, err := CountCalls(t.Context(), "sh", []string{"sh", "-c", "exit 3"}); err == nil || !strings.Contains(err.Error(), "counting single steps of sh") {
		t.Errorf("a command that fails: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := CountCalls(ctx, "sleep", []string{"sleep", "60"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a command that does not end: %v", err)
	}
}
