package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/need"
	"rhinet/internal/netns"
	"rhinet/internal/netnstest"
)

// asMpirun makes a copy of the test program run as mpirun.
const asMpirun = playMpirun + "=1"

// A buffer collects output, and can wait for a text in it.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await waits until a text has appeared n times.
func (b *buffer) await(t *testing.T, text string, n int) {
	t.Helper()
	for start := time.Now(); strings.Count(b.String(), text) < n; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("no %q, but %q", text, b.String())
		}
	}
}

// pretend returns a launcher that starts all daemons on this host.
func pretend(t *testing.T) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "launcher")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nshift\n"+asMpirun+` exec "$@"`+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return script
}

// onHosts runs mpirun with two hosts, both of which are this one.
func onHosts(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	if !slices.Contains(args, "--launcher") {
		args = append([]string{"--launcher", pretend(t)}, args...)
	}
	return mpirun(t, append([]string{"--hosts", "a,b"}, args...)...)
}

func TestOutputOfHosts(t *testing.T) {
	status, out, errs := onHosts(t, "-n", "3", "-l", "-x", "WHO=me", "sh", "-c", `echo $WHO $RHINET_RANK of $RHINET_SIZE on ${RHINET_JOB#* host=}; echo error >&2; printf end`)
	for _, want := range []string{"[0] me 0 of 3 on 0 ", "[1] me 1 of 3 on 0 ", "[2] me 2 of 3 on 1 ", "[2] end\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if status != 0 || strings.Count(errs, "] error\n") != 3 {
		t.Errorf("status %d, %q", status, errs)
	}
	status, out, errs = onHosts(t, "-n", "2", "--merge-stderr-to-stdout", "sh", "-c", "echo out; echo error >&2")
	if status != 0 || strings.Count(out, "error\n") != 2 || errs != "" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// A large output of a rank arrives unchanged, even if it is read slowly.
func TestMuchOutputOfHosts(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := onHosts(t, "-n", "2", "sh", "-c", "test $RHINET_RANK = 0 || exec cat "+file)
	if status != 0 || out != string(text) || errs != "" {
		t.Errorf("status %d, %d bytes, %q", status, len(out), errs)
	}
}

func TestInputOfHosts(t *testing.T) {
	text := strings.Repeat("some input\n", 1<<15)
	cmd := exec.Command(os.Args[0], "--hosts", "a,b", "--launcher", pretend(t), "-n", "2", "cat")
	cmd.Env = append(os.Environ(), asMpirun)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil || string(out) != text {
		t.Errorf("%v, %d bytes", err, len(out))
	}
}

func TestFailuresOnHosts(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-n", "2", "sh", "-c", "test $RHINET_RANK = 1 && exit 7; exec sleep 60"}, 7, "rank 1 (sh, host b, pid "},
		{[]string{"-n", "2", "sh", "-c", "test $RHINET_RANK = 1 && kill -9 $$; exec sleep 60"}, 137, "was killed by signal 9, SIGKILL"},
		{[]string{"-n", "2", "--timeout", "300ms", "sleep", "60"}, 124, "1     (not in MPI)"},
		{[]string{"-n", "2", "--iface", "nothing", "sh"}, 2, "there is no network interface nothing"},
		{[]string{"-n", "2", "--nic", "martini+ofi", "-x", playRank + "=meet Finalize", os.Args[0]}, 1, "build it with -tags ofi"},
		{[]string{"-n", "2", "--keep-going", "--timeout", "2s", "sh", "-c", "test $RHINET_RANK = 1 && exit 7; exec sleep 60"}, 124, "\n1 rank of 2 had died before:\n  rank 1 (sh, host b, pid "},
		{[]string{"-n", "2", "--keep-going", "--timeout", "1m", "-x", playRank + "=meet Finalize", "sh", "-c", "test $RHINET_RANK = 1 && exit 7; exec " + os.Args[0]}, 7, "rank 1, or its host, was lost before all ranks had met"},
		{[]string{"-n", "2", "--launcher", "false", "sh"}, 2, ": false ended with exit status 1 before its daemon called"},
		{[]string{"-n", "2", "--launcher", "/nowhere/ssh", "sh"}, 2, "host a: /nowhere/ssh cannot be started: no such file or directory"},
	} {
		if status, _, errs := onHosts(t, c.args...); status != c.status || !strings.Contains(errs, c.want) {
			t.Errorf("%q: status %d, %q", c.args, status, errs)
		}
	}
}

