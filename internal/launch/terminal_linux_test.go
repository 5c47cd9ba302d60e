package launch

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/ptytest"
)

// screen collects what a terminal shows.
func screen(t *testing.T, user *os.File) (shows func(text string)) {
	var all lockedBuffer
	go io.Copy(&all, user)
	return func(text string) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			if strings.Contains(strings.ReplaceAll(all.String(), "\r\n", "\n"), text) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the terminal does not show %q but %q", text, all.String())
			}
		}
	}
}

// atTerminal starts a launcher in a session of its own, whose terminal belongs to the test.
func atTerminal(t *testing.T, ranks int, script string) (p *process, user *os.File) {
	t.Helper()
	user, program := ptytest.Open(t, 0)
	p = command(t, job(Part{Ranks: ranks, Program: "sh", Args: []string{"-c", script}}))
	p.Stdin, p.Stdout, p.Stderr = program, program, program
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p, user
}

// A prompt without a newline is shown, the answer is passed to rank 0, and the lines of other ranks begin
// on new lines.
func TestTerminal(t *testing.T) {
	p, user := atTerminal(t, 2, `if [ $RHINET_RANK = 0 ]; then printf 'name? '; read name; echo "hello $name"; read rest || echo end
	else sleep 0.5; echo other; fi`)
	shows := screen(t, user)
	shows("name? ")
	shows("name? \nother\n")
	user.WriteString("gopher\n")
	shows("hello gopher\n")
	user.WriteString("\x04") // Ctrl-D
	shows("end\n")
	p.finish(t).want(t, 0)
}

// Ctrl-C is typed at the terminal.
func TestTerminalInterrupt(t *testing.T) {
	p, user := atTerminal(t, 2, "echo ready; exec sleep 60")
	shows := screen(t, user)
	shows("ready\nready\n")
	user.WriteString("\x03")
	shows("mpirun: ended by SIGINT (interrupt), which was passed on")
	p.finish(t).want(t, 130)
}

// A rank that opens the terminal itself would be stopped forever.
func TestRankThatUsesTheTerminal(t *testing.T) {
	p, user := atTerminal(t, 2, "if [ $RHINET_RANK = 1 ]; then read x < /dev/tty; fi; exec sleep 60")
	shows := screen(t, user)
	shows("was stopped by signal 21, SIGTTIN (stopped (tty input)); only rank 0 reads the terminal, and only as its standard input; the job was ended\n")
	p.finish(t).want(t, 128+21)
}

// A terminal that is closed sends SIGHUP, which ends the ranks; there is no longer a place for messages.
func TestTerminalIsClosed(t *testing.T) {
	p, user := atTerminal(t, 2, "echo ready; exec sleep 60")
	for seen, buf := "", make([]byte, 64); strings.Count(seen, "ready") < 2; {
		n, err := user.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
		seen += string(buf[:n])
	}
	user.Close() // finally, since it is not being read at this moment
	r := p.finish(t)
	if r.status == 0 {
		t.Error("status 0")
	}
	r.quick(t)
}
