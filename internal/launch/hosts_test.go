package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/control"
	"rhinet/internal/pmi"
)

func TestRanksAreSharedAmongHosts(t *testing.T) {
	host := func(slots ...int) (all []Host) {
		for i, n := range slots {
			all = append(all, Host{Name: string(rune('a' + i)), Slots: n})
		}
		return all
	}
	for _, c := range []struct {
		hosts []Host
		n     int
		want  []int
	}{
		{host(0), 3, []int{0, 0, 0}},
		{host(0, 0), 4, []int{0, 0, 1, 1}},
		{host(0, 0), 5, []int{0, 0, 0, 1, 1}},
		{host(0, 0, 0), 2, []int{0, 1}},
		{host(2, 1), 3, []int{0, 0, 1}},
		{host(2, 1), 2, []int{0, 0}},
		{host(2, 1), 7, []int{0, 0, 1, 0, 0, 1, 0}},
		{host(0, 2), 3, []int{0, 1, 1}},
	} {
		if got := share(c.hosts, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%v, %d ranks: %v, want %v", c.hosts, c.n, got, c.want)
		}
	}
}

func TestHostsAreChecked(t *testing.T) {
	good := Job{Parts: []Part{{Ranks: 1, Program: "sh"}}, MaxRanks: 4, Launcher: []string{"l"}, Daemon: []string{"d"}}
	for want, change := range map[string]func(*Job){
		"":                         func(j *Job) { j.Hosts = []Host{{Name: "a"}, {Name: "b", Slots: 2}} },
		"no command that starts":   func(j *Job) { j.Hosts, j.Launcher = []Host{{Name: "a"}}, nil },
		`host "a": name each host`: func(j *Job) { j.Hosts = []Host{{Name: "a"}, {Name: "a"}} },
		`host "": name each host`:  func(j *Job) { j.Hosts = []Host{{}} },
		`host "c": name each host`: func(j *Job) { j.Hosts = []Host{{Name: "c", Slots: -1}} },
	} {
		j := good
		change(&j)
		err := j.check()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestCommandsOfDaemons(t *testing.T) {
	for _, c := range []struct{ launcher, daemon, want string }{
		{"ip netns exec", "/a b/mpirun --daemon", "ip|netns|exec|h|/a|b/mpirun|--daemon"},
		{"/usr/bin/ssh -x", "/opt/$x/mpirun --daemon", "/usr/bin/ssh|-x|h|'/opt/$x/mpirun'|--daemon"},
	} {
		j := Job{Launcher: strings.Fields(c.launcher), Daemon: strings.Fields(c.daemon)}
		if got := strings.Join(j.reach(Host{Name: "h"}), "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.launcher, got, c.want)
		}
	}
	for _, w := range []string{"", "plain-1.2_x", "a b", "it's", "$(x)", "é"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quote(w)).Output()
		if err != nil || string(out) != w {
			t.Errorf("%q becomes %q, %v", w, out, err)
		}
	}
}

func TestAddressesHaveThePort(t *testing.T) {
	all, err := addresses("", 77)
	if err != nil || len(all) == 0 || slices.ContainsFunc(all, func(a string) bool { return !strings.HasSuffix(a, ":77") }) {
		t.Error(all, err)
	}
	if _, err := addresses("no-such-interface", 1); err == nil || !strings.Contains(err.Error(), "no network interface no-such-interface") {
		t.Error(err)
	}
}

func TestEnvironmentOfOtherHosts(t *testing.T) {
	got := ownEnv([]string{"A=1", "HOSTNAME=lead", "SSH_CLIENT=x", "SSHX=y"}, []string{"A=2", "HOSTNAME=here", "SSH_TTY=t", "B=3"})
	if want := []string{"A=1", "SSHX=y", "HOSTNAME=here", "SSH_TTY=t"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDaemonWithoutAnInvitation(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "this mode is for mpirun --hosts",
		"hello\n":            "this mode is for mpirun --hosts",
		"{\"Version\":99}\n": "it speaks version 2, and the mpirun that leads version 99; use one build on all hosts",
		"{\"Version\":2,\"Addresses\":[\"127.0.0.1:1\"]}\n": "the mpirun that leads cannot be reached at 127.0.0.1:1: ",
	} {
		var said bytes.Buffer
		status := Daemon(strings.NewReader(in), &said, nil)
		if text := said.String(); status != StatusFailed || !strings.HasPrefix(text, "mpirun on this host: ") || !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%q: status %d, %q", in, status, text)
		}
	}
}

// connected returns both ends of a connection between mpirun and a daemon.
func connected(t *testing.T) (leads, daemon *control.Conn) {
	t.Helper()
	key := control.NewKey()
	listener, err := control.Listen("127.0.0.1:0", key)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	daemon, err = control.Dial([]string{fmt.Sprint("127.0.0.1:", listener.Port())}, key)
	if err != nil {
		t.Fatal(err)
	}
	leads = <-listener.Conns()
	t.Cleanup(func() { leads.Close(); daemon.Close() })
	return leads, daemon
}

// A program that was sent, in pieces, runs, whoever owned the file.
func TestImage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs are sent between Linux systems")
	}
	code, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Skip(err)
	}
	code = append(code, make([]byte, 3*codeBytes)...)
	leads, here := connected(t)
	go sendCode(leads, [][]byte{code, []byte("#!/bin/echo\n")})
	parts := []partSpec{{Name: "echo", Path: "/nowhere", Image: len(code), Dir: "/"}, {Name: "x", Path: "/nowhere", Dir: "/"}, {Name: "y", Image: len("#!/bin/echo\n")}}
	d := &daemon{}
	defer d.release()
	if d.images, err = fetch(here, parts); err != nil {
		t.Fatal(err)
	}
	prog, err := d.program(&parts[0], &d.images[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(prog.Path, "hello").Output()
	if string(out) != "hello\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if got, err := os.ReadFile(prog.Path); err != nil || !bytes.Equal(got, code) {
		t.Errorf("%d bytes, %v; %d were sent", len(got), err, len(code))
	}
	if _, err := d.images[0].file.Write([]byte{0}); err == nil {
		t.Error("it can be changed")
	}
	if _, err := d.program(&parts[1], &d.images[1]); err == nil || err.Error() != "/nowhere: no such file or directory; --preload sends it there" {
		t.Error(err)
	}
	if _, err := d.program(&partSpec{Name: "x", Path: "/bin/echo", Dir: "/nowhere"}, nil); err == nil || err.Error() != "there is no directory /nowhere; --wdir names one that is there" {
		t.Error(err)
	}
	if _, err := d.program(&parts[0], &image{err: syscall.ENFILE}); err == nil || err.Error() != "no place for the program echo: too many open files in system" {
		t.Error(err)
	}
}

