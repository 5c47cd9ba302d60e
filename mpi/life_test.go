package mpi

import (
	"errors"
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
	// as inherited: a descriptor that no os.File of this process knows
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	gone := make(chan bool, 1)
	if err := watchLife(fd, func() { gone <- true }); err != nil {
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
	if err := watchLife(1<<20, nil); !errors.Is(err, ErrInit) {
		t.Errorf("got %v", err)
	}
}

// A program between mpirun and this one has closed the pipe, and the number
// serves another file now: that its end comes at once means nothing.
func TestAnotherFileIsNotTheLauncher(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if err := watchLife(int(null.Fd()), nil); !errors.Is(err, ErrInit) || !strings.Contains(err.Error(), "is not the pipe of mpirun; whatever starts this program") {
		t.Errorf("got %v", err)
	}
}
