package fabric

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestEnterOnce(t *testing.T) {
	f := heap(t, 2)
	for _, rank := range []int{-1, 2} {
		if f.Enter(rank) == nil {
			t.Errorf("rank %d entered", rank)
		}
	}
	if err := f.Enter(1); err != nil {
		t.Fatal(err)
	}
	if err := f.Enter(1); err == nil || !strings.Contains(err.Error(), "rank 1 is taken") {
		t.Fatal(err)
	}
	if f.Process(1) == 0 || f.Process(0) != 0 {
		t.Fatal("wrong process")
	}
	f.Leave(1)
	if f.Process(1) != 0 {
		t.Fatal("still there")
	}
	if err := f.Probe(0); !errors.Is(err, ErrAbsent) {
		t.Fatal(err)
	}
}

// TestPieces checks the count of moved bytes, with a kernel that moves less than its argument, is
// interrupted, fails, or returns invalid counts.
func TestPieces(t *testing.T) {
	b := make([]byte, 2*Piece+100)
	var calls []int
	kernel := func(max int, then func() (int, syscall.Errno)) func(int, uint64, []byte) (int, syscall.Errno) {
		calls = nil
		return func(pid int, at uint64, part []byte) (int, syscall.Errno) {
			if pid != 7 || at < 1000 || len(part) > Piece {
				t.Errorf("pid %d, address %d, %d bytes", pid, at, len(part))
			}
			calls = append(calls, int(at-1000))
			if len(calls) == 3 && then != nil {
				return then()
			}
			return min(max, len(part)), 0
		}
	}
	if n, err := pieces(kernel(1<<30, nil), 7, 1000, b); n != len(b) || err != nil || len(calls) != 3 || calls[2] != 2*Piece {
		t.Errorf("whole: %d, %v, calls %v", n, err, calls)
	}
	if n, err := pieces(kernel(40000, nil), 7, 1000, b); n != len(b) || err != nil || calls[1] != 40000 {
		t.Errorf("partial: %d, %v, calls %v", n, err, calls)
	}
	eintr := func() (int, syscall.Errno) { return 0, syscall.EINTR }
	if n, err := pieces(kernel(Piece, eintr), 7, 1000, b); n != len(b) || err != nil || calls[3] != 2*Piece {
		t.Errorf("interrupted: %d, %v, calls %v", n, err, calls)
	}
	efault := func() (int, syscall.Errno) { return 0, syscall.EFAULT }
	if n, err := pieces(kernel(Piece, efault), 7, 1000, b); n != 2*Piece || !errors.Is(err, syscall.EFAULT) {
		t.Errorf("fault: %d, %v", n, err)
	}
	for _, lie := range []int{0, -1, Piece + 1} {
		f := func() (int, syscall.Errno) { return lie, 0 }
		if n, err := pieces(kernel(Piece, f), 7, 1000, b); n != 2*Piece || err == nil {
			t.Errorf("kernel says %d: %d, %v", lie, n, err)
		}
	}
	if n, err := pieces(kernel(0, nil), 7, 1000, nil); n != 0 || err != nil || len(calls) != 0 {
		t.Errorf("nothing: %d, %v, calls %v", n, err, calls)
	}
}

func TestTheFirstLossStays(t *testing.T) {
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if peer, ok := f.Lost(1); ok {
		t.Errorf("lost %d before anything happened", peer)
	}
	f.Lose(1, 2)
	f.Lose(1, 0)
	if peer, ok := f.Lost(1); !ok || peer != 2 {
		t.Errorf("lost %d, %v", peer, ok)
	}
	for _, forged := range []uint64{1, 4, 1 << 32, 1 << 63} { // itself, and ranks that do not exist
		f.Words(0, Front)[wordProcess+3] = forged
		if peer, ok := f.Lost(0); ok {
			t.Errorf("%d makes it lose %d", forged, peer)
		}
	}
}
