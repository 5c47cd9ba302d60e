package martini

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"rhinet/nicemu/fabric"
)

// child names the part that a copy of the test program plays.
const child = "RHINET_MARTINI_TEST_CHILD"

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

// play is rank 1 of a job of three. It announces its served memory, and ends when its standard
// input does.
func play(part string) error {
	f, err := fabric.Open(3)
	if err != nil {
		return err
	}
	defer f.Close()
	if part == "poor" {
		return poor(f)
	}
	n, err := Open(f, 1, Options{})
	if err != nil {
		return err
	}
	defer n.Close()
	s, err := serve(n, 40*page)
	if err != nil {
		return err
	}
	if part == "hole" {
		if err := punch(n, s); err != nil {
			return err
		}
	}
	fmt.Print(s.announce())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	if err := s.untouched(); err != nil {
		return err
	}
	if _, wrong := n.Refused(WrongJob); part == "strangers" && wrong == 0 {
		return errors.New("no request of another job was counted here")
	}
	return nil
}

// punch has s serve memory whose second half is pinned but not mapped, as may happen if a process
// unmaps it without telling its NIC.
func punch(n *NIC, s *served) error {
	mem, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	if s.good, err = n.Expose(mem); err != nil {
		return err
	}
	return syscall.Mprotect(mem[2*page:], syscall.PROT_NONE)
}

// poor runs without the privilege to access its peers' memory.
func poor(f *fabric.Fabric) error {
	if _, err := Open(f, 1, Options{Attach: On}); !errors.Is(err, syscall.EPERM) || f.Process(1) != 0 {
		return fmt.Errorf("attach is insisted on, and Open says %v", err)
	}
	n, err := Open(f, 1, Options{})
	if err != nil {
		return err
	}
	defer n.Close()
	if !n.Remote() {
		return errors.New("ranks do not agree")
	}
	var line string
	for i := range f.Words(0, fabric.Control) {
		line += fmt.Sprintf(" %d", f.Words(0, fabric.Control)[i])
	}
	r, err := hear(0, "ready"+line)
	if err != nil {
		return err
	}
	for _, a := range accesses() {
		b := make([]byte, 8)
		err := a.do(n, 0, r.good, 0, b)
		if !errors.Is(err, NoAccess) || !errors.Is(err, fs.ErrPermission) || !errors.Is(err, syscall.EPERM) || b[0] != 0 {
			return fmt.Errorf("%s: %v", a.name, err)
		}
	}
	fmt.Println("ready")
	return nil
}

// A job is one of three ranks: 0 and 2 here, 1 in a process of its own.
type job struct {
	n, stranger *NIC
	file        *os.File
	whole       *fabric.Fabric
	cmd         *exec.Cmd
	in          io.WriteCloser
	out         *bufio.Reader
	line        string
}

func newJob(t *testing.T, o Options) *job {
	t.Helper()
	file, err := fabric.Create(3, fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	f, err := fabric.Map(file)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{file: file}
	whole, err := fabric.Map(file) // as a launcher maps it, without being a rank
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = whole.Close() })
	m, err := Manage(whole)
	if err == nil {
		err = m.Admit(2, 0xbad)
	}
	if err != nil {
		t.Fatal(err)
	}
	j.whole = whole
	if j.n, err = Open(f, 0, o); err != nil {
		t.Fatal(err)
	}
	if o.Job = 0xbad; err == nil {
		j.stranger, err = Open(f, 2, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = errors.Join(j.n.Close(), j.stranger.Close())
		_ = errors.Join(f.Close(), file.Close())
	})
	return j
}

// spawn starts rank 1 and reads its announcement.
func (j *job) spawn(t *testing.T, part string, attr *syscall.SysProcAttr) {
	t.Helper()
	j.cmd = exec.Command("/proc/self/exe")
	j.cmd.Env = append(os.Environ(), child+"="+part)
	j.cmd.ExtraFiles = []*os.File{j.file}
	j.cmd.SysProcAttr = attr
	in, err := j.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.cmd.Process.Kill(); _ = in.Close() })
	j.in, j.out = in, bufio.NewReader(out)
	if j.line, _ = j.out.ReadString('\n'); !strings.HasPrefix(j.line, "ready") {
		t.Fatalf("rank 1 says %q", j.line)
	}
}

// end ends rank 1 and checks its result.
func (j *job) end(t *testing.T) {
	t.Helper()
	_ = j.in.Close()
	rest, _ := io.ReadAll(j.out)
	if err := j.cmd.Wait(); err != nil {
		t.Errorf("rank 1: %v: %s", err, rest)
	}
}

