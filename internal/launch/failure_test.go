package launch

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/pmi"
)

// quick checks that a failure ended a job in less than a second. On a machine that is busy with something
// else, where a job that does nothing takes long, a multiple of that time is added.
func (r result) quick(t testing.TB) {
	t.Helper()
	if r.took <= time.Second {
		return
	}
	const shares = 10 // steps of a failure, such as starts, checks and ends
	idle := run(t, job(self(t, 4))).took
	if r.took > time.Second+shares*idle {
		t.Errorf("took %v, where a job that does nothing takes %v", r.took, idle)
	}
}

// one checks that the launcher printed exactly one message.
func (r result) one(t testing.TB) {
	t.Helper()
	if n := strings.Count(r.err, "mpirun: "); n != 1 {
		t.Errorf("%d messages:\n%s", n, r.err)
	}
}

func TestFailingRankEndsTheJob(t *testing.T) {
	for _, c := range []struct {
		step   string
		status int
		text   string
	}{
		{"exit=3", 3, "exited with status 3; the job was ended"},
		{"exit=2", 2, "exited with status 2, which may be that of a Go panic"},
		{"panic=oh", 2, "exited with status 2, which may be that of a Go panic"},
		{"kill=9", 137, "was killed by signal 9, SIGKILL (killed)"},
		{"fault", 139, "was killed by signal 11, SIGSEGV (segmentation fault)"},
		{"kill=15", 143, "was killed by signal 15, SIGTERM (terminated)"},
	} {
		t.Run(c.step, func(t *testing.T) {
			t.Parallel()
			p := self(t, 4, "0:wait=Recv,2,7,4096", "1:wait=Barrier,-2,-2,-1", "2:state=1", "3:wait=Barrier,-2,-2,-1",
				"2:await=4", "2:"+c.step, "sleep=1m")
			r := run(t, job(p))
			r.err = grown.ReplaceAllString(r.err, "1s")
			r.want(t, c.status, "mpirun: rank 2 (", c.text,
				"rank 0 waiting in Recv (peer 2, tag 7, 4096 bytes) for 1s",
				"ranks 1,3 waiting in Barrier for 1s")
			r.one(t)
			r.quick(t)
		})
	}
}

// A program that refuses its arguments does so before Init or after Finalize, and reports the reason
// itself.
func TestStatusBesideMPI(t *testing.T) {
	for step, text := range map[string]string{
		"0:state=3": "exited with status 2 after Finalize; the job was ended\n",
		"0:state=0": "exited with status 2; the job was ended",
	} {
		r := run(t, job(self(t, 2, step, "1:state=3", "0:exit=2", "sleep=1m")))
		r.want(t, 2, "mpirun: rank 0 (", text)
		r.one(t)
		r.quick(t)
	}
}

func TestAbort(t *testing.T) {
	r := run(t, job(self(t, 2, "state=1", "1:await=2", "1:state=4", "1:exit=9", "sleep=1m")))
	r.want(t, 9, "rank 1 (", "called Abort and exited with status 9", "rank 0 computing")
	r.quick(t)
}

func TestAbortWithStatusZero(t *testing.T) {
	r := run(t, job(self(t, 2, "state=1", "1:await=2", "1:state=4", "1:exit=0", "sleep=1m")))
	r.want(t, StatusFailed, "rank 1 (", "called Abort and exited with status 0")
	r.one(t)
	r.quick(t)
}

func TestRanksThatIgnoreTheirEndAreKilled(t *testing.T) {
	r := run(t, job(self(t, 3, "trap=ignore", "state=1", "1:await=3", "1:exit=4", "sleep=1m")))
	r.want(t, 4, "rank 1 (")
	r.quick(t)
}

func TestStoppedRanksEnd(t *testing.T) {
	r := run(t, job(self(t, 2, "0:kill=19", "1:sleep=100ms", "1:exit=4")))
	r.want(t, 4, "rank 1 (")
	r.quick(t)
}

