// Package netnstest gives tests what jobs between hosts take, or skips them aloud.
package netnstest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"rhinet/internal/need"
	"rhinet/internal/netns"
)

// noNamespaces is set by the gate where it has found and said that there are no network
// namespaces.
const noNamespaces = "RHINET_NO_NAMESPACES"

// Network makes n hosts, which end with the test. A test that gets none is skipped, or fails where CI
// is set.
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

// Missing skips a test that gets no namespaces, and says why, or fails it where CI is set.
func Missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv(noNamespaces) != "" {
		t.Skip(why)
	}
	need.Missing(t, why)
}

// Libfabric skips a test where libfabric is not installed, or fails it where CI is set. What
// programs on it are built from is fetched, because hosts of a network reach no module proxy.
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
