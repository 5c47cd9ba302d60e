package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/mpi"
)

// The parts that a copy of the test program plays in these tests.
const (
	playMpirun = "RHINET_TEST_MPIRUN" // not empty: it is mpirun
	playRank   = "RHINET_TEST_RANK"   // it is a rank, and does what the value says
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(playMpirun) != "":
		os.Unsetenv(playMpirun)
		main()
	case strings.HasPrefix(os.Getenv(playRank), "end "):
		endIn(os.Getenv(playRank)[len("end "):])
	case os.Getenv(playRank) != "":
		mpi.Main(play)
	default:
		// Tests that run in parallel mostly wait, so more of them than processors should, unless a flag says
		// otherwise. They start mpirun as a process: within this one it collects the ends of processes that
		// others wait for.
		if err := flag.Set("test.parallel", "6"); err != nil {
			panic(err)
		}
		status := m.Run()
		os.RemoveAll(builds.dir) // nothing happens if none has been built
		os.Exit(status)
	}
}

// play is what a rank does. Rank 1 lets the others wait.
func play(world *mpi.Comm) error {
	if what, found := strings.CutPrefix(os.Getenv(playRank), "differ "); found {
		return differ(world, what)
	}
	if what, found := strings.CutPrefix(os.Getenv(playRank), "virtual "); found {
		return liveVirtually(world, what)
	}
	if what, found := strings.CutPrefix(os.Getenv(playRank), "observed "); found {
		return liveObserved(world, what)
	}
	if number, found := strings.CutPrefix(os.Getenv(playRank), "named "); found {
		return waitNamed(world, number)
	}
	if what, found := strings.CutPrefix(os.Getenv(playRank), "begin "); found {
		what, inVain := strings.CutPrefix(what, "in vain ")
		return beginAndCompute(world, what, inVain)
	}
	if what, found := strings.CutPrefix(os.Getenv(playRank), "limited "); found {
		return waitLimited(world, what)
	}
	if how, found := strings.CutPrefix(os.Getenv(playRank), "recover "); found {
		return recovers(world, how)
	}
	part := os.Getenv(playRank)
	switch part {
	case "compute":
		time.Sleep(computing)
		return nil
	case "free and compute":
		return freeAndCompute(world)
	case "leave and compute":
		return leaveAndCompute(world)
	case "which program":
		app, ok := mpi.AppNum(world)
		fmt.Println(world.Rank(), app, ok)
		return nil
	case "two die":
		return twoRanksDie(world)
	case "revoke a window":
		return revokeAWindow(world)
	case "tuned":
		return liveTuned(world)
	case "huge pages":
		return liveInHugePages(world)
	case "rings":
		return liveWithRings(world)
	case "locks alone":
		return locksBoth(world, mpi.LockExclusive)
	case "locks shared":
		return locksBoth(world, mpi.LockShared)
	}
	_, call, _ := strings.Cut(part, " ")
	win, err := windowFor(world, call)
	if err != nil {
		return err
	}
	if err := mpi.Barrier(world); err != nil {
		return err
	}
	if err := offerPartitions(world, call); err != nil {
		return err
	}
	if world.Rank() == 1 {
		othersSleep()
	}
	switch {
	case world.Rank() == 1 && strings.HasPrefix(part, "exit "):
		os.Exit(3)
	case world.Rank() == 1 && strings.HasPrefix(part, "leave "):
		os.Exit(0)
	case world.Rank() == 1 && strings.HasPrefix(part, "kill "):
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	all, few := make([]float64, 10000), make([]int, 1)
	switch call {
	case "Lock", "Lock of own memory":
		return win.Lock(mpi.LockShared, 0)
	case "LockAll":
		return win.LockAll()
	case "Fence":
		return win.Fence()
	case "Start", "Wait of a window":
		one, err := groupOfOne(world)
		if err != nil {
			return err
		}
		if call == "Start" {
			return win.Start(one)
		}
		return errors.Join(win.Post(one), win.Wait())
	case "Wait before Pready":
		r, err := mpi.PsendInit(world, few, 1, 1, 7)
		if err != nil {
			return err
		}
		if err := r.Start(); err != nil {
			return err
		}
		_, err = r.Wait()
		return err
	case "Barrier":
		return mpi.Barrier(world)
	case "Allreduce":
		return mpi.Allreduce(world, few, few, mpi.Sum)
	case "Bcast":
		return mpi.Bcast(world, all, 1)
	case "Recv":
		_, err := mpi.Recv(world, few, 1, 7)
		return err
	case "Finalize":
		return nil
	case "Wait":
		_, err := mpi.Irecv(world, few, mpi.AnySource, mpi.AnyTag).Wait()
		return err
	case "WaitAll":
		return mpi.WaitAll(mpi.Irecv(world, few, 1, 7))
	case "Sendrecv":
		_, err := mpi.Sendrecv(world, few, world.Rank(), 8, all, 1, 7)
		return err
	}
	return fmt.Errorf("no part %q", part)
}

// windowFor creates the window for a call that needs one. In the windows for locks, rank 1 holds an
// exclusive lock on rank 0.
func windowFor(world *mpi.Comm, call string) (win *mpi.Win[int], err error) {
	switch call {
	case "Lock", "LockAll", "Fence", "Start", "Wait of a window":
		win, err = mpi.WinAllocate[int](world, 1)
	case "Lock of own memory":
		win, err = mpi.WinCreate(world, make([]int, 1))
	}
	if err == nil && strings.HasPrefix(call, "Lock") && world.Rank() == 1 {
		err = win.Lock(mpi.LockExclusive, 0)
	}
	return win, err
}

// offerPartitions has rank 1 take part in what the others send in partitions.
func offerPartitions(world *mpi.Comm, call string) error {
	if call != "Wait before Pready" || world.Rank() != 1 {
		return nil
	}
	for _, from := range []int{0, 2} {
		if _, err := mpi.PrecvInit(world, make([]int, 1), 1, from, 7); err != nil {
			return err
		}
	}
	return nil
}

// groupOfOne returns the group of rank 1.
func groupOfOne(world *mpi.Comm) (*mpi.Group, error) {
	all, err := world.Group()
	if err != nil {
		return nil, err
	}
	return all.Incl(1)
}

// othersSleep returns when the other ranks of the job sleep in a wait, which they have recorded by then.
func othersSleep() {
	parent := os.Getppid()
	for asleep := 0; asleep < 3; time.Sleep(5 * time.Millisecond) {
		asleep++
		children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		for _, file := range children {
			text, _ := os.ReadFile(file)
			for pid := range strings.FieldsSeq(string(text)) {
				if pid != fmt.Sprint(os.Getpid()) && !sleeps(pid) {
					asleep = 0
				}
			}
		}
	}
}

// sleeps reports whether every thread of a process sleeps.
func sleeps(pid string) bool {
	files, _ := filepath.Glob("/proc/" + pid + "/task/*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if !strings.HasPrefix(string(text[strings.LastIndexByte(string(text), ')')+1:]), " S") {
			return false
		}
	}
	return true
}

