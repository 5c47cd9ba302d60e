// Package netnstest gives tests what jobs between hosts need, or skips them with a message.
package netnstest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"rhinet/internal/need"
	"rhinet/internal/netns"
)

// noNamespaces is set by the gate if it has found, and reported, that there are no network namespaces.
const noNamespaces = "RHINET_NO_NAMESPACES"

// Network makes n hosts, which are removed at the end of the test. If this is not possible, the test is
// skipped, or fails if CI is set.
func Network(t *testing.T, n int) *netns.Network {
	t.Helper()
	w, err := netns.New(n)
	if err != nil {
		Missing(t, err.Error())
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Missing skips a test that cannot have namespaces, with the reason, or fails it if CI is set.
func Missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv(noNamespaces) != "" {
		t.Skip(why)
	}
	need.Missing(t, why)
}

// Libfabric skips a test where libfabric is not installed, or fails it if CI is set. It downloads the
// modules needed to build programs with libfabric, because the hosts of a network cannot reach a module
// proxy.
func Libfabric(t *testing.T) {
	t.Helper()
	libraries, err := exec.Command("/sbin/ldconfig", "-p").Output()
	if err != nil || !strings.Contains(string(libraries), "libfabric.so.1 ") {
		need.Missing(t, "libfabric is not installed")
	}
	if out, err := exec.Command("go", "build", "-tags", "ofi", "rhinet/internal/libfabric").CombinedOutput(); err != nil {
		t.Fatalf("libfabric's package does not build: %v\n%s", err, out)
	}
}
