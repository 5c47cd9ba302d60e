package mpi_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/need"
	"rhinet/mpi"
)

// Programs for jobs of several ranks.
func init() {
	programs["descendant"] = func(w *mpi.Comm) error { // a program that a rank starts is alone
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), programVariable+"=good")
		out, err := cmd.Output()
		fmt.Printf("%d: %s", w.Rank(), out)
		return err
	}
	programs["window"] = func(w *mpi.Comm) error {
		win, err := mpi.WinAllocate[int](w, 1)
		if err != nil {
			return err
		}
		if err := win.LockAll(); err != nil {
			return err
		}
		if _, err := win.FetchAndOp(1, 0, 0, mpi.Sum); err != nil {
			return err
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		sum, err := win.FetchAndOp(0, 0, 0, mpi.Sum)
		fmt.Println(w.Rank(), "sum", sum)
		if err == nil {
			err = win.UnlockAll()
		}
		if err == nil {
			err = win.Free()
		}
		return err
	}
	programs["killed"] = func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return mpi.Barrier(w)
	}
	programs["which"] = func(w *mpi.Comm) error {
		app, ok := mpi.AppNum(w)
		fmt.Println(w.Rank(), app, ok)
		return mpi.Barrier(w)
	}
	programs["waits"] = func(w *mpi.Comm) error {
		fmt.Println(os.Getpid())
		_, err := mpi.Recv(w, []int{0}, mpi.AnySource, 0)
		return err
	}
}

// underHydra returns the command that starts ranks of this program by MPICH's launcher.
func underHydra(t *testing.T, ranks int) *exec.Cmd {
	t.Helper()
	return exec.Command(need.Program(t, "mpiexec.hydra"), "-n", fmt.Sprint(ranks), os.Args[0])
}

// A foreignJob is a program that a launcher starts as a job of three ranks, and how it ends.
type foreignJob struct {
	program, env string
	status       int
	lines        []string // sorted; or some of the lines
}

// launched are programs that end in the same way under all launchers.
var launched = []foreignJob{
	{"good", "", 0, []string{"0 3 9", "1 3 9", "2 3 9"}},
	{"good", "RHINET_NIC=martini:pm", 0, []string{"0 3 9", "1 3 9", "2 3 9"}},
	{"good", "RHINET_DEBUG=contract", 0, []string{"0 3 9", "1 3 9", "2 3 9"}},
	{"good", "RHINET_NIC=ethernet", 1, []string{"mpi: Init: RHINET_NIC=ethernet: no such network interface; there is "}},
	{"window", "", 0, []string{"0 sum 3", "1 sum 3", "2 sum 3"}},
	{"descendant", "", 0, []string{"0: 0 1 3", "1: 0 1 3", "2: 0 1 3"}},
	{"aborts", "", 7, nil},
	{"fails", "", 1, []string{": no input file"}},
	{"killed", "", killed, nil},
	{"after", "", 1, []string{"Init can be called only once"}},
}

// The status of a job with a rank that was killed, or terminated.
const (
	killed     = 128 + int(syscall.SIGKILL)
	terminated = 128 + int(syscall.SIGTERM)
)

// run starts the program by a command and checks how it ends. Launchers report a rank
// that failed, or one that they killed because of it.
func (s foreignJob) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, programVariable+"="+s.program, s.env)
	status, out := ended(cmd)
	for range 2 {
		if s.status == 0 || !hydraBroke(status, out) {
			break
		}
		status, out = ended(cmd)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(strings.TrimSuffix(lines[i], "main returned"))
	}
	slices.Sort(lines)
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	good := status == s.status || s.status != 0 && slices.Contains([]int{int(syscall.SIGKILL), killed, terminated}, status)
	good = good && (s.status != 0 || slices.Equal(lines, s.lines))
	for _, l := range s.lines {
		good = good && strings.Contains(string(out), l)
	}
	if !good {
		t.Errorf("%s %s: status %d, %q", s.program, s.env, status, lines)
	}
}

// ended runs a command, again if necessary, to its end.
func ended(cmd *exec.Cmd) (status int, out []byte) {
	again := exec.Command(cmd.Path, cmd.Args[1:]...)
	again.Env = cmd.Env
	out, err := again.CombinedOutput()
	if e, ok := err.(*exec.ExitError); ok {
		status = e.ExitCode()
	}
	return status, out
}

// hydraBroke reports whether MPICH's launcher itself has failed: on a loaded machine
// its proxy may fail when a rank ends badly while others are being started; then its
// status says nothing about the ranks.
func hydraBroke(status int, out []byte) bool {
	return status == 255 && regexp.MustCompile(`(?m)^\[\S+\] \S+ \(\S+:\d+\): assert \(.*\) failed$`).Match(out)
}

// kernels runs kernels of class S, built with tags, by a launcher.
func kernels(t *testing.T, tags string, launch func(args ...string) *exec.Cmd, names ...string) {
	t.Helper()
	if testing.Short() {
		return // a program would be built
	}
	verified(t, launch(append([]string{buildKernels(t, tags), "-class", "S"}, names...)...), len(names))
}

// buildKernels builds the kernels with tags.
func buildKernels(t *testing.T, tags string) string {
	t.Helper()
	npb := filepath.Join(t.TempDir(), "npb")
	build := exec.Command("go", "build", "-tags", tags, "-o", npb, "rhinet/cmd/npb")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return npb
}

// verified runs a command that runs so many kernels, each of which must be verified.
func verified(t *testing.T, cmd *exec.Cmd, kernels int) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if got := strings.Count(string(out), " Verification    =               SUCCESSFUL\n"); err != nil || got != kernels {
		t.Errorf("%v, %d kernels verified: %s", err, got, out)
	}
}

// TestHydra runs ranks that MPICH's launcher has started.
func TestHydra(t *testing.T) {
	for _, tc := range launched {
		tc.run(t, underHydra(t, 3))
	}
	two := underHydra(t, 1)
	two.Args = append(two.Args, ":", "-n", "2", os.Args[0])
	foreignJob{"which", "", 0, []string{"0 0 true", "1 1 true", "2 1 true"}}.run(t, two)
}

// TestHydraIsKilled: ranks whose launcher is gone end, also those that wait.
func TestHydraIsKilled(t *testing.T) {
	launcherIsKilled(t, underHydra(t, 2))
}

// launcherIsKilled kills a command that has started two ranks, and waits for the ranks
// to end.
func launcherIsKilled(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, programVariable+"=waits")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	var pids [2]int
	for i := range pids {
		if _, err := fmt.Fscanln(in, &pids[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		for deadline := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("process %d lives on", pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
	_ = cmd.Wait()
}

// zombie reports whether a process has ended, even if it has not been waited for.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func TestHydraBroke(t *testing.T) {
	const broke = "[proxy:0:0@a] HYD_pmcd_pmip_control_cmd_cb (./pm/pmiserv/pmip_cb.c:480): assert (!closed) failed\n"
	for _, c := range []struct {
		status int
		out    string
		want   bool
	}{
		{255, "0 3 9\n" + broke + "[mpiexec@a] HYDT_bscu_wait_for_completion (./tools/bootstrap/utils/bscu_wait.c:109): terminated badly\n", true},
		{1, broke, false},
		{255, "a rank: assert (x) failed\n", false},
		{255, "[mpiexec@a] HYDT_bscu_wait_for_completion (./tools/bootstrap/utils/bscu_wait.c:109): terminated badly\n", false},
	} {
		if got := hydraBroke(c.status, []byte(c.out)); got != c.want {
			t.Errorf("status %d, %q: %v", c.status, c.out, got)
		}
	}
}
