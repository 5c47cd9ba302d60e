package launcher

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/kvstest"
	"rhinet/internal/need"
	"rhinet/internal/slurmtest"
)

func TestMain(m *testing.M) {
	kvstest.Main(m, map[string]func() error{"1": func() error { return play("1") }, "2": func() error { return play("2") }})
}

// play is what a rank does that a real launcher has started, which uses the given version of PMI.
func play(version string) error {
	getenv := func(name string) string {
		if v := os.Getenv(name); v != "" || name != envStep || version == "1" {
			return v
		}
		return "0"
	}
	if !Speaks(getenv) {
		return errors.New("no launcher")
	}
	c, err := Open(getenv)
	if err != nil {
		return err
	}
	return kvstest.Live(c, c.name)
}

// TestHydra runs the conformance tests under MPICH's launcher, which supports both versions.
func TestHydra(t *testing.T) {
	hydra := need.Program(t, "mpiexec.hydra")
	for version, name := range map[string]string{"1": "hydra's PMI-1", "2": "Slurm's PMI-2"} {
		for _, ranks := range []int{1, 3} {
			kvstest.Lived(t, exec.Command(hydra, "-n", fmt.Sprint(ranks), os.Args[0]), version, make([]int, ranks), name)
		}
	}
}

// TestSlurm runs the conformance tests under Slurm's launcher, also with ranks on two nodes.
func TestSlurm(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Here(2))
	for _, hosts := range [][]int{{0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1, 1}} {
		nodes := fmt.Sprint(hosts[len(hosts)-1] + 1)
		cmd := c.Srun("--mpi=pmi2", "-N", nodes, "-n", fmt.Sprint(len(hosts)), os.Args[0])
		kvstest.Lived(t, cmd, "2", hosts, "Slurm's PMI-2")
	}
}

// A fake is the other end of a connection: a launcher with fixed answers.
type fake struct {
	net.Conn
	answers map[string]string // the answers, by the beginning of the request
	end     chan struct{}
}

// pretend connects a client to a fake launcher.
func pretend(t *testing.T, w wire, patience time.Duration, answers map[string]string) (*Client, *fake, error) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fds[1]), "launcher")
	other, err := net.FileConn(file)
	file.Close()
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{Conn: other, answers: answers, end: make(chan struct{})}
	go f.serve()
	c, err := open(fds[0], 0, 2, w, "the fake", patience)
	t.Cleanup(func() { other.Close(); <-f.end })
	return c, f, err
}

func (f *fake) serve() {
	defer close(f.end)
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		if err != nil {
			return
		}
		asked := strings.TrimLeft(string(buf[:n]), "0123456789 ")
		for begin, answer := range f.answers {
			if strings.HasPrefix(asked, "cmd="+begin) {
				f.Write([]byte(answer))
			}
		}
	}
}

// good returns the answers of a launcher at the start, by version.
func good(version int) map[string]string {
	if version == 1 {
		return map[string]string{
			"init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n", "get_my": "cmd=my_kvsname kvsname=kvs_1\n",
			"put": "cmd=put_result rc=0 msg=success\n", "finalize": "cmd=finalize_ack\n",
		}
	}
	return map[string]string{
		"init": "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n", "fullinit": frame("cmd=fullinit-response;rc=0;rank=0;size=2;"),
		"kvs-put": frame("cmd=kvs-put-response;rc=0;"), "finalize": frame("cmd=finalize-response;rc=0;"),
	}
}

func newWire(version int) wire {
	if version == 1 {
		return new(pmi1)
	}
	return new(pmi2)
}

