package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/output"
)

// unread starts a launcher whose output is not read, and waits until a rank has printed ready on its error
// output, which is read.
func unread(t *testing.T, ranks int, script ...string) (p *process, out *os.File) {
	t.Helper()
	p = command(t, job(self(t, ranks, script...)))
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	p.Stdout = w
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	w.Close()
	p.says(t, "ready")
	return p, out
}

// says waits until the launcher's error output contains a text.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(p.err.String(), text); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q does not come: %s", text, p.err.String())
		}
	}
}

// The message about a failure is written although the output is not being read; the output is written when
// it is read.
func TestFailureIsToldAtOnceAndNothingIsLost(t *testing.T) {
	p, out := unread(t, 2, "0:lines=3500", "0:err=ready", "state=1", "1:await=2", "1:exit=3", "sleep=1m")
	p.says(t, "exited with status 3; the job was ended with\n  rank 0 computing\n")
	text, err := io.ReadAll(out)
	if err != nil || strings.Count(string(text), "-end\n") != 3500 {
		t.Errorf("%d bytes came, %v", len(text), err)
	}
	r := p.finish(t)
	r.want(t, 3)
	r.one(t)
}

// A job can be told to end even if its output has not been read.
func TestJobEndsThoughNobodyReads(t *testing.T) {
	p, _ := unread(t, 2, "err=ready", "lines=100000")
	p.signal(t, syscall.SIGTERM)
	p.finish(t).want(t, 143, "mpirun: ended by SIGTERM (terminated)")

	p, _ = unread(t, 1, "trap=ignore", "err=ready", "lines=100000")
	p.signal(t, syscall.SIGINT)
	time.Sleep(echoTime + 50*time.Millisecond)
	p.signal(t, syscall.SIGINT)
	p.finish(t).want(t, 130, "mpirun: killed by a second SIGINT (interrupt)")
}

// All ranks have succeeded, but not all of their output could be written.
func TestSignalWhileTheOutputIsWritten(t *testing.T) {
	p, _ := unread(t, 1, "lines=3500", "err=ready")
	time.Sleep(100 * time.Millisecond) // most likely the rank is gone; it makes no difference to the status
	p.signal(t, syscall.SIGTERM)
	p.finish(t).want(t, 143, "mpirun: ended by SIGTERM (terminated)")
}

func TestLeave(t *testing.T) {
	w := &watcher{ranks: &ranks{}, cancel: func(error) {}}
	if w.leave(syscall.SIGUSR1) || w.leave(syscall.SIGCONT) || w.cause != nil {
		t.Errorf("cause %+v", w.cause)
	}
	if !w.leave(syscall.SIGHUP) || w.cause.status != 129 || !strings.Contains(w.cause.text, "ended by SIGHUP (hangup); every rank had exited") {
		t.Errorf("cause %+v", w.cause)
	}
}

// A last line without a newline is written when no rank is left.
func TestEndOfTheOutputThatCannotBeWritten(t *testing.T) {
	for why, want := range map[error]string{
		syscall.ENOSPC: "mpirun: cannot write the output of the ranks: no space left on device\n",
		syscall.EPIPE:  "",
	} {
		j := job(self(t, 1, "raw=no end"))
		j.Stdout = failingWriter{why}
		r := run(t, j)
		if r.status == 0 || r.err != want {
			t.Errorf("%v: status %d, %q", why, r.status, r.err)
		}
	}
}

// A blockedWriter blocks until the channel is closed.
type blockedWriter struct{ until chan struct{} }

func (b blockedWriter) Write([]byte) (int, error) {
	<-b.until
	return 0, errors.New("over")
}

// A message that is not read delays nothing.
func TestNobodyListens(t *testing.T) {
	never := blockedWriter{make(chan struct{})}
	w := &watcher{plan: &Plan{job: job()}, mux: output.New(never, never, output.Options{}, func(error) {})}
	w.cause = &cause{text: "something"}
	w.report()
	w.report() // reports only once, so this returns at once
	close(never.until)
}

func TestLimitsBehindErrors(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EFBIG:  "ulimit -f",
		syscall.ENOMEM: "ulimit -v",
		syscall.EMFILE: "ulimit -n",
		syscall.EPERM:  "",
	} {
		if got := limits(fmt.Errorf("open: %w", errno)); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%v: %q", errno, got)
		}
	}
}
