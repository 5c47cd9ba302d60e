package netns

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// If no namespaces can be made, there is one sentence, and nothing is left.
func TestNoNamespaces(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	const want = "hosts cannot be made of network namespaces here, which takes root and iproute2: ip netns add rh"
	if _, err := New(2); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("without iproute2: %v", err)
	}
	refusal := "#!/bin/sh\necho 'mkdir /run/netns failed:' >&2\necho 'Permission denied' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "ip"), []byte(refusal), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	if _, err := New(2); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "-hub: mkdir /run/netns failed: Permission denied (exit status 1)") {
		t.Errorf("without the right: %v", err)
	}
	for _, n := range []int{0, 251} {
		if _, err := New(n); err == nil || !strings.Contains(err.Error(), "there are 1 to 250") {
			t.Errorf("%d hosts: %v", n, err)
		}
	}
}

// An agent finds the host after the options of ssh, and refuses one that does not exist.
func TestAgent(t *testing.T) {
	dir := t.TempDir()
	w := &Network{hosts: []string{"a", "b", "c"}, cpus: []string{"4", "6"}}
	agent := filepath.Join(dir, "agent")
	if err := w.Agent(agent); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ip"), []byte("#!/bin/sh\nfor w; do echo \"$w\"; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	out, err := exec.Command(agent, "-x", "-q", "10.77.0.3", "echo", "a;", "echo", "b").Output()
	if want := append(w.Command(2, "sh", "-c", "echo a; echo b")[1:], ""); err != nil || !slices.Equal(strings.Split(string(out), "\n"), want) {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
	if cpu := w.Command(2)[len(w.Command(2))-1]; cpu != "4" {
		t.Errorf("host 2 is on processor %s", cpu)
	}
	if out, err := exec.Command(agent, "10.77.0.4", "true").CombinedOutput(); err == nil || string(out) != "there is no host 10.77.0.4\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestProcessors(t *testing.T) {
	if list := processors(); len(list) == 0 || slices.Contains(list, "") {
		t.Errorf("%q", list)
	}
}
