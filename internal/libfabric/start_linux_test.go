//go:build ofi && linux && (amd64 || arm64)

package libfabric

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// reads returns the number of read calls that this process has made.
func reads(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), "syscr: ")
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// For TCP, libfabric starts without reading the names of all functions of the kernel, and the threads of
// the program can read what they could before.
func TestStartForTCP(t *testing.T) {
	if fd, _, failed := syscall.RawSyscall(sysCreateRuleset, 0, 0, 1); failed != 0 || fd < 1 {
		t.Skip("this system has no landlock(7)")
	}
	before := reads(t)
	e, err := Open(Config{Providers: []string{"net", "tcp"}, Source: "127.0.0.1", Contexts: 16, Peers: 1})
	if errors.Is(err, ErrUnavailable) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if n := reads(t) - before; n > 2000 {
		t.Errorf("%d reads", n)
	}
	if _, err := os.ReadFile("/proc/version"); err != nil {
		t.Error(err)
	}
}