func (j *job) served(t *testing.T) remote {
	t.Helper()
	r, err := hear(1, j.line)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// attached skips the test if the kernel does not permit cross-memory attach.
func (j *job) attached(t *testing.T) {
	t.Helper()
	if err := j.n.f.Probe(1); err != nil {
		t.Skipf("this kernel refuses cross-memory attach: %v", err)
	}
}

func TestMovesBetweenProcesses(t *testing.T) {
	j := newJob(t, Options{})
	j.spawn(t, "serve", nil)
	j.attached(t)
	testMoves(t, j.n, j.served(t))
	j.end(t)
}

func TestRefusalsBetweenProcesses(t *testing.T) {
	j := newJob(t, Options{})
	j.spawn(t, "strangers", nil)
	j.attached(t)
	testRefusals(t, j.n, j.stranger, j.served(t))
	j.end(t)
}

func TestLargeMovesBetweenProcesses(t *testing.T) {
	j := newJob(t, Options{Attach: On})
	s, r := between(t, j.n, 1000*page)
	// This rank's memory, in the way in which another process accesses it.
	j.n.f.Lend(0, j.n.last, nil)
	into := make([]byte, r.size)
	if err := pulled(j.n, 0, r.good, 0, into); err != nil || !bytes.Equal(into, s.mem) {
		t.Fatalf("pull of %d bytes: %v", len(into), err)
	}
	for i := range into {
		into[i] ^= 0xff
	}
	if err := pushed(j.n, 0, r.good, 0, into); err != nil || !bytes.Equal(into, s.mem) {
		t.Fatalf("push of %d bytes: %v", len(into), err)
	}
}

func TestNoAttachBetweenProcesses(t *testing.T) {
	j := newJob(t, Options{Attach: Off})
	j.spawn(t, "serve", nil)
	r := j.served(t)
	for _, a := range accesses() {
		if err := a.do(j.n, 1, r.good, 0, make([]byte, 8)); !errors.Is(err, NoAccess) {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	if _, err := j.n.Window(0).Swap(1, 0, 0, 1); err != nil {
		t.Errorf("the fabric is out of reach: %v", err)
	}
	j.end(t)
}

func TestMemoryThatIsNotThere(t *testing.T) {
	j := newJob(t, Options{})
	j.spawn(t, "hole", nil)
	j.attached(t)
	r := j.served(t)
	var refusal *Refusal
	for _, a := range accesses()[:2] {
		err := a.do(j.n, 1, r.good, page, make([]byte, 2*page))
		if !errors.As(err, &refusal) || !errors.Is(err, Fault) || !errors.Is(err, syscall.EFAULT) || refusal.Moved != page {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	j.end(t)
}

func TestProcessThatIsGone(t *testing.T) {
	j := newJob(t, Options{})
	j.spawn(t, "serve", nil)
	j.attached(t)
	r := j.served(t)
	if err := j.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = j.cmd.Wait()
	for _, a := range accesses() {
		if err := a.do(j.n, 1, r.good, 0, make([]byte, 8)); !errors.Is(err, Gone) {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	if err := j.n.Next().Botf(&Packet{Type: PacketPullResponse, Node: 1, PID: 1, Local: r.address, Payload: make([]byte, 8)}); !errors.Is(err, Gone) {
		t.Errorf("response: %v", err)
	}
	j.whole.Leave(1)
	if err := pulled(j.n, 1, r.good, 0, make([]byte, 8)); !errors.Is(err, Gone) {
		t.Errorf("from a rank that never was: %v", err)
	}
}

// TestAloneInItsProcess: a rank that lends nothing to others can access its own memory, also
// without the kernel.
func TestAloneInItsProcess(t *testing.T) {
	for _, a := range []Attach{Off, Auto} {
		file, err := fabric.Create(2, fabric.Default())
		if err != nil {
			t.Fatal(err)
		}
		whole, err1 := fabric.Map(file)
		f, err2 := fabric.Map(file)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if _, err = Manage(whole); err != nil {
			t.Fatal(err)
		}
		n, err := Open(f, 1, Options{Attach: a})
		if err != nil {
			t.Fatal(err)
		}
		if !f.Alone() {
			t.Error("one rank of two processes is not alone")
		}
		_, r := between(t, n, 20*page)
		testMoves(t, n, r)
		extent := n.own.segment(r.good.SID()).load(entHint)
		if f.Borrow(1, int(extent)) != nil {
			t.Error("memory is lent that nobody can borrow")
		}
		if err := errors.Join(n.Close(), f.Close(), whole.Close(), file.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestKernelRefuses has a rank without privilege access the memory of a privileged one.
func TestKernelRefuses(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	j := newJob(t, Options{})
	if !j.n.Remote() {
		t.Skip("this kernel refuses cross-memory attach to all")
	}
	s, _ := between(t, j.n, page)
	copy(j.n.f.Words(0, fabric.Control), []uint64{
		uint64(len(s.mem)), uint64(s.good), uint64(s.stale), uint64(s.unpinned), uint64(s.half), fabric.Address(s.mem),
	})
	j.spawn(t, "poor", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
	j.end(t)
	if s.mem[0] != pattern(0) {
		t.Error("bytes moved")
	}
	if _, arrived := j.n.Refused(NoAccess); arrived != uint64(len(accesses())) {
		t.Errorf("%d refusals counted here", arrived)
	}
}