// A program that does not come whole is an error: mpirun ends, or is none.
func TestImageIsCut(t *testing.T) {
	for what, c := range map[string]struct {
		send func(*control.Conn) error
		want string
	}{
		"another message": {func(c *control.Conn) error {
			err := c.Send(&message{Look: 1})
			return errors.Join(err, sendCode(c, [][]byte{make([]byte, 7), make([]byte, 1)}))
		}, "7 bytes of the program p are missing, and it sends something else"},
		"too much": {func(c *control.Conn) error { return sendCode(c, [][]byte{make([]byte, 8)}) }, "7 bytes of the program p are missing, and it sends something else"},
		"the end": {func(c *control.Conn) error {
			if err := sendCode(c, [][]byte{make([]byte, 6)}); err != nil {
				return err
			}
			return c.Close()
		}, "EOF"},
	} {
		leads, here := connected(t)
		if err := c.send(leads); err != nil {
			t.Fatal(err)
		}
		images, err := fetch(here, []partSpec{{Name: "p", Image: 7}, {Name: "q", Image: 1}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", what, err)
		}
		for i := range images {
			images[i].close()
		}
	}
}

// What a daemon says of the end of its connection tells mpirun why the host was lost.
func TestWhatIsSaidOfAConnection(t *testing.T) {
	for _, err := range []error{nil, io.EOF, net.ErrClosed} {
		if got := severed(err); got != nil {
			t.Errorf("%v: %v", err, got)
		}
	}
	if got := severed(control.ErrLate); got == nil || got.Error() != "the connection to the mpirun that leads has failed: its host answers, but its process was not heard for 30s" {
		t.Error(got)
	}
}

// The data that a host sends is checked: ranks that the job does not have are ignored.
func TestReportsOfHostsAreChecked(t *testing.T) {
	p := &Plan{job: &Job{Hosts: []Host{{Name: "a"}}}, slots: make([]Slot, 2), away: away{hosts: []int{0, 0}}}
	l := newCoordinator(p)
	exits := make(chan []exit, 1)
	l.exits = exits
	h := l.hosts[0]
	l.report(h, &report{Number: 3, Ranks: []state{{Rank: -1}, {Rank: 2}, {Rank: 1, Used: 5}}})
	l.ended(h, []departed{{Rank: 7}, {Rank: -1}, {Rank: 1, Wait: 9}})
	if got := <-exits; len(got) != 1 || got[0].rank != 1 || !got[0].ws.Signaled() || l.used(1) != 5 || h.looked != 3 {
		t.Errorf("%v, %v, %d", got, l.used(1), h.looked)
	}
	// The clock of the host is an hour ahead.
	now := time.Now()
	l.report(h, &report{Now: now.Add(time.Hour), Ranks: []state{{Rank: 0, Status: pmi.Status{State: pmi.Waiting, Since: now.Add(time.Hour).UnixNano()}}}})
	if d := time.Duration(l.Status(0).Since - now.UnixNano()); d < 0 || d > time.Minute {
		t.Errorf("it waits since %v from now", d)
	}
	if l.called(nil, &hello{Host: 4}) {
		t.Error("a host that was not called has come")
	}
}

// If a host is lost in a job that continues, the others are told which of its ranks are lost: those that
// had not ended.
func TestRanksLostWithTheirHost(t *testing.T) {
	here, there := connected(t)
	p := &Plan{job: &Job{KeepGoing: true, Hosts: []Host{{Name: "a"}, {Name: "b"}}}, slots: make([]Slot, 4), away: away{hosts: []int{0, 0, 0, 1}}}
	l := newCoordinator(p)
	l.hosts[1].conn, l.hosts[1].ordered = here, true
	l.gone = []departed{{Rank: 1, Wait: uint32(syscall.SIGKILL)}, {Rank: 2, Wait: 0x137f}} // rank 2 was stopped
	l.lose(l.hosts[0], errors.New("silence"))
	var m message
	if err := there.Receive(&m); err != nil || len(m.Ended) != 2 || m.Ended[0].Rank != 0 || m.Ended[1].Rank != 2 || !syscall.WaitStatus(m.Ended[0].Wait).Signaled() {
		t.Errorf("%v, %+v", err, m.Ended)
	}
	w := &watcher{plan: p, ended: []bool{false, true, false, false}}
	if w.lostHost(<-l.lost); len(w.lost) != 2 || w.lost[1].rank != 2 || w.lost[1].text != "lost with its host: silence" || w.cause != nil || w.ended[3] || !w.ended[2] {
		t.Errorf("%+v, %v", w.lost, w.ended)
	}
}