func TestCrashIsBlamedBeforeStatus(t *testing.T) {
	w := &watcher{fabric: &fakeFabric{}}
	var crash, status, fine exit
	crash.ws = syscall.WaitStatus(9)
	status.ws = syscall.WaitStatus(1 << 8)
	if !(w.weight(&crash) > w.weight(&status) && w.weight(&status) > w.weight(&fine) && w.weight(&fine) == 0) {
		t.Error("wrong order")
	}
}

// A rank ends without Finalize while another waits for it.
func TestDesertion(t *testing.T) {
	for name, c := range map[string]struct {
		how    string
		script []string
	}{
		"waits for that rank":            {"without Finalize", []string{"0:state=1", "0:exit=0", "1:wait=Recv,0,7,8", "2:state=1", "sleep=1m"}},
		"waits in a collective":          {"without Finalize", []string{"state=1", "0:exit=0", "1:wait=Barrier,-2,-2,-1", "sleep=1m"}},
		"never in MPI, all others stuck": {"without a successful Init", []string{"0:exit=0", "wait=Barrier,-2,-2,-1", "sleep=1m"}},
		// In a session after Finalize.
		"waits for one that is done":           {"after Finalize", []string{"0:state=3", "0:exit=0", "1:wait=Recv,0,7,8", "2:state=1", "sleep=1m"}},
		"waits in a collective for such a one": {"after Finalize", []string{"0:state=3", "0:exit=0", "wait=Barrier,-2,-2,-1", "sleep=1m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, job(self(t, 3, c.script...)))
			r.want(t, StatusFailed, "mpirun: rank 0 (", "exited with status 0 "+c.how+" while others wait", " waiting in ")
			r.one(t)
			r.quick(t)
		})
	}
}

// A rank that is in the world must call Finalize before it exits, whatever the others do (MPI 4.1, section
// 11.2.2).
func TestEndInTheWorld(t *testing.T) {
	const without = "exited with status 0 without Finalize"
	for name, c := range map[string]struct {
		script []string
		says   []string
	}{
		"others compute":          {[]string{"world=1", "0:await=3", "0:exit=0", "sleep=1m"}, []string{without + "; the job was ended with", "ranks 1-2 computing"}},
		"others wait":             {[]string{"0:world=1", "1:wait=Recv,2,7,8", "2:state=1", "0:await=3", "0:exit=0", "sleep=1m"}, []string{without + " while others wait; ", "rank 1 waiting in Recv (peer 2"}},
		"others are done":         {[]string{"1:world=1", "1:await=2", "0:state=3", "2:state=3", "0:exit=0", "1:await=3", "1:exit=0", "sleep=1m"}, []string{without + "; the job was ended"}},
		"it was in a wait":        {[]string{"0:world=2", "1:state=3", "2:state=3", "0:exit=0"}, []string{without + "; the job was ended"}},
		"all do, one after other": {[]string{"world=1", "1:sleep=100ms", "2:sleep=200ms", "exit=0"}, []string{without + "; the job was ended"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, job(self(t, 3, c.script...)))
			r.want(t, StatusFailed, append(c.says, "mpirun: rank ")...)
			r.one(t)
			r.quick(t)
		})
	}
}

// In a job that keeps going, a rank that exits in the world is one that has failed.
func TestEndInTheWorldOfAJobThatKeepsGoing(t *testing.T) {
	j := job(self(t, 3, "0:world=1", "1:state=1", "2:state=1", "0:exit=0", "sleep=300ms", "state=3"))
	j.KeepGoing = true
	r := run(t, j)
	r.want(t, StatusFailed, "mpirun: 1 rank of 3 died, 2 went on to the end:\n  rank 0 (", "exited with status 0 without Finalize\n")
	r.one(t)
}

