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
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			if strings.Contains(strings.ReplaceAll(all.String(), "\r\n", "\n"), text) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the terminal does not show %q but %q", text, all.String())
			}
		}
	}
}

// A launcher in a session of its own, whose terminal is the test's: a prompt
// without an end of line appears, the answer gets to rank 0, and the lines of
// others begin on lines of their own.
func TestTerminal(t *testing.T) {
	user, program := ptytest.Open(t, 0)
	dialogue := `if [ $RHINET_RANK = 0 ]; then printf 'name? '; read name; echo "hello $name"; read rest || echo end
	else sleep 0.5; echo other; fi`
	p := command(t, job(Part{Ranks: 2, Program: "sh", Args: []string{"-c", dialogue}}))
	p.Stdin, p.Stdout, p.Stderr = program, program, program
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Process.Kill()
	shows := screen(t, user)
	shows("name? ")
	shows("name? \nother\n")
	user.WriteString("gopher\n")
	shows("hello gopher\n")
	user.WriteString("\x04") // Ctrl-D
	shows("end\n")
	if r := p.finish(t); r.status != 0 {
		t.Errorf("status %d", r.status)
	}
}

// Ctrl-C at the terminal.
func TestTerminalInterrupt(t *testing.T) {
	user, program := ptytest.Open(t, 0)
	p := command(t, job(Part{Ranks: 2, Program: "sh", Args: []string{"-c", "echo ready; exec sleep 60"}}))
	p.Stdin, p.Stdout, p.Stderr = program, program, program
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Process.Kill()
	shows := screen(t, user)
	shows("ready\nready\n")
	user.WriteString("\x03")
	shows("mpirun: ended by SIGINT (interrupt), which was passed on")
	if r := p.finish(t); r.status != 130 {
		t.Errorf("status %d", r.status)
	}
}
