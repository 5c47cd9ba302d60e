package dma

import (
	"bytes"
	"errors"
	"syscall"
	"testing"

	"rhinet/nicemu/fabric"
)

func TestCopiesWhateverTheAlignment(t *testing.T) {
	whole, src := make([]byte, 64), make([]byte, 40)
	for i := range src {
		src[i] = byte(i + 1)
	}
	for at := range 9 {
		for n := range 40 {
			clear(whole)
			Write(whole[at:at+n], src[:n])
			back := make([]byte, n)
			Read(back, whole[at:at+n])
			if !bytes.Equal(back, src[:n]) || len(bytes.Trim(whole, "\x00")) != n {
				t.Fatalf("%d bytes at %d: %v", n, at, whole)
			}
		}
	}
}

func TestBlame(t *testing.T) {
	for err, want := range map[error]Why{
		syscall.EPERM: NoAccess, syscall.ENOSYS: NoAccess, syscall.EACCES: NoAccess,
		syscall.ESRCH: Gone, syscall.EFAULT: Fault, syscall.EINVAL: Fault,
	} {
		if got := blame(err); got != want {
			t.Errorf("%v is %v", err, got)
		}
	}
}

// TestWithin: bytes are in a buffer if all of them are, even if numbers wrap around.
func TestWithin(t *testing.T) {
	b := make([]byte, 64)
	at := fabric.Address(b)
	for _, c := range []struct {
		at, n uint64
		in    bool
	}{{at, 64, true}, {at + 64, 0, true}, {at + 60, 4, true}, {at, 65, false}, {at + 60, 5, false}, {at - 1, 1, false}, {at + 65, 0, false}, {at + 8, ^uint64(0) - 4, false}} {
		if got := Within(b, c.at, c.n); (got != nil) != c.in || c.in && (uint64(len(got)) != c.n || cap(got) != len(got)) {
			t.Errorf("%d bytes at %d: %v", c.n, int64(c.at-at), got)
		}
	}
}

// TestRanksAgree: the first rank decides whether cross-memory attach is used.
func TestRanksAgree(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	first, err := Open(f, 0, fabric.AttachOff)
	if err != nil || first.Attached() {
		t.Fatalf("%v, %v", first, err)
	}
	if e, err := Open(f, 1, fabric.AttachAuto); err != nil || e.Attached() {
		t.Errorf("auto: %v, %v", e, err)
	}
	if _, err := Open(f, 1, fabric.AttachOn); err == nil {
		t.Error("on where the others do without")
	}
	if _, why, _ := first.Process(1, 4096, make([]byte, 8), false); why != NoAccess {
		t.Errorf("moved without attach: %v", why)
	}
}

// TestProcessThatNeverWas: the kernel is not called.
func TestProcessThatNeverWas(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(f, 0, fabric.AttachAuto)
	if err != nil {
		t.Fatal(err)
	}
	if n, why, err := e.Process(1, 4096, make([]byte, 8), true); n != 0 || why != Gone || errors.Is(err, syscall.ESRCH) {
		t.Errorf("%d, %v, %v", n, why, err)
	}
}
