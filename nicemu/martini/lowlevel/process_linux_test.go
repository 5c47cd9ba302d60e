package lowlevel

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// child is the rank that a copy of the test program plays.
const child = "RHINET_LOWLEVEL_TEST_CHILD"

func TestMain(m *testing.M) {
	if rank := os.Getenv(child); rank != "" {
		if err := play(rank); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(text string) error {
	f, err := fabric.Open(3)
	if err != nil {
		return err
	}
	if text == busy {
		return compute(f)
	}
	rank, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	return member(f, rank)
}

func member(f *fabric.Fabric, rank int) error {
	return errors.Join(with(f, rank, scenario), f.Close())
}

func TestScenarioBetweenProcesses(t *testing.T) {
	file, err := fabric.Create(3, fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	manage(t, file)
	var children []*exec.Cmd
	for rank := 1; rank < 3; rank++ {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), child+"="+strconv.Itoa(rank))
		c.ExtraFiles = []*os.File{file}
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	f, err := fabric.Map(file)
	if err == nil {
		err = member(f, 0)
	}
	if err != nil {
		t.Error(err)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// busy is the part of rank 1 in TestLockGoesOnWithoutItsRepresentative.
const busy = "busy"

// compute represents two locks, has held one and holds the other, and then makes no call until its
// standard input ends.
func compute(f *fabric.Fabric) error {
	return with(f, 1, func(l *Library) error {
		if err := errors.Join(l.InitLock(0, 1), l.InitLock(1, 1), l.Lock(0), l.Unlock(0), l.Lock(1)); err != nil {
			return err
		}
		fmt.Println("ready")
		_, err := io.Copy(io.Discard, os.Stdin)
		return errors.Join(err, l.Unlock(1))
	})
}

// with opens the library of a rank for f.
func with(f *fabric.Fabric, rank int, do func(l *Library) error) error {
	nic, err := martini.Open(f, rank, martini.Options{})
	if err != nil {
		return err
	}
	l, err := Open(nic, Options{Policy: wait.For(3, 2, false), Alive: patience()})
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close(), nic.Close())
}

// TestLockGoesOnWithoutItsRepresentative stops the process that represents a lock and held it last;
// other processes can still take the lock. A lock that the stopped process holds they get once it
// runs again.
func TestLockGoesOnWithoutItsRepresentative(t *testing.T) {
	file, err := fabric.Create(3, fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	manage(t, file)
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), child+"="+busy)
	c.ExtraFiles = []*os.File{file}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill() }()
	said := bufio.NewReader(out)
	if line, _ := said.ReadString('\n'); line != "ready\n" {
		t.Fatalf("rank 1 says %q", line)
	}
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	f, err := fabric.Map(file)
	if err != nil {
		t.Fatal(err)
	}
	var all, free sync.WaitGroup
	var wrong [2]error
	var counter atomic.Int64 // protected by lock 0, so not incremented atomically; the race detector does not know shared memory
	free.Add(2)
	for i, rank := range []int{0, 2} {
		all.Go(func() {
			did := sync.OnceFunc(free.Done)
			defer did()
			wrong[i] = with(f, rank, func(l *Library) error {
				err := errors.Join(l.InitLock(0, 1), l.InitLock(1, 1))
				for range 500 {
					err = errors.Join(err, l.Lock(0))
					counter.Store(counter.Load() + 1)
					err = errors.Join(err, l.Unlock(0))
				}
				did()
				return errors.Join(err, l.Lock(1), l.Unlock(1))
			})
		})
	}
	free.Wait()
	_ = c.Process.Signal(syscall.SIGCONT)
	_ = in.Close()
	all.Wait()
	rest, _ := io.ReadAll(said)
	if err := errors.Join(wrong[0], wrong[1], c.Wait(), f.Close()); err != nil || counter.Load() != 1000 {
		t.Errorf("%d times: %v: %s", counter.Load(), err, rest)
	}
}

// manage registers the processes of a job, as a launcher does.
func manage(t *testing.T, file *os.File) {
	t.Helper()
	f, err := fabric.Map(file)
	if err == nil {
		_, err = martini.Manage(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