func TestSignalsReachHosts(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--hosts", "a,b", "--launcher", pretend(t), "-n", "2", "sh", "-c", `trap "echo usr1; exit 0" USR1; echo ready; while :; do sleep 0.05; done`)
	cmd.Env = append(os.Environ(), asMpirun)
	var out buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, "ready\n", 2)
	cmd.Process.Signal(syscall.SIGUSR1)
	if err := cmd.Wait(); err != nil || strings.Count(out.String(), "usr1\n") != 2 {
		t.Errorf("%v, %q", err, out.String())
	}
}

// When mpirun is killed its daemons end, and the ranks.
func TestKilledMpirunLeavesNothingOnHosts(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--hosts", "a,b", "--launcher", pretend(t), "-n", "2", "sh", "-c", `echo $$ $PPID; exec sleep 600`)
	cmd.Env = append(os.Environ(), asMpirun)
	var out buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, "\n", 2)
	cmd.Process.Kill()
	cmd.Wait()
	for _, word := range strings.Fields(out.String()) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		awaitEnd(t, pid)
	}
}

func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); bytes.Contains(stat, []byte(") Z ")) {
			return // it is not reaped here
		}
	}
	t.Errorf("process %d is still there", pid)
}

// A network is a set of hosts that are network namespaces, connected by a switch.
type network struct {
	*netns.Network
	t     *testing.T
	hosts []string
}

// newNetwork makes n hosts.
func newNetwork(t *testing.T, n int) *network {
	t.Helper()
	w := netnstest.Network(t, n)
	return &network{w, t, w.Hosts()}
}

// memcached starts a server on host 0, at its usual port, until end is called.
func (w *network) memcached() (end func()) {
	w.t.Helper()
	cmd := exec.Command("ip", "netns", "exec", w.hosts[0], need.Program(w.t, "memcached"), "-l", "10.77.0.1", "-U", "0", "-m", "16", "-t", "1", "-u", "root")
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	end = sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	w.t.Cleanup(end)
	for start := time.Now(); exec.Command("ip", "netns", "exec", w.hosts[0], "sh", "-c", "ss -Hltn | grep -q 10.77.0.1:11211").Run() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			w.t.Fatal("memcached does not start")
		}
	}
	return end
}

// names lists the first n hosts as --hosts takes them.
func (w *network) names(n int) string { return strings.Join(w.hosts[:n], ",") }

// mpirun returns a command that runs mpirun on host 0.
func (w *network) mpirun(args ...string) *exec.Cmd {
	words := append([]string{"netns", "exec", w.hosts[0], os.Args[0], "--launcher", "env " + asMpirun + " ip netns exec"}, args...)
	cmd := exec.Command("ip", words...)
	cmd.Env = append(os.Environ(), asMpirun)
	return cmd
}

// empty waits until no process is left on any host.
func (w *network) empty() {
	w.t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		left := 0
		for i := range w.hosts {
			left += len(w.processes(i))
		}
		if left == 0 {
			return
		}
	}
	w.t.Error("processes are left on a host")
}

// processes returns the processes that run on a host.
func (w *network) processes(host int) []int {
	w.t.Helper()
	pids, err := w.Processes(host)
	if err != nil {
		w.t.Fatal(err)
	}
	return pids
}

