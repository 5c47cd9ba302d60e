package wait

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// playLent makes the test binary run as a process that was started with a changed timer slack.
const playLent = "WAIT_TEST_LENT"

// keepSysmon is the value of playLent for a process whose sysmon keeps that slack.
const keepSysmon = "but sysmon"

func TestMain(m *testing.M) {
	if os.Getenv(playLent) != "" {
		lentMain()
		return
	}
	os.Exit(m.Run())
}

// lentMain prints the slack of the main thread and of all threads: at first, when it has returned it, and
// when the monitor has, too.
func lentMain() {
	runtime.LockOSThread()
	show := func() {
		all := []string{fmt.Sprint(int64(slack()))}
		for _, id := range threads() {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/timerslack_ns", id))
			if err != nil {
				text = []byte("?") // reading that of other processes needs a privilege
			}
			all = append(all, strings.TrimSpace(string(text)))
		}
		fmt.Println(strings.Join(all, " "))
	}
	show()
	if os.Getenv(playLent) == keepSysmon {
		ReturnSlackButSysmon()
	}
	settled := returnSlack(50 * time.Millisecond)
	show()
	settled()
	show()
}

// lent runs this binary as a process forked by a thread with a changed timer slack.
func lent(t *testing.T, how string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer LendSlack()()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), playLent+"="+how)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestLentSlackIsReturned(t *testing.T) {
	if raceEnabled {
		t.Skip("for the race detector it has C code, and is lent nothing")
	}
	out := lent(t, "1")
	if len(out) != 3 {
		t.Fatalf("it said %q", out)
	}
	usual, late := fmt.Sprint(int64(usualSlack)), fmt.Sprint(int64(lentSlack))
	for i, s := range strings.Fields(out[0]) {
		if s != "?" && s != late {
			t.Errorf("entry %d of %q, want %s", i, out[0], late)
		}
	}
	// The main thread, again as the first of the list, and the monitor. Another thread may be sleeping.
	after := strings.Fields(out[1])
	if after[0] != usual || after[1] != "?" && after[1] != usual || after[2] != "?" && after[2] != late {
		t.Errorf("%q after it was returned", out[1])
	}
	for i, s := range strings.Fields(out[2]) {
		if s != "?" && s != usual {
			t.Errorf("entry %d of %q in the end, want %s", i, out[2], usual)
		}
	}
}

func TestSysmonMayKeepItsSlack(t *testing.T) {
	if raceEnabled {
		t.Skip("as above")
	}
	out := lent(t, keepSysmon)
	if len(out) != 3 {
		t.Fatalf("it said %q", out)
	}
	last := strings.Fields(out[2])
	if usual, late := fmt.Sprint(int64(usualSlack)), fmt.Sprint(int64(lentSlack)); last[0] != usual || last[2] != "?" && last[2] != late {
		t.Errorf("%q in the end; sysmon is the third", out[2])
	}
}

func TestLenderHasItsOwnTimersBack(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if slack() != usualSlack {
		t.Skip("this test was started with timers of its own")
	}
	restore := LendSlack()
	if got := slack(); got != lentSlack {
		t.Errorf("lends %v", got)
	}
	restore()
	if got := slack(); got != usualSlack {
		t.Errorf("left with %v", got)
	}
}

func TestUnusualTimersAreNeitherLentNorReturned(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const own = 70 * time.Microsecond
	before := slack()
	if err := setSlack(own); err != nil {
		t.Fatal(err)
	}
	defer setSlack(before)
	restore := LendSlack()
	if got := slack(); got != own {
		t.Errorf("lends %v of timers that are its user's", got)
	}
	restore()
	if returnSlack(0)(); slack() != own {
		t.Errorf("changed to %v", slack())
	}
}