// TestAppNum: a launcher tells which program the process runs, or does not (MPI 4.1, section 11.10.3).
func TestAppNum(t *testing.T) {
	for _, row := range []struct {
		version int
		answer  string
		n       int
		ok      bool
	}{
		{1, "cmd=appnum rc=0 appnum=2\n", 2, true}, {1, "cmd=appnum rc=0 appnum=-1\n", -1, false}, {1, "cmd=unknown rc=-1\n", 0, false},
		{2, frame("cmd=fullinit-response;rc=0;appnum=3;"), 3, true}, {2, frame("cmd=fullinit-response;rc=0;"), 0, false},
	} {
		answers := good(row.version)
		answers[[...]string{1: "get_appnum", 2: "fullinit"}[row.version]] = row.answer
		c, _, err := pretend(t, newWire(row.version), time.Minute, answers)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok, err := c.AppNum(); err != nil || n != row.n || ok != row.ok {
			t.Errorf("version %d, %q: %d %v %v", row.version, row.answer, n, ok, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	c, _, err := pretend(t, new(pmi1), 100*time.Millisecond, good(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.AppNum(); !errors.Is(err, kvs.ErrLost) {
		t.Error("a launcher that does not answer:", err)
	}
}

// A launcher that is silent from the beginning, or after one of its first answers.
func TestLauncherIsSilentAtStart(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, missing := range []string{"init", "get_my", "fullinit"} {
			answers := good(version)
			if answers[missing] == "" {
				continue
			}
			delete(answers, missing)
			kvstest.LostAtStart(t, "the fake", func() (kvs.Store, error) {
				c, _, err := pretend(t, newWire(version), 100*time.Millisecond, answers)
				return c, err
			})
		}
	}
}

// A launcher that ends, and one that is silent where it must answer at once.
func TestLauncherIsLost(t *testing.T) {
	for _, version := range []int{1, 2} {
		c, f, err := pretend(t, newWire(version), time.Minute, good(version))
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan bool)
		c.Gone(func() { close(gone) })
		kvstest.Lost(t, []kvs.Store{c, nothing{}}, "the fake", func() { f.Close() })
		<-gone

		c, _, err = pretend(t, newWire(version), time.Minute, good(version))
		if err != nil {
			t.Fatal(err)
		}
		c.Gone(func() { t.Error("a launcher that the rank has left is gone") })
		c.patience = 100 * time.Millisecond
		for _, err := range []error{second(c.Get("k")), c.Put("k", nil)} {
			if !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), "the fake: no answer") {
				t.Error(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

type nothing struct{ kvs.Store }

func (nothing) Close() error { return nil }

func second[T any](_ T, err error) error { return err }

func TestAbort(t *testing.T) {
	for version, want := range map[int]string{
		1: "cmd=abort exitcode=7\n", 2: frame("cmd=abort;isworld=TRUE;msg=a rank has called Abort with status 7;"),
	} {
		answers := good(version)
		c, f, err := pretend(t, newWire(version), time.Minute, answers)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		<-f.end
		c.Abort(7) // without a launcher
		if got := c.wire.abort(7); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		c.Close()
	}
}

// Launchers whose answers are wrong.
func TestWrongAnswers(t *testing.T) {
	long := strings.Repeat("x", 2*longestMessage)
	for _, c := range []struct {
		version     int
		asked, says string
		want        string
	}{
		{1, "init", "cmd=response_to_init pmi_version=0 pmi_subversion=0 rc=-1\n", "rc=-1"},
		{1, "init", "hello\n", `answers "hello"`},
		{1, "init", long, "buffer full"},
		{1, "put", "cmd=put_result rc=-1 msg=full\n", "msg=full"},
		{1, "get ", "cmd=barrier_out\n", `answers "cmd=barrier_out"`},
		{1, "barrier_in", "cmd=get_result\n", `answers "cmd=get_result"`},
		{1, "get ", "cmd=get_result rc=0 value=?\n", "rhinet has not put this"},
		{1, "get ", "cmd=get_result rc=0 value=v?\n", "illegal base64"},
		{1, "get ", "cmd=get_result rc=0\n", "rhinet has not put this"},
		{2, "init", "cmd=response_to_init rc=1\n", `answers "cmd=response_to_init rc=1"`},
		{2, "fullinit", frame("cmd=fullinit-response;rc=14;errmsg=no;;no;"), `answers "no;no"`},
		{2, "fullinit", "abcdef", "the length of a message is no number"},
		{2, "fullinit", "    -1", "the length of a message is no number"},
		{2, "kvs-put", frame("cmd=kvs-get-response;rc=0;"), "kvs-get-response"},
		{2, "kvs-get", frame("cmd=kvs-get-response;flag=TRUE;rc=0;value=1;"), "rhinet has not put this"},
		{2, "kvs-get", frame("cmd=;"), "cmd="},
	} {
		answers := good(c.version)
		answers[c.asked] = c.says
		client, _, err := pretend(t, newWire(c.version), time.Minute, answers)
		if err == nil {
			switch c.asked {
			case "put", "kvs-put":
				err = client.Put("k", nil)
			case "barrier_in":
				err = client.Fence()
			default:
				err = second(client.Get("k"))
			}
			client.patience = time.Millisecond
			client.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s %.40q: %v; want %s", c.version, c.asked, c.says, err, c.want)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for want, env := range map[string]map[string]string{
		`PMI_RANK is "": a launcher sets it to a number`:    {envFD: "900"},
		`PMI_FD is "x": a launcher`:                         {envFD: "x"},
		`PMI_SIZE is "-1": a launcher`:                      {envFD: "900", envRank: "0", envSize: "-1"},
		"PMI_RANK=2 does not fit PMI_SIZE=2":                {envFD: "900", envRank: "2", envSize: "2"},
		"hydra's PMI-1: PMI_FD=900 is not an open descrip":  {envFD: "900", envRank: "0", envSize: "2"},
		"Slurm's PMI-2: PMI_FD=900 is not an open descript": {envFD: "900", envRank: "0", envSize: "2", envStep: "0"},
	} {
		if _, err := Open(func(name string) string { return env[name] }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if Speaks(func(string) string { return "" }) {
		t.Error("a launcher in an empty environment")
	}
}

func TestMapping(t *testing.T) {
	for text, want := range map[string][]int{
		"(vector,(0,1,4))":           {0, 0, 0, 0},
		"(vector,(0,2,2))":           {0, 0, 1, 1},
		"(vector,(0,2,1))":           {0, 1, 0, 1},
		"(vector, (0,1,1), (1,1,3))": {0, 1, 1, 1},
		"(vector,(1,1,1),(0,1,1))":   {1, 0, 1, 0},
		"(vector,(0,1,100))":         {0, 0, 0, 0},
	} {
		if got, err := parseMapping(text, 4); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "(vector,)", "(vector)", "(vector,(0,1))", "(vector,(0,1,4)", "(vector,(0,0,1))", "(vector,(0,1,0))", "(vector,(-1,1,1))",
		"(vector,(9,1,1))", "(vector,(0,1,4)x)", "(list,(0,1,4))", "(vector,0,1,4)"} {
		if got, err := parseMapping(text, 4); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
