package launch

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/program"
)

// ready starts a launcher whose ranks print when they can receive signals.
func ready(t testing.TB, ranks int, script ...string) *process {
	p := spawn(t, job(self(t, ranks, script...)))
	p.await(t, ranks, "ready")
	return p
}

func (p *process) signal(t testing.TB, sig os.Signal) {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	for sig, name := range map[syscall.Signal]string{
		syscall.SIGINT:  "interrupt",
		syscall.SIGTERM: "terminated",
		syscall.SIGHUP:  "hangup",
		syscall.SIGQUIT: "quit",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ready(t, 3, "trap=done", "sleep=1m")
			p.signal(t, sig)
			p.await(t, 3, "got "+name)
			r := p.finish(t)
			r.want(t, 0)
			r.quick(t)
		})
	}
}

func TestOtherSignalsArePassedOn(t *testing.T) {
	p := ready(t, 2, "trap=say", "sleep=1m")
	p.signal(t, syscall.SIGUSR1)
	p.await(t, 2, "got user defined signal 1")
	p.signal(t, syscall.SIGUSR2)
	p.await(t, 2, "got user defined signal 2")
}

func TestInterruptEndsRanksThatDoNotMind(t *testing.T) {
	for sig, text := range map[syscall.Signal]string{
		syscall.SIGINT:  "SIGINT (interrupt)",
		syscall.SIGTERM: "SIGTERM (terminated)",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			// Programs without handlers, and without Go's conversions.
			j := job(Part{Ranks: 2, Program: "sh", Args: []string{"-c", "echo ready; exec sleep 60"}})
			p := spawn(t, j)
			p.await(t, 2, "ready")
			p.signal(t, sig)
			r := p.finish(t)
			r.want(t, 128+int(sig), "mpirun: ended by "+text+", which was passed on")
			r.one(t)
			r.quick(t)
		})
	}
}

func TestSecondInterruptKills(t *testing.T) {
	p := ready(t, 2, "trap=say", "pid", "sleep=1m")
	pids := p.await(t, 2, "pid ")
	p.signal(t, syscall.SIGINT)
	p.await(t, 2, "got interrupt")
	time.Sleep(echoTime + 50*time.Millisecond)
	p.signal(t, syscall.SIGINT)
	r := p.finish(t)
	r.want(t, 130, "mpirun: killed by a second SIGINT (interrupt)")
	r.quick(t)
	gone(t, pids)
}

// What timeout(1) sends, one signal to mpirun and another to its process group, leaves the ranks their time to
// end by themselves.
func TestTwoSignalsAtOnceAreOne(t *testing.T) {
	p := ready(t, 2, "trap=say", "sleep=1m")
	p.signal(t, syscall.SIGTERM)
	p.signal(t, syscall.SIGTERM)
	p.await(t, 2, "got terminated")
	p.signal(t, syscall.SIGINT)
	p.finish(t).want(t, 130, "mpirun: killed by a second SIGINT (interrupt)")
}

func TestRepeatedSignals(t *testing.T) {
	begin := time.Now()
	for _, c := range []struct {
		second syscall.Signal
		after  time.Duration
		kills  bool
	}{
		{syscall.SIGTERM, 0, false},
		{syscall.SIGTERM, echoTime - 1, false},
		{syscall.SIGTERM, echoTime, true},
		{syscall.SIGINT, 0, true},
	} {
		w := &watcher{plan: &Plan{job: job()}, ranks: &ranks{}, cancel: func(error) {}, running: true}
		w.hear(syscall.SIGTERM, begin)
		w.hear(c.second, begin.Add(c.after))
		if w.passed != syscall.SIGTERM || (w.cause != nil) != c.kills {
			t.Errorf("%v after %v: passed on %v, cause %+v", c.second, c.after, w.passed, w.cause)
		}
	}
}

func TestQuitPrintsTheTable(t *testing.T) {
	p := ready(t, 2, "0:wait=Recv,1,7,16", "1:wait=Recv,0,-1,-1", "trap=say", "sleep=1m")
	p.signal(t, syscall.SIGQUIT)
	p.await(t, 2, "got quit")
	p.signal(t, syscall.SIGINT)
	p.signal(t, syscall.SIGINT)
	p.signal(t, syscall.SIGTERM)
	r := p.finish(t)
	want := `mpirun: what the ranks wait for:
rank  call  peer  tag  bytes  since
0     Recv  1     7    16     1s
1     Recv  0     any  -      1s
deadlock: 0 -> 1 -> 0: each of these ranks waits for the next
`
	if !strings.Contains(grown.ReplaceAllString(r.err, "1s"), want) {
		t.Errorf("got\n%s\nwant\n%s", r.err, want)
	}
}

func TestQuitEndsGoPrograms(t *testing.T) {
	p := ready(t, 2, "print=ready", "sleep=1m")
	p.signal(t, syscall.SIGQUIT)
	r := p.finish(t)
	r.want(t, 2, "what the ranks wait for", "after SIGQUIT (quit) was passed on")
}

// untilState waits until a process is in a state, or no longer in it. States are the letters in /proc: T is
// stopped.
func untilState(t *testing.T, pid, letter string, in bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, _ := os.ReadFile("/proc/" + pid + "/stat")
		f := strings.Fields(string(stat))
		if len(f) < 3 {
			t.Skip("needs /proc")
		}
		if (f[2] == letter) == in {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the rank is in state %s; in %s: want %v", f[2], letter, in)
		}
	}
}