// Whatever ends a job, the message says how it ended and in which calls the others waited, by the names
// that users know.
func TestWhatOthersWaitedIn(t *testing.T) {
	for _, c := range []struct {
		part   string
		status int
		how    string
		others string
	}{
		{"exit Barrier", 3, "exited with status 3", "ranks 0,2 waiting in Barrier for "},
		{"leave Barrier", 1, "exited with status 0 without Finalize while others wait", "ranks 0,2 waiting in Barrier for "},
		{"kill Barrier", 137, "was killed by signal 9, SIGKILL (killed)", "ranks 0,2 waiting in Barrier for "},
		{"exit Allreduce", 3, "exited with status 3", "ranks 0,2 waiting in Allreduce for "},
		{"exit Bcast", 3, "exited with status 3", " waiting in Bcast (peer 1, 80000 bytes) for "},
		{"exit Recv", 3, "exited with status 3", "ranks 0,2 waiting in Recv (peer 1, tag 7, 8 bytes) for "},
		{"exit Wait", 3, "exited with status 3", "ranks 0,2 waiting in Wait (peer any, tag any, 8 bytes) for "},
		{"exit WaitAll", 3, "exited with status 3", "ranks 0,2 waiting in WaitAll (peer 1, tag 7, 8 bytes) for "},
		{"exit Sendrecv", 3, "exited with status 3", "ranks 0,2 waiting in Sendrecv (peer 1, tag 7, 80000 bytes) for "},
		{"kill Lock", 137, "was killed by signal 9, SIGKILL (killed)", "ranks 0,2 waiting in Lock (peer 1) for "},
		{"kill Lock of own memory", 137, "was killed by signal 9, SIGKILL (killed)", "ranks 0,2 waiting in Lock (peer 1) for "},
		{"leave LockAll", 1, "exited with status 0 without Finalize while others wait", "ranks 0,2 waiting in LockAll (peer 1) for "},
		{"kill Fence", 137, "was killed by signal 9, SIGKILL (killed)", "ranks 0,2 waiting in Fence for "},
		{"exit Wait before Pready", 3, "exited with status 3", "ranks 0,2 waiting in Wait (PsendInit, no Pready of 0) for "},
		{"exit Start", 3, "exited with status 3", "ranks 0,2 waiting in Start (window world.win1, peer 1, 0 bytes) for "},
		{"exit Wait of a window", 3, "exited with status 3", "ranks 0,2 waiting in Wait (window world.win1, peer 1, 0 bytes) for "},
		{"exit Finalize", 3, "exited with status 3", "ranks 0,2 waiting in Finalize for "},
	} {
		t.Run(c.part, func(t *testing.T) {
			status, _, err := mpirun(t, "-n", "3", "-x", playRank+"="+c.part, os.Args[0])
			if status != c.status || !strings.HasPrefix(err, "mpirun: rank 1 (") || !strings.Contains(err, c.how+"; the job was ended with\n") ||
				!strings.Contains(err, c.others) {
				t.Errorf("status %d, %s", status, err)
			}
		})
	}
}

