package mpi_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// foldBytes is the memory that is mapped repeatedly as the beginning of a long buffer.
const foldBytes = 16 << 20

// mapped returns n bytes of address space.
func mapped(t *testing.T, n, prot int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n, prot, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(b) })
	return b
}

// manyTimes returns a buffer of n bytes whose beginning, up to place, is foldBytes of
// memory, mapped repeatedly. Writes there go to the same memory many times; the rest is
// ordinary memory.
func manyTimes(t *testing.T, n, place int) []byte {
	t.Helper()
	b := mapped(t, n, syscall.PROT_READ|syscall.PROT_WRITE)
	fd, err := unix.MemfdCreate("fold", 0)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, foldBytes); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < place; at += foldBytes {
		if _, err := unix.MmapPtr(fd, 0, unsafe.Pointer(&b[at]), foldBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// Messages longer than 2^31 bytes arrive whole, and with their length (MPI 4.1, section
// 3.2.2: large counts).
func TestMessagesBeyond2GiB(t *testing.T) {
	if testing.Short() {
		t.Skip("moves some GiB")
	}
	const n = 1<<31 + foldBytes + 12345
	marks := []int{1<<31 - foldBytes, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<31 + foldBytes, n - 1}
	for _, nic := range []string{"martini", "ib"} {
		t.Run(nic, func(t *testing.T) {
			sent, got := mapped(t, n, syscall.PROT_READ|syscall.PROT_WRITE), manyTimes(t, n, 1<<31-foldBytes)
			mpitest.Run(t, 2, func(w *mpi.Comm) error {
				move := []func() error{
					func() error {
						if w.Rank() == 0 {
							return mpi.Send(w, sent, 1, 3)
						}
						if st, err := mpi.Probe(w, 0, 3); err != nil || st.Bytes != n {
							return fmt.Errorf("Probe: %v, %v", st, err)
						}
						st, err := mpi.Recv(w, got, 0, 3)
						if err != nil || st.Bytes != n || st.Count != n || mpi.Count[byte](st) != n {
							return fmt.Errorf("Recv: %v, %v", st, err)
						}
						return nil
					},
					func() error {
						if w.Rank() == 0 {
							return mpi.Bcast(w, sent, 0)
						}
						return mpi.Bcast(w, got, 0)
					},
				}
				if nic != "martini" { // the other calls use the same code on all NICs
					move = move[:1]
				}
				for i, f := range move {
					round := byte(i + 1)
					if w.Rank() == 0 {
						for k, at := range marks {
							sent[at] = 10*byte(k) + round
						}
					}
					if err := f(); err != nil {
						return err
					}
					for k, at := range marks {
						if w.Rank() == 1 && got[at] != 10*byte(k)+round {
							return fmt.Errorf("round %d: byte %d is %d", round, at, got[at])
						}
					}
					if err := mpi.Barrier(w); err != nil {
						return err
					}
				}
				return tooShort(w, sent, got[:1<<20])
			}, mpitest.NIC(nic))
		})
	}
}

// tooShort sends a long message to a receive with less room, which must report its
// length.
func tooShort(w *mpi.Comm, sent, room []byte) error {
	if w.Rank() == 0 {
		return mpi.Send(w, sent, 1, 4)
	}
	_, err := mpi.Recv(w, room, 0, 4)
	var e *mpi.Error
	if !errors.As(err, &e) || e.Class != mpi.ErrTruncate || e.Bytes != int64(len(sent)) || e.Room != int64(len(room)) {
		return fmt.Errorf("a receive of %d bytes: %v", len(room), err)
	}
	return nil
}
