package fabric

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rhinet/internal/pmi"
)

// child names the part that a copy of the test program plays in a test of two
// processes.
const child = "RHINET_FABRIC_TEST_CHILD"

func TestMain(m *testing.M) {
	if part := os.Getenv(child); part != "" {
		if err := play(part); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is rank 1 of a job of two. It says "ready", and ends when its standard
// input does.
func play(part string) error {
	f, err := Open(3)
	if err != nil {
		return err
	}
	if err := f.Enter(1); err != nil {
		return err
	}
	buf := bytes.Repeat([]byte{0xab}, 3*Piece)
	fmt.Println("ready", Address(buf))
	switch part {
	case "bounce", "fenced bounce":
		if part == "fenced bounce" {
			f.fences.register(f, 1)
		}
		if !bounce(f, 1, 1000, part == "fenced bounce") {
			return errors.New("slept through its bell")
		}
	case "memory":
		_, _ = io.Copy(io.Discard, os.Stdin)
		if buf[Piece] != 0xcd || buf[0] != 0xab {
			return fmt.Errorf("memory holds %x %x", buf[0], buf[Piece])
		}
	}
	if part == "trespass" || part == "vandal" {
		return trespass(f, part)
	}
	f.Publish(1, &pmi.Status{State: pmi.Finalized, Wait: pmi.Wait{Call: part}})
	f.Leave(1)
	return f.Close()
}

// spawn starts rank 1 as a process, waits until it is ready, and returns the address of its buffer
// and a function that ends it and checks its result.
func spawn(t *testing.T, file *os.File, part string) (cmd *exec.Cmd, address uint64, end func() error) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+part)
	cmd.ExtraFiles = []*os.File{file}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = in.Close() })
	r := bufio.NewReader(out)
	line, _ := r.ReadString('\n')
	if _, err := fmt.Sscanf(line, "ready %d", &address); err != nil {
		t.Fatalf("rank 1 says %q", line)
	}
	return cmd, address, func() error {
		_ = in.Close()
		rest, _ := io.ReadAll(r)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, rest)
		}
		return nil
	}
}

func create(t *testing.T, ranks int) (*os.File, *Fabric) { return createIn(t, ranks, Default()) }

// crowded is create for ranks that share processors.
func crowded(t *testing.T, ranks int) (*os.File, *Fabric) {
	g := Default()
	g.Ring.Spread = false
	return createIn(t, ranks, g)
}

func createIn(t *testing.T, ranks int, g Geometry) (*os.File, *Fabric) {
	t.Helper()
	file, err := Create(ranks, g)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Map(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(); _ = file.Close() })
	return file, f
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestLargestJobTakesNoMemoryUntilTouched(t *testing.T) {
	file, f := create(t, MaxRanks)
	f.Words(MaxRanks-1, Control)[0] = 1
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	if have := st.Blocks * 512; st.Size < 1<<32 || have > 64<<10 {
		t.Fatalf("%d bytes take %d", st.Size, have)
	}
	if err := file.Truncate(PageBytes); err == nil {
		t.Fatal("the memory can be shrunk")
	}
}

func TestOpenTakesTheDescriptor(t *testing.T) {
	before := descriptors(t)
	file, err := Create(2, Small())
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(fd)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Shared() || f.Ranks() != 2 || f.Geometry() != Small() {
		t.Fatalf("%+v", f.layout)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
		t.Fatal("the descriptor is still open")
	}
	if err := errors.Join(f.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if after := descriptors(t); after != before {
		t.Fatalf("%d descriptors before, %d after", before, after)
	}
}

func TestOpenRefusesWhatIsNoFabric(t *testing.T) {
	memfd := func(size int64, add int, header []byte) *os.File {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Fatal(err)
		}
		file := os.NewFile(uintptr(fd), "test")
		_ = file.Truncate(size)
		_, _ = file.WriteAt(header, 0)
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, add)
		return file
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]*os.File{
		"/dev/null":  null,
		"not sealed": memfd(1<<20, unix.F_SEAL_GROW, nil),
		"too short":  memfd(10, unix.F_SEAL_SHRINK, nil),
		"empty":      memfd(1<<20, unix.F_SEAL_SHRINK, nil),
	} {
		if f, err := Map(file); err == nil {
			t.Errorf("%s: mapped %d ranks", name, f.Ranks())
		}
		_ = file.Close()
	}
	if _, err := Open(-1); err == nil {
		t.Error("opened descriptor -1")
	}
	if _, err := Open(1 << 20); err == nil {
		t.Error("opened a descriptor that is not open")
	}
}

