package main

import (
	"debug/elf"
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
	"rhinet/internal/netnstest"
)

// deployFile is a file for containers.
func deployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asRoot skips tests that need root for a sandbox.
func asRoot(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "-m", "-p", "-f", "true").CombinedOutput(); err != nil {
		netnstest.Missing(t, fmt.Sprintf("no namespaces can be made here: %v, %s", err, out))
	}
}

// TestImageOfOneHost builds what the Dockerfile builds for one host, and runs it in a root directory that
// contains nothing else, as the user of the image.
func TestImageOfOneHost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	asRoot(t)
	text := deployFile(t, "Dockerfile")
	program := regexp.MustCompile(`(?m)^ARG PROGRAM=(\S+)$`).FindStringSubmatch(text)
	user := regexp.MustCompile(`(?m)^FROM scratch AS one\nCOPY --from=build /one/ /\nUSER (\S+)$`).FindStringSubmatch(text)
	builds := regexp.MustCompile(`(?m)^RUN (go build .* -o /one/.*)$`).FindAllStringSubmatch(text, -1)
	if program == nil || user == nil || len(builds) != 2 || !strings.Contains(text, "\nENV CGO_ENABLED=0\n") {
		t.Fatalf("the Dockerfile has another form: program %q, user %q, builds %q", program, user, builds)
	}
	root := t.TempDir()
	for _, b := range builds {
		line := strings.NewReplacer("/one/", root+"/", "$PROGRAM", program[1]).Replace(b[1])
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v, %s", line, err, out)
		}
	}
	for _, name := range []string{"mpirun", "program"} {
		f, err := elf.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			t.Errorf("%s is not static", name)
		}
		f.Close()
	}
	for _, dir := range []string{"dev", "proc"} { // which every container has
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("mount -t proc proc %[1]s/proc && mount --bind /dev %[1]s/dev && exec chroot --userspec=%[2]s %[1]s /mpirun -n 2 /program -class S is cg", root, user[1])
	out, err := exec.Command("unshare", "-m", "-p", "-f", "sh", "-c", script).CombinedOutput()
	if got := strings.Count(string(out), " Verification    =               SUCCESSFUL\n"); err != nil || got != 2 {
		t.Errorf("%v, %s", err, out)
	}
}

// An sshCluster is a set of hosts with the ssh of the container, and its user.
type sshCluster struct {
	t      *testing.T
	net    *network
	dir    string
	mpirun string
}

// newSSH starts an sshd on each host, with the settings and the user of the container and keys
// as the MPI operator mounts them.
func newSSH(t *testing.T, w *network) *sshCluster {
	t.Helper()
	for _, name := range []string{"/usr/sbin/sshd", "ssh", "ssh-keygen"} {
		need.Program(t, name)
	}
	dir, err := os.MkdirTemp("", "mpi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &sshCluster{t: t, net: w, dir: dir}
	c.mpirun = c.copy(os.Args[0])
	moved := strings.NewReplacer("/mpi", dir)
	for name, text := range map[string]string{
		"sshd_config": moved.Replace(deployFile(t, "sshd_config")) + "SetEnv " + asMpirun + "\n",
		"ssh_config":  moved.Replace(deployFile(t, "ssh_config")),
		"passwd":      "root:x:0:0::/:/bin/sh\nmpi:x:1000:1000::" + dir + ":/bin/sh\nsshd:x:101:65534::/:/bin/false\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keys := filepath.Join(dir, ".ssh")
	key := filepath.Join(keys, "id_rsa")
	if err := os.Mkdir(keys, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(keys, "authorized_keys"), public, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		path string
		mode os.FileMode
	}{{dir, 0o755}, {key, 0o644}} {
		if err := os.Chmod(d.path, d.mode); err != nil {
			t.Fatal(err)
		}
	}
	for i := range w.hosts {
		c.daemon(i)
	}
	return c
}

// copy puts a program where the user of the container can reach it.
func (c *sshCluster) copy(program string) string {
	c.t.Helper()
	text, err := os.ReadFile(program)
	to := filepath.Join(c.dir, filepath.Base(program))
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return to
}

// command returns a command that the user of the container runs on a host.
func (c *sshCluster) command(host int, program string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`mount --bind %[1]s/passwd /etc/passwd && mount --bind %[1]s/ssh_config /etc/ssh/ssh_config && cd %[1]s &&
exec setpriv --pdeathsig KILL --reuid 1000 --regid 1000 --clear-groups --no-new-privs env HOME=%[1]s "$@"`, c.dir)
	cmd := exec.Command("ip", append([]string{"netns", "exec", c.net.hosts[host], "unshare", "-m", "sh", "-c", script, "sh", program}, args...)...)
	cmd.Env = append(os.Environ(), asMpirun)
	return cmd
}

// daemon starts sshd, and waits until it listens.
func (c *sshCluster) daemon(host int) {
	c.t.Helper()
	cmd := c.command(host, "/usr/sbin/sshd", "-D", "-e", "-f", filepath.Join(c.dir, "sshd_config"))
	var said buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	c.t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); <-ended })
	for start := time.Now(); !strings.Contains(said.String(), "Server listening on 0.0.0.0 port 2222"); time.Sleep(5 * time.Millisecond) {
		select {
		case <-ended:
			c.t.Fatalf("sshd has ended: %s", said.String())
		default:
		}
		if time.Since(start) > time.Minute {
			c.t.Fatalf("sshd does not start: %s", said.String())
		}
	}
}
