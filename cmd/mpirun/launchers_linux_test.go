package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/need"
	"rhinet/internal/netnstest"
	"rhinet/internal/slurmtest"
)

// TestLaunchersOnHosts: ranks that other launchers start on several hosts find each other through the store
// of their launcher, and communicate over libfabric; and mpirun starts them by ssh, with the settings of
// the container.
func TestLaunchersOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	netnstest.Libfabric(t)
	w := newNetwork(t, 2)
	here := []string{"ip", "netns", "exec", w.hosts[0]}
	agent := filepath.Join(t.TempDir(), "agent")
	if err := w.Agent(agent); err != nil {
		t.Fatal(err)
	}
	npb := filepath.Join(t.TempDir(), "npb")
	build := exec.Command("go", "build", "-tags", "ofi,pmix", "-o", npb, "../npb")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program := []string{"-n", "4", npb, "-class", "S", "is", "cg"}
	verified := func(t *testing.T, cmd *exec.Cmd) {
		t.Helper()
		out, err := cmd.CombinedOutput()
		if got := strings.Count(string(out), " Verification    =               SUCCESSFUL\n"); err != nil || got != 2 {
			t.Errorf("%v: %v, %d kernels verified: %s", cmd.Args, err, got, out)
		}
	}
	for name, flags := range map[string][]string{
		"mpiexec.hydra": {"-hosts", "10.77.0.1:2,10.77.0.2:2", "-launcher", "ssh", "-launcher-exec", agent, "-iface", "veth0"},
		"mpirun.openmpi": {"--allow-run-as-root", "--host", "10.77.0.1:2,10.77.0.2:2", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent,
			"--mca", "oob_tcp_if_include", "10.77.0.0/24", "--mca", "rtc", "^hwloc"}, // hwloc is a part of its daemons that sometimes crashes
	} {
		t.Run(name, func(t *testing.T) {
			words := append(append(append(here, need.Program(t, name)), flags...), program...)
			verified(t, exec.Command(words[0], words[1:]...))
		})
	}
	t.Run("srun", func(t *testing.T) {
		nodes := slurmtest.Here(2)
		for i := range nodes {
			nodes[i].Address, nodes[i].Enter = fmt.Sprintf("10.77.0.%d", i+1), []string{"ip", "netns", "exec", w.hosts[i]}
		}
		c := slurmtest.Start(t, nodes)
		for _, server := range []string{"pmi2", "pmix"} {
			verified(t, c.Srun(append([]string{"-K", "-N2", "--mpi=" + server}, program...)...))
		}
		cmd := c.Command("salloc", append([]string{"-N2", os.Args[0], "--launcher", "env " + asMpirun + " srun --overlap -N1 -n1 -w", "--hosts", "node0,node1"}, program...)...)
		cmd.Env = append(cmd.Env, asMpirun)
		verified(t, cmd)
	})
	t.Run("ssh", func(t *testing.T) {
		cluster := newSSH(t, w)
		verified(t, cluster.command(0, cluster.mpirun, "--hosts", "10.77.0.1:2,10.77.0.2:2", "-n", "4", cluster.copy(npb), "-class", "S", "is", "cg"))
	})
	w.empty()
}