// TestNoWakeUpIsLostBetweenProcesses: no wake-up is lost between ranks that share processors, whichever side
// fences: until every rank is registered it is the ringer, then the sleeper. Sleeps are long in either case.
func TestNoWakeUpIsLostBetweenProcesses(t *testing.T) {
	for _, part := range []string{"bounce", "fenced bounce"} {
		t.Run(part, func(t *testing.T) {
			file, f := crowded(t, 2)
			if err := f.Enter(0); err != nil {
				t.Fatal(err)
			}
			if part == "fenced bounce" {
				f.fences.register(f, 0)
			} else {
				f.fences.end() // this side never registers
			}
			_, _, end := spawn(t, file, part)
			if !bounce(f, 0, 1000, part == "fenced bounce") {
				t.Error("slept through its bell")
			}
			if err := end(); err != nil {
				t.Error(err)
			}
			if s, ok := f.Status(1); !ok || s.State != pmi.Finalized || s.Call != part {
				t.Errorf("status %+v, %v", s, ok)
			}
			if f.Bell(0).nap && barrier() {
				t.Error("slept short although somebody fences")
			}
		})
	}
}

func TestRanksAreRegisteredInTheBackground(t *testing.T) {
	_, f := create(t, 2)
	d := f.Bell(0)
	short := func() bool { d.Arm(); d.Disarm(); return d.nap }
	if short() != d.reached || d.reached != barrierKnown() {
		t.Errorf("a short sleep: %v; ringers fence: %v; barriers: %v", d.nap, !d.reached, barrierKnown())
	}
	if len(f.fences.timers) != 0 {
		t.Error("who only looks at the memory is to be registered")
	}
	for rank := range 2 {
		if err := f.Enter(rank); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.fences.timers) != 2 {
		t.Errorf("%d ranks of 2 are to be registered", len(f.fences.timers))
	}
	if !barrierReady() {
		t.Skip("this kernel has no barriers")
	}
	f.fences.register(f, 0)
	f.fences.register(f, 0) // counts once
	for start := time.Now(); atomic.LoadUint64(f.fenced()) < 2; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("ranks were not registered in the background")
		}
	}
	if n := atomic.LoadUint64(f.fenced()); n != 2 {
		t.Errorf("%d ranks of 2 are registered", n)
	}
	if short() {
		t.Error("a short sleep although every rank can be fenced")
	}
	d.blind = true
	if !short() {
		t.Error("a long sleep although the kernel refused a barrier")
	}
}

// TestRingersFenceWhereRanksShareProcessors: there sleeps are long, also while nobody is registered.
func TestRingersFenceWhereRanksShareProcessors(t *testing.T) {
	_, f := crowded(t, 1)
	d := f.Bell(0)
	if d.Arm(); d.nap || d.reached {
		t.Errorf("a short sleep: %v; ringers fence: %v", d.nap, !d.reached)
	}
	if d.Ring(); d.reached || d.Asleep() {
		t.Errorf("rung: ringers fence no more: %v; asleep: %v", d.reached, d.Asleep())
	}
}