// The program is built here and sent to the hosts.
func TestKernelsOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 4)
	end := w.memcached()
	for _, c := range []struct {
		hosts, ranks int
		flags        []string
		kernels      []string
	}{
		{2, 4, []string{"--kvs", "memcached://10.77.0.1:11211", "-x", "RHINET_DEBUG=contract"}, []string{"is", "cg"}},
		{4, 8, nil, []string{"ep", "is", "cg", "mg", "ft", "lu"}},
		{2, 4, []string{"--nic", "tofu", "-x", "RHINET_DEBUG=checksum"}, []string{"bt", "sp"}},
		{4, 8, []string{"--nic", "martini+ofi", "-x", "RHINET_DEBUG=contract"}, []string{"is", "cg", "ft"}},
		{2, 4, []string{"--nic", "ofi"}, []string{"is", "mg"}},
		{2, 4, []string{"--nic", "tcp"}, []string{"is", "mg"}},
	} {
		args := slices.Concat(c.flags, []string{"--hosts", w.names(c.hosts), "-n", strconv.Itoa(c.ranks), "--timeout", "5m", "../npb", "-class", "S"}, c.kernels)
		var errs bytes.Buffer
		cmd := w.mpirun(args...)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if got := strings.Count(string(out), " Verification    =               SUCCESSFUL\n"); err != nil || got != len(c.kernels) {
			t.Errorf("%d hosts: %v, %d kernels verified; %s", c.hosts, err, got, errs.String())
		}
	}
	end()
	w.empty()
}

// Every benchmark of the suite receives correct data, between ranks of one host and of several.
func TestSuiteOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 4)
	var errs bytes.Buffer
	cmd := w.mpirun("--hosts", w.names(4), "-n", "8", "--timeout", "5m", "-x", "RHINET_DEBUG=contract",
		"../bench", "pmb", "--npmin", "8", "--check", "--repetitions", "1", "--sizes", "0,8,70000", "--format", "csv")
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v, %s%s", err, out, errs.String())
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) < 50 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	defects := slices.Index(rows[0], "defects")
	for _, row := range rows[1:] {
		if defects < 0 || row[defects] != "0" {
			t.Errorf("%q: %q", rows[0], row)
		}
	}
	w.empty()
}

// A rank is killed for which others on its host and on other hosts wait.
func TestKilledRankOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 2)
	cmd := w.mpirun("--hosts", w.names(2), "-n", "4", "--timeout", "5m", "../npb", "-class", "B", "lu")
	var out, errs buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, "Iterations", 1)
	syscall.Kill(w.rank(1, "npb"), syscall.SIGKILL)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 137 || !strings.Contains(errs.String(), "host "+w.hosts[1]+", pid ") || !strings.Contains(errs.String(), "was killed by signal 9") {
		t.Errorf("status %d, %q", status, errs.String())
	}
	w.empty()
}

// Ranks fail on several hosts, and the remaining ones get the right answer; or a host fails, and the ranks
// on others run to their end.
func TestKeepGoingOnHosts(t *testing.T) {
	t.Parallel() // it mostly waits
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 4)
	for _, c := range []struct {
		args []string
		out  string
		want []string
	}{
		{[]string{"--hosts", w.names(4), "-n", "8", "../../examples/recovery"}, "5 ranks are left, and the sum of squares is 332833500\n",
			[]string{"3 ranks of 8 died, 5 went on to the end:", "host " + w.hosts[2] + ", pid ", "killed by signal 9"}},
		{[]string{"--hosts", w.names(2), "-n", "2", "sh", "-c", "test $RHINET_RANK = 1 && echo ready && exec sleep 600; sleep 7; echo end"}, "ready\nend\n",
			[]string{"1 rank of 2 died, 1 went on to the end:", "rank 1 (sh, host " + w.hosts[1], "lost with its host: nothing was heard from it for 5s"}},
	} {
		cmd := w.mpirun(append([]string{"--keep-going", "--timeout", "5m"}, c.args...)...)
		var out, errs buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c.out, "ready") {
			out.await(t, "ready", 1)
			exec.Command("ip", "-n", w.hosts[1], "link", "set", "veth0", "down").Run()
		}
		if err := cmd.Wait(); err != nil || out.String() != c.out {
			t.Errorf("%q: %v, %q", c.args, err, out.String())
		}
		for _, want := range c.want {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("no %q in %q", want, errs.String())
			}
		}
	}
	w.empty()
}

