//go:build pmix

package pmix

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/kvstest"
	"rhinet/internal/need"
	"rhinet/internal/slurmtest"
)

func TestMain(m *testing.M) {
	kvstest.Main(m, map[string]func() error{"exercise": exercise, "abandoned": abandoned, "unanswered": unanswered, "silent": silent})
}

func exercise() error {
	if !Speaks(os.Getenv) {
		return errors.New("no launcher")
	}
	c, err := Open()
	if err != nil {
		return err
	}
	return kvstest.Live(c, name)
}

// exercised checks the reports of the ranks that a command starts on the given hosts.
func exercised(t *testing.T, cmd *exec.Cmd, hosts []int) {
	t.Helper()
	kvstest.Lived(t, cmd, "exercise", hosts, name)
}

// openMPI returns a command of Open MPI's launcher, without the part of its daemons that shares the
// topology of the machine: it looks for a free range of addresses and sometimes writes where there is none.
func openMPI(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(need.Program(t, "mpirun.openmpi"), append([]string{"--allow-run-as-root", "--oversubscribe", "--mca", "rtc", "^hwloc"}, args...)...)
}

// TestOpenMPI runs the conformance tests under Open MPI's launcher.
func TestOpenMPI(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		exercised(t, openMPI(t, "-n", fmt.Sprint(ranks), os.Args[0]), make([]int, ranks))
	}
	// Each daemon has a directory for temporary files, as on a machine of its own: in one, each stumbles at its end
	// over files that the other is removing.
	agent := filepath.Join(t.TempDir(), "agent")
	text := "#!/bin/sh\nTMPDIR=${0%/*}/$1\nexport TMPDIR\nmkdir -p $TMPDIR\nshift\nexec sh -c \"$*\"\n"
	if err := os.WriteFile(agent, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	exercised(t, openMPI(t, "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, "--host", "a:2,b:2", "-n", "3", os.Args[0]), []int{0, 0, 1})
}

// TestSlurm runs the conformance tests under Slurm's launcher, also with ranks on two nodes.
func TestSlurm(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Here(2))
	for _, hosts := range [][]int{{0}, {0, 0, 0}, {0, 0, 1}} {
		nodes := fmt.Sprint(hosts[len(hosts)-1] + 1)
		exercised(t, c.Srun("--mpi=pmix", "-N", nodes, "-n", fmt.Sprint(len(hosts)), os.Args[0]), hosts)
	}
}

// abandoned is a rank whose launcher is killed while it waits for the others.
func abandoned() error {
	c, err := Open()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(os.Getenv("RHINET_TEST_LOG"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	gone := make(chan bool)
	c.Gone(func() { close(gone) })
	fmt.Fprintln(out, "pid", os.Getpid(), os.Getppid())
	if c.Rank() == 0 {
		<-gone
	}
	fmt.Fprintln(out, "fence:", c.Fence())
	<-gone
	_, err = c.Get("k")
	fmt.Fprintln(out, "put:", c.Put("k", nil))
	fmt.Fprintln(out, "get:", err)
	fmt.Fprintln(out, "close:", c.Close())
	return nil
}

// TestLauncherIsKilled: every call then returns an error that names the lost store.
func TestLauncherIsKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := openMPI(t, "-n", "2", os.Args[0])
	cmd.Env = append(os.Environ(), kvstest.PlayVariable+"=abandoned", "RHINET_TEST_LOG="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await := func(text string, n int) string {
		for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			said, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(said), text) == n {
				return string(said)
			}
			if time.Since(start) > time.Minute {
				t.Fatalf("no %q in %q", text, said)
			}
		}
	}
	await("pid", 2)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	said := await("close: <nil>\n", 2)
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		what, text, _ := strings.Cut(lines.Text(), ": ")
		if lost := strings.HasPrefix(text, kvs.Lost(name, errors.New("")).Error()); !lost && what != "close" && !strings.HasPrefix(what, "pid") {
			t.Errorf("%q", lines.Text())
		}
	}
}

// unanswered is a rank that requests a value that is never put, and does not wait for it.
func unanswered() error {
	c, err := Open()
	if err != nil {
		return err
	}
	if c.Rank() > 0 {
		<-c.gone // puts nothing until the job has ended
	}
	patience := c.patience
	c.patience = 100 * time.Millisecond
	_, err = c.ask(c.self.peer(1), "rhinet.nothing")
	if !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), name+": PMIx_Get rhinet.nothing: no answer") {
		return fmt.Errorf("the error is: %w", err)
	}
	fmt.Println("good")
	c.patience = patience
	c.Abort(7)
	return nil
}

// TestNoAnswer: a server that does not answer counts as lost, like one that has ended. The rank then tells
// it to end the job.
func TestNoAnswer(t *testing.T) {
	cmd := openMPI(t, "-n", "2", os.Args[0])
	cmd.Env = append(os.Environ(), kvstest.PlayVariable+"=unanswered")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 7 || !strings.HasPrefix(string(out), "good\n") {
		t.Errorf("%v, %q", err, out)
	}
}

// silent is a rank whose server sends nothing.
func silent() error {
	_, err := open(100 * time.Millisecond)
	if !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), name+": PMIx_Init: no answer") {
		return fmt.Errorf("the error is: %w", err)
	}
	return nil
}

// TestServerIsSilentAtStart: a rank does not wait for a server that sends nothing from the beginning.
func TestServerIsSilentAtStart(t *testing.T) {
	server := "job.0;tcp4://" + kvstest.Silent(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), kvstest.PlayVariable+"=silent", envNamespace+"=job", envRank+"=0", "PMIX_SERVER_URI41="+server, "PMIX_SERVER_URI4="+server,
		"PMIX_SECURITY_MODE=native", "PMIX_GDS_MODULE=hash", "PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_NON_DESC")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v, %s", err, out)
	}
}

// TestNoLauncher: a process that no launcher has started reports what is missing.
func TestNoLauncher(t *testing.T) {
	if Speaks(os.Getenv) || Speaks(func(n string) string { return map[string]string{envRank: "0"}[n] }) {
		t.Error("a launcher in an empty environment")
	}
	kvstest.LostAtStart(t, name+": PMIx_Init: ", func() (kvs.Store, error) { return Open() })
}