// If a rank itself has reported why it ends, no other reason is reported: a failed Init is neither a
// Finalize nor a panic.
func TestRanksThatRefuse(t *testing.T) {
	const failed = `mpi: Init: RHINET_`
	for name, c := range map[string]struct {
		script string // of rank 1
		status int
		says   string // what rank 1 itself reports
		how    string
	}{
		"wrong job":          {`RHINET_JOB=x exec "$0"`, 1, failed + `JOB is "x": `, "exited with status 1; the job was ended"},
		"wrong attach":       {`RHINET_CMA=x exec "$0"`, 1, "RHINET_CMA: ", "exited with status 1; the job was ended"},
		"wrong algorithm":    {`RHINET_COLL=bcast=x exec "$0"`, 1, failed + "COLL: ", "exited with status 1; the job was ended"},
		"wrong, status zero": {`RHINET_COLL=bcast=x "$0"; exit 0`, 1, failed + "COLL: ", "exited with status 0 without a successful Init while others wait; "},
		"before Init":        {`exit 2`, 2, "", "exited with status 2; the job was ended"},
		"after Finalize":     {`"$0"; exit 3`, 3, "", "exited with status 3 after Finalize; the job was ended\n"},
	} {
		t.Run(name, func(t *testing.T) {
			part := "refuse Barrier"
			if name == "after Finalize" {
				part = "meet Finalize"
			}
			status, _, err := mpirun(t, "-n", "2", "-x", playRank+"="+part, "sh", "-c", `test $RHINET_RANK = 0 && exec "$0"; `+c.script, os.Args[0])
			said, blamed, _ := strings.Cut(err, "mpirun: ")
			if status != c.status || !strings.Contains(said, c.says) || strings.Count(said, "\n") > 1 ||
				!strings.HasPrefix(blamed, "rank 1 (sh, pid ") || !strings.Contains(blamed, c.how) {
				t.Errorf("status %d, %s", status, err)
			}
		})
	}
}

// running is a job that is running, with a program that no other job runs.
type running struct {
	*exec.Cmd
	program string
	scratch string // its temporary directory
	errors  *strings.Builder
	ended   chan error
}

