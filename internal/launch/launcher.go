package launch

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/fserror"
)

// A launcher is a command that has started a daemon.
type launcher struct {
	cmd   *exec.Cmd
	input io.WriteCloser // the daemon ends when this is closed
	said  tail
	over  chan struct{} // closed when the command has ended
	err   error         // of the command, once over is closed
}

// startLauncher starts the command of a daemon and hands it the invitation.
func startLauncher(words []string, to *invitation) (*launcher, error) {
	line, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	l := &launcher{cmd: exec.Command(words[0], words[1:]...), over: make(chan struct{})}
	l.cmd.Stdout, l.cmd.Stderr = &l.said, &l.said
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	l.cmd.WaitDelay = time.Second
	if l.input, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", words[0], plainExec(err))
	}
	go func() {
		l.err = l.cmd.Wait()
		close(l.over)
	}()
	_, _ = l.input.Write(append(line, '\n')) // if the command does not read, it ends
	return l, nil
}

// plainExec strips from an error of package exec what the message says already.
func plainExec(err error) error {
	if e, ok := err.(*exec.Error); ok {
		return e.Err
	}
	return fserror.Reason(err)
}

// outcome describes how a command has ended.
func (l *launcher) outcome() string {
	if l.err != nil {
		return fmt.Sprintf("%s ended with %v", l.cmd.Args[0], l.err)
	}
	return l.cmd.Args[0] + " ended"
}

// words returns the output of a command, for the end of a sentence.
func (l *launcher) words() string {
	if said := l.said.text(); said != "" {
		return ": " + said
	}
	return ""
}

// end waits for the command to end, and kills it if it does not in time. It returns why the daemon, whose
// connection has ended, is gone.
func (l *launcher) end(patience time.Duration) string {
	l.input.Close()
	select {
	case <-l.over:
		return "its daemon has ended (" + l.outcome() + ")" + l.words()
	case <-time.After(patience):
		_ = killGroup(l.cmd.Process.Pid)
		<-l.over
		return "its daemon has closed the connection" + l.words()
	}
}

// tailBytes is how much of a launcher's output is kept.
const tailBytes = 2048

// A tail keeps the end of a text.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// text returns the tail as one line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.kept)), " ")
}