func TestNobodyIsRegisteredAfterClose(t *testing.T) {
	file, f := create(t, 1)
	g, err := Map(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Enter(0); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g.fences.register(g, 0)
	if n := *f.fenced(); n != 0 {
		t.Errorf("%d ranks registered", n)
	}
}

// TestSpent: the time that ranks compute is counted, in this process and in others; a process that
// has ended no longer counts.
func TestSpent(t *testing.T) {
	const near = 20 * time.Millisecond // accounts of the kernel are in ticks
	_, f := create(t, 3)
	if got := f.Spent(); got != 0 {
		t.Errorf("%v before anybody has entered", got)
	}
	parent := os.Getppid()
	atomic.StoreUint64(&f.Words(1, Front)[wordProcess], uint64(parent))
	atomic.StoreUint64(&f.Words(2, Front)[wordProcess], 1<<31-1) // no process
	theirs := f.Spent()
	if theirs <= 0 {
		t.Fatal("the parent of this process has spent nothing")
	}
	if err := f.Enter(0); err != nil {
		t.Fatal(err)
	}
	own := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for before := own(); own() < before+4*near; {
	}
	low, got, high := own()+theirs-near, f.Spent(), own()+spentBy(parent)+near
	if got < low || got > high {
		t.Errorf("%v, want %v to %v", got, low, high)
	}
	if n := testing.AllocsPerRun(10, func() { f.Spent() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	f.Leave(0)
	if got, high := f.Spent(), spentBy(parent); got < theirs || got > high {
		t.Errorf("%v after this process has left, want %v to %v", got, theirs, high)
	}
}

// TestSleepAfterARingIsShort: only a sleep that follows one that nothing ended is fenced, and long.
func TestSleepAfterARingIsShort(t *testing.T) {
	_, f := create(t, 1)
	if err := f.Enter(0); err != nil {
		t.Fatal(err)
	}
	f.fences.register(f, 0)
	if !barrierKnown() {
		t.Skip("this kernel has no barriers")
	}
	d := f.Bell(0)
	sleep := func(rung, short bool, when string) {
		t.Helper()
		if d.Arm(); d.nap != short {
			t.Errorf("%s: short %v", when, d.nap)
		}
		if rung {
			d.Ring()
		}
		d.Sleep(napLimit / 4)
		d.Disarm()
	}
	sleep(true, false, "first")
	sleep(true, true, "after a ring")
	sleep(false, true, "after another one")
	sleep(false, false, "after a sleep that nothing ended")
	sleep(true, false, "after another one")
	if d.Arm(); !d.nap { // and looks once more, and finds something
		t.Error("after a ring: long")
	}
	d.Disarm()
	sleep(false, true, "after no sleep")
}

func TestSleepIsShortWithoutBarriers(t *testing.T) {
	_, f := create(t, 1)
	d := f.Bell(0)
	d.blind = true
	d.Arm()
	took(t, "a sleep that may be missed", 0, time.Second, func() { d.Sleep(long) })
	d.Disarm()
}

func TestMemoryOfAnotherProcess(t *testing.T) {
	file, f := create(t, 2)
	cmd, at, end := spawn(t, file, "memory")
	pid := f.Process(1)
	if pid != cmd.Process.Pid {
		t.Fatalf("process %d, want %d", pid, cmd.Process.Pid)
	}
	if err := f.Probe(1); err != nil {
		t.Skipf("this kernel refuses: %v", err)
	}
	into := make([]byte, 3*Piece)
	if n, err := ReadProcess(pid, at, into); n != len(into) || err != nil || into[len(into)-1] != 0xab {
		t.Fatalf("read %d: %v", n, err)
	}
	if n, err := WriteProcess(pid, at+Piece, bytes.Repeat([]byte{0xcd}, Piece)); n != Piece || err != nil {
		t.Fatalf("wrote %d: %v", n, err)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = ReadProcess(pid, at, into) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n, err := ReadProcess(pid, 16, into); n != 0 || !errors.Is(err, syscall.EFAULT) {
		t.Errorf("read %d at no address: %v", n, err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if n, err := ReadProcess(pid, at, into); n != 0 || !errors.Is(err, syscall.ESRCH) {
		t.Errorf("read %d of a process that has ended: %v", n, err)
	}
	if err := f.Probe(1); !errors.Is(err, ErrAbsent) {
		t.Errorf("probe of a rank that has left: %v", err)
	}
	w := f.Words(1, Front)
	w[wordProcess], w[wordProcess+1] = uint64(os.Getpid()), Address(into)
	if err := f.Probe(1); !errors.Is(err, ErrForeign) {
		t.Errorf("probe of a process that is no rank: %v", err)
	}
	w[wordProcess+1] = 16
	if err := f.Probe(1); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("probe at no address: %v", err)
	}
}

func TestYama(t *testing.T) {
	for _, c := range []struct {
		scope      string
		privileged bool
		ok         bool
	}{{"0\n", false, true}, {"1", false, true}, {"2\n", false, false}, {"2\n", true, true}, {"3\n", true, false}, {"?", true, false}} {
		if err := yama([]byte(c.scope), c.privileged); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := AttachPolicy(); err != nil && !strings.Contains(err.Error(), "yama") {
		t.Error(err)
	}
	_ = mayTrace()
}