// A program may catch a signal that asks it to end, and exit with status 0 at a time of its own.
func TestEndInTheWorldAfterASignal(t *testing.T) {
	w := &watcher{passed: syscall.SIGINT, fabric: &worldly{}}
	if got := w.weight(&exit{}); got != succeeded {
		t.Errorf("after SIGINT: %d", got)
	}
	if l, lost := w.lossOf(&exit{}); lost {
		t.Errorf("after SIGINT: %+v", l)
	}
	if w.passed = 0; w.weight(&exit{}) != left {
		t.Error("without a signal it is no failure")
	}
}

// A worldly fabric is that of ranks in the world.
type worldly struct{ fakeFabric }

func (*worldly) Status(int) pmi.Status { return pmi.Status{State: pmi.Computing, World: true} }

// The waiting rank is the first to end: a check between the two ends would see it wait for a rank that is
// gone.
func TestNoDesertion(t *testing.T) {
	for name, script := range map[string][]string{
		// Finalize has waited for the one that is still in the world.
		"finalized":                     {"0:state=3", "2:state=3", "0:exit=0", "1:wait=Recv,0,7,8,world", "sleep=500ms", "1:state=3"},
		"others wait for one another":   {"state=1", "0:exit=0", "1:wait=Recv,2,7,8", "1:sleep=500ms", "1:exit=0", "sleep=800ms"},
		"never in MPI, another is busy": {"0:exit=0", "1:wait=Recv,-1,7,8", "2:state=1", "1:sleep=500ms", "1:exit=0", "sleep=800ms"},
		"no MPI at all":                 {"0:exit=0", "sleep=500ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, job(self(t, 3, script...)))
			r.want(t, 0)
			if r.err != "" {
				t.Errorf("said %q", r.err)
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	j := job(self(t, 3, "0:wait=Recv,1,7,16", "1:wait=Ssend,0,9,32", "2:state=1", "sleep=1m"))
	j.Timeout = 100 * time.Millisecond
	r := run(t, j)
	r.want(t, StatusTimeout, "mpirun: the job was ended after its timeout of 100ms; what the ranks waited for:",
		"rank  call", "Recv", "Ssend", "(computing)", "deadlock: 0 -> 1 -> 0: each of these ranks waits for the next")
	r.one(t)
	r.quick(t)
}

func TestTimeoutNotReached(t *testing.T) {
	j := job(self(t, 1, "print=x"))
	j.Timeout = time.Minute
	run(t, j).want(t, 0)
}

func TestChildrenOfRanksEnd(t *testing.T) {
	for name, script := range map[string][]string{
		"after success": {"child"},
		"after failure": {"child", "0:exit=1", "sleep=1m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, job(self(t, 2, script...)))
			r.quick(t)
			var pids []string
			for _, line := range sorted(r.out) {
				if pid, ok := strings.CutPrefix(line, "child "); ok {
					pids = append(pids, pid)
				}
			}
			if len(pids) == 0 {
				t.Fatalf("no children: %q", r.out)
			}
			gone(t, pids)
		})
	}
}

func TestNoFabric(t *testing.T) {
	j := job(self(t, 1))
	j.Open = func(int) (Fabric, error) { return nil, errors.New("no room") }
	run(t, j).want(t, StatusFailed, "mpirun: no memory for 1 rank to share: no room\n")
}

// A failingWriter accepts a little and then returns an error.
type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	j := job(self(t, 2, "print=x", "sleep=1m"))
	j.Stdout = failingWriter{syscall.ENOSPC}
	r := run(t, j)
	r.want(t, StatusFailed, "mpirun: cannot write the output of the ranks: no space left on device")
	r.quick(t)
}

func TestReaderOfOutputLeaves(t *testing.T) {
	p := command(t, job(self(t, 2, "print=x", "sleep=300ms", "lines=10000", "sleep=1m")))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout = w
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Read(make([]byte, 2))
	r.Close()
	res := p.finish(t)
	res.want(t, 128+13)
	if res.err != "" {
		t.Errorf("said %q", res.err)
	}
}
