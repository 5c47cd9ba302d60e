package launch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rhinet/internal/pmi"
)

// The test binary runs as any part: if one variable is set it is a rank, if another is set it is a launcher
// in a process of its own.
const (
	playRank   = "LAUNCH_TEST_RANK"
	playMpirun = "LAUNCH_TEST_MPIRUN"
)

func TestMain(m *testing.M) {
	// Ranks built for the race detector would take a second to end.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	switch {
	case os.Getenv(playMpirun) != "":
		os.Exit(mpirunMain(os.Getenv(playMpirun)))
	case os.Getenv(playRank) != "":
		rankMain(os.Args[1:])
		os.Exit(0)
	}
	// Under nohup, which may run the tests, ranks would ignore SIGHUP. A signal that is caught has its
	// default effect in the programs started.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	os.Exit(m.Run())
}

// A fakeFabric is a file with a line of JSON per rank.
type fakeFabric struct{ file *os.File }

const fakeLine = 256

func openFake(ranks int) (Fabric, error) {
	file, err := os.CreateTemp("/tmp", "launch-test")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name())
	return &fakeFabric{file}, file.Truncate(int64(ranks) * fakeLine)
}

func (f *fakeFabric) File() *os.File { return f.file }
func (f *fakeFabric) Close() error   { return f.file.Close() }

// Begin is in the past: ranks report that they have waited for a second.
func (f *fakeFabric) MarkFailed(int)   {}
func (f *fakeFabric) Begin() time.Time { return time.Now().Add(-time.Hour) }

func (f *fakeFabric) Status(rank int) (s pmi.Status) {
	line := make([]byte, fakeLine)
	f.file.ReadAt(line, int64(rank)*fakeLine)
	json.Unmarshal(bytes.TrimRight(line, "\x00 "), &s)
	return s
}

// grown matches a wait of one second that has become a little longer by the time it is printed.
var grown = regexp.MustCompile(`\b[1-9]\.\ds\b|\b[2-9]s\b`)

// publish does what a rank's runtime would do.
func publish(s pmi.Status) {
	line, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	rank, _ := strconv.Atoi(os.Getenv("RHINET_RANK"))
	inheritedFabric().WriteAt(append(line, bytes.Repeat([]byte{' '}, fakeLine-len(line))...), int64(rank)*fakeLine)
}

// inheritedFabric is the fabric as a rank sees it.
var inheritedFabric = sync.OnceValue(func() *os.File { return os.NewFile(fabricFD, "fabric") })

// rankMain executes a rank's script: words such as print=hello, preceded by a rank and a colon if only that
// rank is to execute it.
func rankMain(script []string) {
	me := os.Getenv("RHINET_RANK")
	for _, step := range script {
		if who, rest, ok := strings.Cut(step, ":"); ok {
			if _, err := strconv.Atoi(who); err == nil {
				if who != me {
					continue
				}
				step = rest
			}
		}
		verb, arg, _ := strings.Cut(step, "=")
		act(verb, arg)
	}
}

func act(verb, arg string) {
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "print":
		fmt.Println(arg)
	case "raw":
		text, _ := strconv.Unquote(`"` + arg + `"`)
		os.Stdout.WriteString(text)
	case "err":
		fmt.Fprintln(os.Stderr, arg)
	case "lines": // many lines, each by several writes
		for i := range n {
			os.Stdout.WriteString(os.Getenv("RHINET_RANK") + strings.Repeat("x", i%50))
			os.Stdout.WriteString("-end\n")
		}
	case "long": // one long line, by several writes
		for range 10 {
			os.Stdout.WriteString(strings.Repeat(os.Getenv("RHINET_RANK"), n/10))
		}
		os.Stdout.WriteString("\n")
	case "env":
		fmt.Println(arg + "=" + os.Getenv(arg))
	case "dir":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "pid":
		fmt.Println("pid", os.Getpid())
	case "stdin":
		data, err := io.ReadAll(os.Stdin)
		fmt.Printf("%q %v\n", data, err)
	case "sleep":
		d, _ := time.ParseDuration(arg)
		time.Sleep(d)
	case "exit":
		os.Exit(n)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.Signal(n))
		time.Sleep(time.Minute)
	case "fault": // as a C program does it; Go's runtime would make a panic of it
		syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ())
	case "panic":
		panic(arg)
	case "state":
		publish(pmi.Status{State: pmi.State(n)})
	case "world": // in the world, and what the number of a state says
		publish(pmi.Status{State: pmi.State(n), World: true})
	case "wait": // wait=Recv,peer,tag,bytes, and "world" if it is there
		var s pmi.Status
		f := strings.Split(arg, ",")
		s.State, s.Call, s.Since = pmi.Waiting, f[0], time.Now().Add(-time.Second).UnixNano()
		s.Peer, _ = strconv.Atoi(f[1])
		s.Tag, _ = strconv.Atoi(f[2])
		s.Bytes, _ = strconv.ParseInt(f[3], 10, 64)
		s.World = len(f) > 4
		publish(s)
	case "await": // until n ranks have published something
		f := &fakeFabric{inheritedFabric()}
		for have := 0; have < n; time.Sleep(time.Millisecond) {
			have = 0
			for r := range n {
				if f.Status(r).State != pmi.Outside {
					have++
				}
			}
		}
	case "child": // a grandchild of the launcher, which stays
		cmd := exec.Command("sleep", "60")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Println("child", cmd.Process.Pid)
	case "life": // ends when the launcher does
		os.NewFile(lifeFD, "life").Read(make([]byte, 1))
		os.Exit(0)
	case "trap":
		trap(arg)
	case "files":
		fmt.Println("files", inherited())
	default:
		step, ok := steps[verb]
		if !ok {
			panic("no such step: " + verb)
		}
		step()
	}
}

