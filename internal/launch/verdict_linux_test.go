package launch

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/pmi"
	"rhinet/internal/program"
)

// trial returns a watcher of ranks with the given status lines and processes.
func trial(t *testing.T, says []pmi.Status, pids ...int) *watcher {
	t.Helper()
	f, err := openFake(len(says))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	for r, s := range says {
		line, _ := json.Marshal(s)
		f.File().WriteAt(line, int64(r)*fakeLine)
	}
	w := &watcher{
		plan:   &Plan{job: job(), programs: make([]program.Program, 1), slots: make([]Slot, len(says))},
		ranks:  &ranks{list: make([]rank, len(says))},
		fabric: f, cancel: func(error) {}, ended: make([]bool, len(says)),
	}
	for r, pid := range pids {
		w.ranks.list[r].pid = pid
	}
	return w
}

// ended returns the end of a rank with a status.
func ended(rank, status int) exit { return exit{rank, syscall.WaitStatus(status << 8)} }

// killedBy returns the end of a rank by a signal.
func killedBy(rank int, sig syscall.Signal) exit { return exit{rank, syscall.WaitStatus(sig)} }

// In whatever order the ends are seen, the verdict names the rank that failed first.
func TestVerdictNamesTheFirstCause(t *testing.T) {
	working, lost1 := pmi.Status{State: pmi.Computing}, pmi.Status{State: pmi.Computing, Lost: 2}
	inWorld, lost1InWorld := pmi.Status{State: pmi.Computing, World: true}, pmi.Status{State: pmi.Computing, Lost: 2, World: true}
	abortedAfter1 := pmi.Status{State: pmi.Aborted, Lost: 2}
	for name, c := range map[string]struct {
		says   []pmi.Status
		batch  []exit
		status int
		text   string
	}{
		"killed, a survivor first":     {[]pmi.Status{lost1, working}, []exit{ended(0, 1), killedBy(1, 9)}, 137, "rank 1 ("},
		"status, a survivor first":     {[]pmi.Status{lost1, working}, []exit{ended(0, 1), ended(1, 5)}, 5, "rank 1 ("},
		"status, a survivor aborts":    {[]pmi.Status{abortedAfter1, working}, []exit{ended(0, 7), ended(1, 5)}, 5, "rank 1 ("},
		"status zero, a survivor":      {[]pmi.Status{lost1, working}, []exit{ended(0, 1), ended(1, 0)}, 1, "rank 1 (, pid 0) exited with status 0 without Finalize"},
		"finalized, and somebody errs": {[]pmi.Status{lost1, {State: pmi.Finalized}}, []exit{ended(0, 3), ended(1, 0)}, 3, "rank 0 ("},
		"leaves, another one fails":    {[]pmi.Status{inWorld, inWorld}, []exit{ended(0, 0), ended(1, 5)}, 5, "rank 1 ("},
		"leaves as another is killed":  {[]pmi.Status{lost1InWorld, inWorld}, []exit{ended(0, 0), killedBy(1, 9)}, 137, "rank 1 ("},
		"leaves, a survivor":           {[]pmi.Status{lost1InWorld, inWorld}, []exit{ended(0, 1), ended(1, 0)}, 1, "rank 1 (, pid 0) exited with status 0 without Finalize"},
		"leaves one that is done":      {[]pmi.Status{lost1InWorld, {State: pmi.Finalized}}, []exit{ended(0, 0), ended(1, 0)}, 1, "rank 0 (, pid 0) exited with status 0 without Finalize"},
		"two crashes":                  {[]pmi.Status{working, working}, []exit{killedBy(0, 11), killedBy(1, 9)}, 139, "rank 0 ("},
		"a loss that is none":          {[]pmi.Status{lost1, working}, []exit{ended(0, 4)}, 4, "rank 0 ("},
		"a rank that does not exist":   {[]pmi.Status{{State: pmi.Computing, Lost: 77}, working}, []exit{ended(0, 4)}, 4, "rank 0 ("},
	} {
		t.Run(name, func(t *testing.T) {
			w := trial(t, c.says)
			w.exited(c.batch)
			if w.cause == nil || w.cause.status != c.status || !strings.HasPrefix(w.cause.text, c.text) {
				t.Errorf("got %+v", w.cause)
			}
		})
	}
}

// When another rank has ended, the verdict waits for a rank that is about to end.
func TestVerdictWaitsForTheDying(t *testing.T) {
	victim := exec.Command("sleep", "60")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	pid := victim.Process.Pid
	if dying(pid) || dying(0) || dying(-5) {
		t.Error("dies before it is killed")
	}
	victim.Process.Kill()
	for begin := time.Now(); !dying(pid); {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("does not die")
		}
	}
	w := trial(t, []pmi.Status{{State: pmi.Computing, Lost: 2}, {State: pmi.Computing}}, os.Getpid(), pid)
	w.exited([]exit{ended(0, 1)})
	if w.cause != nil || w.recheck == nil {
		t.Fatalf("cause %+v before the other's end is known", w.cause)
	}
	w.judge(time.Now())
	if w.cause != nil {
		t.Fatalf("cause %+v", w.cause)
	}
	late := trial(t, []pmi.Status{{State: pmi.Computing, Lost: 2}, {State: pmi.Computing}}, os.Getpid(), pid)
	late.exited([]exit{ended(0, 1)})
	late.judge(time.Now().Add(verdictPatience))
	if late.cause == nil || late.cause.status != 1 {
		t.Errorf("no verdict after all patience: %+v", late.cause)
	}
	w.exited([]exit{killedBy(1, 9)})
	if w.cause == nil || w.cause.status != 137 {
		t.Errorf("cause %+v", w.cause)
	}
}
