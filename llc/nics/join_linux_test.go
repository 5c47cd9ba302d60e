package nics

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"rhinet/nicemu/fabric"
)

// again returns one more descriptor of a file.
func again(t *testing.T, file *os.File) int {
	t.Helper()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func TestJoinTakesTheInheritedMemory(t *testing.T) {
	file, err := fabric.Create(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, _, err := Join(Default, again(t, file), 1, 2); err == nil || !strings.Contains(err.Error(), "no manager") {
		t.Errorf("a job that nobody has registered: got %v", err)
	}
	register(t, file)
	inherit := func() int { return again(t, file) }
	if _, _, err := Join(Default, inherit(), 0, 3); err == nil || !strings.Contains(err.Error(), "the memory is that of a job of 2 ranks, not 3") {
		t.Errorf("wrong size: got %v", err)
	}
	if _, _, err := Join("pigeon", inherit(), 0, 2); err == nil || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("wrong name: got %v", err)
	}
	tr, release, err := Join(Default, inherit(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Self() != 1 || tr.Peers() != 2 {
		t.Errorf("the NIC is %d of %d", tr.Self(), tr.Peers())
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
