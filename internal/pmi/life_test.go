package pmi

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTheEndOfTheLauncherIsNoticed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// as if inherited: a descriptor that no os.File of this process uses
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	gone := make(chan bool, 1)
	if err := WatchLife(fd, func() { gone <- true }); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("still here")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
		t.Fatal("noticed an end that has not come")
	case <-time.After(10 * time.Millisecond):
	}
	w.Close()
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Fatal("did not notice")
	}
	if err := WatchLife(1<<20, nil); err == nil || !strings.Contains(err.Error(), "RHINET_JOB: life=1048576 is not an open descriptor") {
		t.Errorf("got %v", err)
	}
}

// A program between mpirun and this one has closed the pipe, and the descriptor number is now used by
// another file: its end of file has no meaning.
func TestAnotherFileIsNotTheLauncher(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := WatchLife(int(null.Fd()), nil); err == nil || !strings.Contains(err.Error(), "is not the pipe of mpirun; whatever starts this program") {
		t.Errorf("got %v", err)
	}
}

// Only a job that names the pipe of its mpirun follows it.
func TestFollow(t *testing.T) {
	if err := Single(0, 1).Follow(); err != nil {
		t.Error(err)
	}
	if err := (Job{Size: 1, Life: 1 << 20}).Follow(); err == nil || !strings.Contains(err.Error(), "is not an open descriptor") {
		t.Errorf("got %v", err)
	}
}
