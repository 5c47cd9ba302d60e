// Package slurmtest runs a Slurm for a test: munged, slurmctld, and a slurmd for each node. Key, sockets,
// state and logs are in a temporary directory, ports are free ones, and everything belongs to the user who
// runs the test; no system service is needed or changed.
package slurmtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rhinet/internal/need"
)

// A Node is a host of a cluster.
type Node struct {
	Name    string
	Address string
	Enter   []string // prefix of commands that run there, such as ip netns exec NAME; empty: this host
}

// Here returns n nodes that are this host.
func Here(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Node{Name: fmt.Sprintf("node%d", i), Address: "127.0.0.1"}
	}
	return nodes
}

// A Cluster is a running Slurm.
type Cluster struct {
	t     *testing.T
	dir   string
	nodes []Node
}

const (
	confVariable = "SLURM_CONF"
	// tasks is how many ranks a node takes, independent of its processors.
	tasks    = 64
	patience = time.Minute
)

// Start starts a cluster, which ends with the test together with everything that runs on it. The first node
// has the controller. Without Slurm the test is skipped, or fails if CI is set.
func Start(t *testing.T, nodes []Node) *Cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // a path that is short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: dir, nodes: nodes}
	t.Cleanup(c.end)
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sinfo", "srun"} {
		if find(name) == "" {
			need.Missing(t, name+" is not installed (Debian: apt-get install slurm-wlm)")
		}
	}
	if err := c.configure(); err != nil {
		t.Fatal(err)
	}
	c.daemon(Node{}, "munged", "--foreground", "--key-file="+c.path("munge.key"), "--socket="+c.path("munge.socket"),
		"--pid-file="+c.path("munge.pid"), "--log-file="+c.path("munge.log"), "--seed-file="+c.path("munge.seed"))
	c.await("munged", func() bool { _, err := os.Stat(c.path("munge.socket")); return err == nil })
	c.daemon(nodes[0], "slurmctld", "-D")
	for _, n := range nodes {
		c.daemon(n, "slurmd", "-D", "-N", n.Name)
	}
	c.await("slurmctld", func() bool {
		out, err := c.Command("sinfo", "-h", "-N", "-o", "%T").Output()
		return err == nil && strings.Count(string(out), "idle\n") == len(nodes)
	})
	return c
}

// find returns the path of a program, also in directories that only administrators have in their PATH.
func find(name string) string {
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// configure writes the configuration of the daemons.
func (c *Cluster) configure() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		return err
	}
	ports, err := freePorts(1 + len(c.nodes))
	if err != nil {
		return err
	}
	conf := strings.NewReplacer("HOST", host, "ADDRESS", c.nodes[0].Address, "PORT", strconv.Itoa(ports[0]), "USER", me.Username, "DIR", c.dir).Replace(config)
	for i, n := range c.nodes {
		conf += fmt.Sprintf("NodeName=%s NodeHostname=%s NodeAddr=%s Port=%d CPUs=%d\n", n.Name, host, n.Address, ports[1+i], tasks)
		for _, sub := range []string{"tmp." + n.Name, "spool." + n.Name} {
			if err := os.Mkdir(c.path(sub), 0o755); err != nil {
				return err
			}
		}
	}
	conf += "PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE\n"
	key := make([]byte, 128)
	_, _ = rand.Read(key) // never fails
	return errors.Join(os.Chmod(c.dir, 0o755), os.Mkdir(c.path("state"), 0o755), os.WriteFile(c.path("munge.key"), key, 0o600),
		os.WriteFile(c.path("cgroup.conf"), []byte("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n"), 0o644),
		os.WriteFile(c.path("slurm.conf"), []byte(conf), 0o644))
}

// config is slurm.conf without nodes; words in capitals are replaced. It needs no cgroups, database or
// root.
const config = `ClusterName=test
SlurmctldHost=HOST(ADDRESS)
SlurmctldPort=PORT
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=DIR/munge.socket
StateSaveLocation=DIR/state
SlurmctldPidFile=DIR/slurmctld.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdPidFile=DIR/slurmd.%n.pid
SlurmdSpoolDir=DIR/spool.%n
TmpFS=DIR/tmp.%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/linear
MpiDefault=none
ReturnToService=2
`

// freePorts returns ports on which nobody listens.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// daemon starts a process that ends with this one.
func (c *Cluster) daemon(n Node, program string, args ...string) {
	c.t.Helper()
	out, err := os.Create(c.path(program + n.Name + ".out"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer out.Close()
	words := slices.Concat(n.Enter, []string{"setpriv", "--pdeathsig", "KILL", find(program)}, args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.environ(), out, out
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	c.t.Cleanup(func() { cmd.Process.Kill(); <-ended })
}

func (c *Cluster) environ() []string {
	return append(os.Environ(), confVariable+"="+c.path("slurm.conf"))
}

// await waits until a daemon is ready.
func (c *Cluster) await(name string, ready func() bool) {
	c.t.Helper()
	for start := time.Now(); !ready(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > patience {
			c.t.Fatalf("%s does not start: %s", name, c.said())
		}
	}
}

// said returns the output of the daemons.
func (c *Cluster) said() string {
	var all strings.Builder
	files, _ := filepath.Glob(c.path("*.out"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		fmt.Fprintf(&all, "\n%s: %s", filepath.Base(f), text)
	}
	return all.String()
}

// Command returns a command of this Slurm, such as salloc, to be run on the first node.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	words := slices.Concat(c.nodes[0].Enter, []string{find(name)}, args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = c.environ()
	return cmd
}

// Srun returns the command srun, which prints only errors of its own.
func (c *Cluster) Srun(args ...string) *exec.Cmd {
	return c.Command("srun", append([]string{"-Q"}, args...)...)
}

// end kills everything that the cluster has started: slurmd does not end the processes that supervise its
// jobs, and these do not end the jobs.
func (c *Cluster) end() {
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		left := c.processes()
		if len(left) == 0 {
			break
		}
		if time.Since(start) > patience {
			c.t.Errorf("processes of Slurm do not end: %v", left)
			break
		}
		for _, p := range left {
			p.Kill()
		}
	}
	if c.t.Failed() {
		c.t.Log(c.said())
	}
	if err := os.RemoveAll(c.dir); err != nil {
		c.t.Error(err)
	}
}

// processes finds all processes that use the configuration, by their environments.
func (c *Cluster) processes() []*os.Process {
	var all []*os.Process
	mark := []byte("\x00" + confVariable + "=" + c.path("slurm.conf") + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		text, err := os.ReadFile(f)
		pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil || bad != nil || pid == os.Getpid() || !bytes.Contains(append([]byte{0}, text...), mark) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			all = append(all, p)
		}
	}
	return all
}