func TestStopAndContinue(t *testing.T) {
	p := ready(t, 1, "print=ready", "pid", "sleep=1m")
	pid := p.await(t, 1, "pid ")[0]
	p.signal(t, syscall.SIGTSTP)
	untilState(t, pid, "T", true)
	p.signal(t, syscall.SIGCONT)
	untilState(t, pid, "T", false)
	p.signal(t, syscall.SIGTERM)
	p.finish(t)
}

// A rank that was stopped by a signal ends with the others all the same, but that it was stopped is not a
// failure.
func TestInterruptReachesStoppedRanks(t *testing.T) {
	p := spawn(t, job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", "echo pid $$; kill -STOP $$; echo on; exec sleep 60"}}))
	untilState(t, p.await(t, 1, "pid ")[0], "T", true)
	p.signal(t, syscall.SIGCONT)
	p.await(t, 1, "on")
	p = spawn(t, job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", "echo ready; kill -STOP $$; exec sleep 60"}}))
	p.await(t, 1, "ready")
	p.signal(t, syscall.SIGINT)
	r := p.finish(t)
	r.want(t, 130, "mpirun: ended by SIGINT (interrupt), which was passed on")
	r.quick(t)
}

func TestCauseOfSignalIsTold(t *testing.T) {
	w := &watcher{plan: &Plan{job: job(), programs: make([]program.Program, 1), slots: make([]Slot, 1)}, ranks: &ranks{list: make([]rank, 1)}, fabric: &fakeFabric{}, ended: []bool{true}}
	for _, c := range []struct {
		status, before int // before: killed already when the job began, more or less than now
		want           string
	}{
		{int(syscall.SIGSEGV) | 0x80, -1, "SIGSEGV (segmentation fault), and dumped core; the job was ended"},
		{int(syscall.SIGKILL), -1, "SIGKILL (killed), perhaps by the kernel, which has killed processes for lack of memory since the job began; the job"},
		{int(syscall.SIGKILL), 1, "SIGKILL (killed); the job was ended"},
	} {
		w.oomKills = oomKills() + c.before
		if got := w.blame(&exit{ws: syscall.WaitStatus(c.status)}).text; !strings.Contains(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestSignalBeforeTheStart(t *testing.T) {
	w := &watcher{ranks: &ranks{}, cancel: func(error) {}}
	w.signalled(syscall.SIGTERM)
	if w.cause == nil || w.cause.status != 143 || !strings.Contains(w.cause.text, "ended by SIGTERM (terminated) before the start") {
		t.Errorf("cause %+v", w.cause)
	}
	if !w.ranks.stop.Load() {
		t.Error("ranks are still being started")
	}
}

func TestSignalDuringTheStart(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		w := &watcher{plan: &Plan{job: job()}, ranks: &ranks{}, cancel: func(error) {}}
		w.ranks.begun.Store(true)
		w.signalled(sig)
		if w.cause != nil || w.hasty == nil {
			t.Errorf("%v: cause %+v before the start could end by itself", sig, w.cause)
		}
		w.hurry()
		if w.cause == nil || w.cause.status != 128+int(sig) || !strings.Contains(w.cause.text, " while ranks were being started") || !w.ranks.stop.Load() {
			t.Errorf("%v: cause %+v", sig, w.cause)
		}
	}
	// A second signal ends the job at once.
	again := &watcher{plan: &Plan{job: job()}, ranks: &ranks{}, cancel: func(error) {}}
	again.ranks.begun.Store(true)
	again.signalled(syscall.SIGINT)
	if again.signalled(syscall.SIGINT); again.cause == nil || again.cause.status != 130 {
		t.Errorf("twice: cause %+v", again.cause)
	}
	// A signal that arrived while the last ranks started is passed on to them.
	late := &watcher{plan: &Plan{job: job()}, ranks: &ranks{}, cancel: func(error) {}}
	late.ranks.begun.Store(true)
	late.signalled(syscall.SIGINT)
	late.started(nil)
	if late.hurry(); late.cause != nil || late.passed != syscall.SIGINT {
		t.Errorf("late: cause %+v, passed on %v", late.cause, late.passed)
	}
	// A signal that does not end a job is held until every rank can receive it.
	w := &watcher{plan: &Plan{job: job()}, ranks: &ranks{}, cancel: func(error) {}}
	w.ranks.begun.Store(true)
	w.signalled(syscall.SIGUSR1)
	if w.cause != nil || len(w.pending) != 1 {
		t.Errorf("cause %+v, pending %v", w.cause, w.pending)
	}
	w.started(nil)
	if w.cause != nil || w.pending != nil {
		t.Errorf("cause %+v, pending %v", w.cause, w.pending)
	}
}

// A signal in the middle of the start ends the running ranks, starts no more, and leaves nothing. There are
// so many ranks that the start takes longer than the time within which it may complete by itself.
func TestSignalEndsAStart(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := spawn(t, job(Part{Ranks: 1000, Program: "sh", Args: []string{"-c", "trap '' INT TERM; echo pid $$; exec sleep 60"}}))
		p.await(t, 1, "pid ")
		p.signal(t, sig)
		r := p.finish(t)
		if r.took > 5*time.Second {
			t.Errorf("%v: took %v", sig, r.took)
		}
		if r.status != 128+int(sig) {
			t.Errorf("%v: status %d, %s", sig, r.status, r.err)
		}
		r.one(t)
		gone(t, p.await(t, 1, "pid "))
	}
}

func TestRankThatStartsTooLateIsKilled(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = rankAttr()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rs := &ranks{list: make([]rank, 1)}
	rs.stop.Store(true)
	rs.started(0, cmd.Process.Pid)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v", err)
	}
}
