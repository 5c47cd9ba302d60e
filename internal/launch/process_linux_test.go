package launch

import (
	"os"
	"testing"
	"time"
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
