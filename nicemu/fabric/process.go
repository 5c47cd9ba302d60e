package fabric

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// ErrAbsent reports a rank whose process has not entered the fabric yet, or
// has left it.
var ErrAbsent = errors.New("rank has not started yet, or has ended")

// Enter registers this process as the given rank. From then on a process that has mapped the memory
// as a file can no longer write the header and the tables of other ranks: a store there ends the
// process that tries it (SIGSEGV), and the other rank is unharmed. If the process enters as a
// second rank, it can write the tables of both.
func (f *Fabric) Enter(rank int) error {
	if rank < 0 || rank >= f.ranks {
		return fmt.Errorf("fabric: rank %d; the job has ranks 0 to %d", rank, f.ranks-1)
	}
	if p := f.Process(rank); p != 0 {
		return fmt.Errorf("fabric: rank %d is taken by process %d", rank, p)
	}
	if err := f.protect(rank); err != nil {
		return fmt.Errorf("fabric: protect the tables of the other ranks: %w", err)
	}
	w := f.Words(rank, Front)
	if !atomic.CompareAndSwapUint64(&w[wordProcess], 0, uint64(os.Getpid())) {
		return fmt.Errorf("fabric: rank %d is taken by process %d", rank, f.Process(rank))
	}
	f.mine[rank].Store(true)
	f.house.Add(1)
	atomic.StoreUint64(&w[wordProcess+1], f.base)
	if f.shared {
		permitAttach()
		f.fences.begin(f, rank)
	}
	return nil
}

// Leave undoes Enter.
func (f *Fabric) Leave(rank int) {
	w := f.Words(rank, Front)
	atomic.StoreUint64(&w[wordProcess+1], 0)
	atomic.StoreUint64(&w[wordProcess], 0)
}

// Process returns the number of the process that is the given rank, or 0.
func (f *Fabric) Process(rank int) int {
	return int(int32(atomic.LoadUint64(&f.Words(rank, Front)[wordProcess])))
}

// Spent returns the total processor time of the ranks that have entered; a rank whose process has
// ended counts as zero.
func (f *Fabric) Spent() (all time.Duration) {
	for r := range f.ranks {
		if pid := f.Process(r); pid > 0 {
			all += spentBy(pid)
		}
	}
	return all
}

// Probe reports whether the kernel lets this process read the memory of rank: nil, ErrAbsent, or
// the kernel's refusal. It reads the first word of the fabric in rank's process, which identifies
// it.
func (f *Fabric) Probe(rank int) error {
	pid := f.Process(rank)
	base := atomic.LoadUint64(&f.Words(rank, Front)[wordProcess+1])
	if pid <= 0 || base == 0 {
		return fmt.Errorf("fabric: rank %d: %w", rank, ErrAbsent)
	}
	var b [8]byte
	if _, err := ReadProcess(pid, base, b[:]); err != nil {
		return fmt.Errorf("fabric: read memory of rank %d, process %d: %w", rank, pid, err)
	}
	if binary.NativeEndian.Uint64(b[:]) != magic {
		return fmt.Errorf("fabric: process %d is not rank %d: %w", pid, rank, ErrForeign)
	}
	return nil
}

// Lose notes that rank has found peer to be gone. Only the first note is kept, for the launcher to
// tell which rank failed first.
func (f *Fabric) Lose(rank, peer int) {
	atomic.CompareAndSwapUint64(&f.Words(rank, Front)[wordProcess+3], 0, uint64(peer)+1)
}

// MarkWorld notes whether rank is in the world, so that it must call Finalize before its process exits.
// Sessions need no world.
func (f *Fabric) MarkWorld(rank int, in bool) {
	n := uint64(0)
	if in {
		n = 1
	}
	atomic.StoreUint64(&f.Words(rank, Front)[wordProcess+4], n)
}

// InWorld reports what MarkWorld has noted; for a value that MarkWorld does not write it is false.
func (f *Fabric) InWorld(rank int) bool {
	return atomic.LoadUint64(&f.Words(rank, Front)[wordProcess+4]) == 1
}

// Lost returns the first peer that rank has found to be gone. A number that names no rank, which
// another process may have written, is ignored.
func (f *Fabric) Lost(rank int) (peer int, ok bool) {
	n := atomic.LoadUint64(&f.Words(rank, Front)[wordProcess+3])
	if n == 0 || n > uint64(f.ranks) || n == uint64(rank)+1 {
		return 0, false
	}
	return int(n) - 1, true
}