// rank returns the process of a rank on a host that runs a program.
func (w *network) rank(host int, program string) int {
	w.t.Helper()
	for _, pid := range w.processes(host) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if name, _, _ := bytes.Cut(line, []byte{0}); filepath.Base(string(name)) == program {
			return pid
		}
	}
	w.t.Fatalf("no process of %s on host %s", program, w.hosts[host])
	return 0
}

// A daemon of one job and the mpirun that leads another are late, as on a busy machine: their kernels answer,
// and the jobs go on.
func TestLateOnHosts(t *testing.T) {
	t.Parallel() // it mostly waits
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newNetwork(t, 2)
	type job struct {
		cmd       *exec.Cmd
		late      int
		out, errs buffer
	}
	jobs := make([]job, 2)
	for i := range jobs {
		j := &jobs[i]
		j.cmd = w.mpirun("--hosts", w.names(2), "-n", "2", "sh", "-c", "test $RHINET_RANK = 1 && echo $PPID; sleep 8; echo end")
		j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.errs
		if err := j.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		j.out.await(t, "\n", 1)
		fmt.Sscan(j.out.String(), &j.late)
	}
	jobs[1].late = jobs[1].cmd.Process.Pid
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for i := range jobs {
			if err := syscall.Kill(jobs[i].late, sig); err != nil {
				t.Error(err)
			}
		}
		if sig == syscall.SIGSTOP {
			time.Sleep(7 * time.Second)
		}
	}
	for i := range jobs {
		j := &jobs[i]
		if err := j.cmd.Wait(); err != nil || strings.Count(j.out.String(), "end\n") != 2 || j.errs.String() != "" {
			t.Errorf("%v, %q, %s", err, j.out.String(), j.errs.String())
		}
	}
	w.empty()
}

// When any process ends, the job ends soon, names the host, and leaves nothing. At most seven seconds of
// waiting are intended: five of silence, and two for a daemon that cannot be reached.
func TestDeathsOnHosts(t *testing.T) {
	t.Parallel()                   // it mostly waits
	const limit = 40 * time.Second // machines may be busy
	for _, c := range []struct {
		name   string
		do     func(w *network, rank, daemon int)
		status int
		want   []string
	}{
		{"rank", func(_ *network, rank, _ int) { syscall.Kill(rank, syscall.SIGKILL) }, 137, []string{"rank 1 (sh, host HOST, pid ", "was killed by signal 9"}},
		{"daemon", func(_ *network, _, daemon int) { syscall.Kill(daemon, syscall.SIGKILL) }, 1, []string{"host HOST is lost, with rank 1: its daemon has ended (env ended with signal: killed)"}},
		{"link", func(w *network, _, _ int) { exec.Command("ip", "-n", w.hosts[1], "link", "set", "veth0", "down").Run() }, 1, []string{"host HOST is lost, with rank 1: nothing was heard from it for 5s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newNetwork(t, 2)
			cmd := w.mpirun("--hosts", w.names(2), "-n", "2", "sh", "-c", "test $RHINET_RANK = 1 && echo $$ $PPID; exec sleep 600")
			var out, errs buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out.await(t, "\n", 1)
			var rank, daemon int
			fmt.Sscan(out.String(), &rank, &daemon)
			begin := time.Now()
			c.do(w, rank, daemon)
			cmd.Wait()
			if d := time.Since(begin); d > limit {
				t.Errorf("the job ended after %v", d)
			}
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("%v, %q", cmd.ProcessState, errs.String())
			}
			for _, want := range c.want {
				if want = strings.ReplaceAll(want, "HOST", w.hosts[1]); !strings.Contains(errs.String(), want) {
					t.Errorf("no %q in %q", want, errs.String())
				}
			}
			w.empty()
		})
	}
}