// start starts ranks of the benchmarks under an mpirun of its own, in a private temporary directory, and
// returns when all are at work.
func start(t *testing.T, ranks int) *running {
	t.Helper()
	program := built(t, "rhinet/cmd/npb")
	r := &running{program: program, scratch: t.TempDir(), errors: new(strings.Builder), ended: make(chan error, 1)}
	r.Cmd = exec.Command(os.Args[0], "-n", fmt.Sprint(ranks), program, "-class", "B", "lu")
	r.Env = append(os.Environ(), playMpirun+"=1", "TMPDIR="+r.scratch)
	r.Stderr = r.errors
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	go func() { r.ended <- r.Wait() }()
	begin := time.Now()
	for len(r.alive()) < ranks {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d ranks of %d run", len(r.alive()), ranks)
		}
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // into the computation
	return r
}

// alive returns the processes that run the program, by rank.
func (r *running) alive() map[string]int {
	found := map[string]int{}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		if exe, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || strings.TrimSuffix(exe, " (deleted)") != r.program {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		var pid int
		fmt.Sscanf(dir, "/proc/%d", &pid)
		for _, e := range strings.Split(string(env), "\x00") {
			if rank, ok := strings.CutPrefix(e, "RHINET_RANK="); ok {
				found[rank] = pid
			}
		}
	}
	return found
}

// named lists the named files, except the program, that rank processes have open or mapped.
func (r *running) named() (files []string) {
	for _, pid := range r.alive() {
		maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		for _, f := range regexp.MustCompile(`/(dev/shm|tmp|var)/\S*`).FindAllString(string(maps), -1) {
			if f != r.program {
				files = append(files, f)
			}
		}
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); strings.HasPrefix(to, "/dev/shm/") || strings.HasPrefix(to, "/tmp/") {
				files = append(files, to)
			}
		}
	}
	return files
}

// over waits until nothing of the job is left, which must take less than a second.
func (r *running) over(t *testing.T) {
	t.Helper()
	begin := time.Now()
	select {
	case <-r.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("mpirun goes on")
	}
	for len(r.alive()) > 0 {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("ranks go on: %v", r.alive())
		}
		time.Sleep(time.Millisecond)
	}
	if d := time.Since(begin); d > time.Second {
		// This does not apply if the machine is busy with something else: then a job that does nothing also
		// takes long.
		begin = time.Now()
		mpirun(t, "-n", "4", "true")
		if idle := time.Since(begin); d > time.Second+10*idle {
			t.Errorf("the end took %v, where a job that does nothing takes %v", d, idle)
		}
	}
	if left, err := os.ReadDir(r.scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestKilledRankEndsTheBenchmark(t *testing.T) {
	r := start(t, 4)
	if files := r.named(); len(files) > 0 {
		t.Errorf("ranks use files that would stay: %q", files)
	}
	if err := syscall.Kill(r.alive()["2"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.over(t)
	// A rank may detect itself that its peer is gone, and report it first.
	message := regexp.MustCompile(`(?m)^mpirun: rank 2 \(.*npb, pid \d+\) was killed by signal 9, SIGKILL.*; the job was ended with\n` +
		`(  ranks? [0-9,-]+ (computing|aborted|waiting in [A-Z]\w+ .*)\n)+\z`)
	if got := r.errors.String(); r.ProcessState.ExitCode() != 137 || !message.MatchString(got) {
		t.Errorf("status %d, %s", r.ProcessState.ExitCode(), got)
	}
}

func TestKilledMpirunEndsTheBenchmark(t *testing.T) {
	r := start(t, 4)
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.over(t)
}

// TestTooLittleAddressSpace: there is one line instead of what the Go runtime prints when it cannot get
// memory.
func TestTooLittleAddressSpace(t *testing.T) {
	for _, kib := range []int{1750000, 1780000} {
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" -n 8 -x %s="meet Finalize" "$0"`, kib, playRank), os.Args[0])
		cmd.Env = append(os.Environ(), playMpirun+"=1")
		out, err := cmd.CombinedOutput()
		want := fmt.Sprintf("address space, but the limit is %d MiB; raise it with ulimit -v\n", kib>>10)
		if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(string(out), "\n") != 1 || !strings.HasSuffix(string(out), want) {
			t.Errorf("%d KiB: %v, %s", kib, err, out)
		}
	}
}