// steps are those that exist on one system only.
var steps = map[string]func(){}

// inherited lists the descriptors of this process without close-on-exec. The Go runtime opens none like
// that, so they come from the parent.
func inherited() []int {
	var list []int
	for fd := range 1024 {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			list = append(list, fd)
		}
	}
	return list
}

// self returns a part of a job that runs this test binary with a script.
func self(t testing.TB, ranks int, script ...string) Part {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Part{Ranks: ranks, Program: exe, Args: script, Env: []string{playRank + "=1"}}
}

// job makes a job of parts.
func job(parts ...Part) *Job {
	return &Job{Name: "mpirun", Parts: parts, MaxRanks: 1024, NIC: "martini", Open: openFake}
}

// A result is the outcome of a job.
type result struct {
	status   int
	out, err string
	took     time.Duration
}

// run runs a job to its end and checks that it left nothing.
func run(t testing.TB, j *Job) result {
	t.Helper()
	plan, err := Prepare(j)
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	var stdout, stderr lockedBuffer
	if j.Stdout == nil {
		j.Stdout = &stdout
	}
	if j.Stderr == nil {
		j.Stderr = &stderr
	}
	begin := time.Now()
	status := plan.Run()
	return result{status, stdout.String(), stderr.String(), time.Since(begin)}
}

// A lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// want checks a result: its status, and texts that its error output contains.
func (r result) want(t testing.TB, status int, texts ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d\nstdout: %s\nstderr: %s", r.status, status, r.out, r.err)
	}
	for _, text := range texts {
		if !strings.Contains(r.err, text) {
			t.Errorf("message lacks %q:\n%s", text, r.err)
		}
	}
}

// mpirunMain runs as a launcher in a process of its own: the job is given as JSON.
func mpirunMain(text string) int {
	os.Unsetenv(playMpirun)
	j := job()
	if err := json.Unmarshal([]byte(text), j); err != nil {
		panic(err)
	}
	j.Open, j.Stdin, j.Stdout, j.Stderr = openFake, os.Stdin, os.Stdout, os.Stderr
	plan, err := Prepare(j)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mpirun:", err)
		return StatusUsage
	}
	return plan.Run()
}

// A process is a running launcher.
type process struct {
	*exec.Cmd
	out, err lockedBuffer
}

// command prepares a launcher in a process of its own.
func command(t testing.TB, j *Job) *process {
	t.Helper()
	spec := struct {
		Parts   []Part
		Tag     bool
		Timeout time.Duration
	}{j.Parts, j.Tag, j.Timeout}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(exe)}
	p.Env = append(os.Environ(), playMpirun+"="+string(text))
	p.Stdout, p.Stderr = &p.out, &p.err
	return p
}

// spawn starts a launcher.
func spawn(t testing.TB, j *Job) *process {
	t.Helper()
	p := command(t, j)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

// await waits until the launcher's output has n lines that begin with prefix, and returns what follows the
// prefix.
func (p *process) await(t testing.TB, n int, prefix string) []string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var found []string
		for line := range strings.Lines(p.out.String()) {
			if rest, ok := strings.CutPrefix(line, prefix); ok && strings.HasSuffix(line, "\n") {
				found = append(found, strings.TrimSpace(rest))
			}
		}
		if len(found) >= n {
			return found
		}
	}
	t.Fatalf("%q did not come %d times:\n%s\n%s", prefix, n, p.out.String(), p.err.String())
	return nil
}

// finish waits for the launcher's end.
func (p *process) finish(t testing.TB) result {
	t.Helper()
	begin := time.Now()
	err := p.Wait()
	status := p.ProcessState.ExitCode()
	if status < 0 {
		t.Logf("launcher: %v", err)
	}
	return result{status, p.out.String(), p.err.String(), time.Since(begin)}
}

// gone checks that processes end soon.
func gone(t testing.TB, pids []string) {
	t.Helper()
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(2 * time.Second)
		for lives(pid) {
			if time.Now().After(deadline) {
				t.Errorf("process %d lives on", pid)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// lives reports whether a process exists and is no zombie.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	after := string(stat[bytes.LastIndexByte(stat, ')')+1:])
	return !strings.HasPrefix(after, " Z") && !strings.HasPrefix(after, " X")
}
