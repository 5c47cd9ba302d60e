package fabric

import (
	"syscall"

	"rhinet/internal/strided"
)

// Piece is the maximum that one call of cross-memory attach moves, in bytes: long enough to hide
// the cost of the call, which is more than its 0.4 us where the kernel must have the processor forget
// its address translations, and short enough not to delay a garbage collection (30 us if the data is
// in the caches, 60 us if not). Two processes that read 1 MiB of each other at the same time take 80
// us in pieces of 32 KiB, 58 us of 128 KiB, 55 us of 256 KiB, 54 us of 512 KiB; on two cores that
// share no cache, 4 MiB take 450 us in pieces of 256 KiB, 390 us of 1 MiB, 340 us in one.
const Piece = 1 << 20

// ReadProcess copies from address at of process pid into dst without help of that process, and
// returns how many bytes arrived before err, an errno: EPERM if the kernel does not permit it,
// ESRCH if the process is gone, EFAULT if the memory is not mapped, ENOSYS on systems without the
// call.
func ReadProcess(pid int, at uint64, dst []byte) (int, error) {
	return pieces(readSome, pid, at, dst)
}

// WriteProcess copies src to address at of process pid; see [ReadProcess].
func WriteProcess(pid int, at uint64, src []byte) (int, error) {
	return pieces(writeSome, pid, at, src)
}

// WriteBlocks is [WriteProcess] from blocks in b to blocks from address at on of process pid. All blocks of
// this side must lie in b.
func WriteBlocks(pid int, at uint64, b []byte, m strided.Move) (int, error) {
	return inParts(m, func(m strided.Move) (int, syscall.Errno) {
		m = m.Part(Piece)
		return moveSome(pid, at, b, &m, true)
	})
}

// A Stage is memory that stays in the cache. Short blocks that are close together are read through it: one
// call reads everything from the first to the last, gaps included. For each block by itself the kernel would
// lock the other process's memory and look the page up, which takes as long as copying 2 to 3 KiB. Nothing of
// the gaps leaves the stage. Blocks cannot be written so.
type Stage [64 << 10]byte

const (
	// closeBytes is the largest distance between the beginnings of two blocks that are close. 256 KiB in
	// blocks of 1 KiB take 62 us instead of 125 if that distance is 2 KiB, and 90 us if it is 3 KiB; where
	// a look-up costs less, as much as without.
	closeBytes = 2 << 10
	// fewBlocks is how many blocks are not worth a call of their own if others follow.
	fewBlocks = 8
)

// ReadBlocks is the inverse of [WriteBlocks].
func (s *Stage) ReadBlocks(pid int, at uint64, b []byte, m strided.Move) (int, error) {
	return inParts(m, func(m strided.Move) (int, syscall.Errno) {
		lo, hi, n, count := m.Their.Stretch(m.There, m.Bytes, closeBytes, len(s))
		if count < fewBlocks && (count == 1 || n < m.Bytes) {
			m = m.Part(Piece)
			return moveSome(pid, at, b, &m, false)
		}
		got, errno := readSome(pid, at+uint64(lo), s[:hi-lo])
		switch {
		case errno != 0:
			return 0, errno
		case got != hi-lo:
			return 0, syscall.EFAULT
		}
		m.Part(n).Copy(b, lo, s[:], false)
		return n, 0
	})
}

// inParts calls some again until all is moved: it may move less than it is asked to.
func inParts(m strided.Move, some func(strided.Move) (int, syscall.Errno)) (int, error) {
	done := 0
	for all := m.Bytes; done < all; {
		n, errno := some(m)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return done, errno
		}
		if n <= 0 || n > m.Bytes {
			return done, syscall.EFAULT
		}
		m.Skip(n)
		done += n
	}
	return done, nil
}

// pieces repeats some, which may move less than its argument.
func pieces(some func(int, uint64, []byte) (int, syscall.Errno), pid int, at uint64, b []byte) (int, error) {
	done := 0
	for done < len(b) {
		part := b[done:min(done+Piece, len(b))]
		n, errno := some(pid, at+uint64(done), part)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return done, errno
		}
		if n <= 0 || n > len(part) {
			return done, syscall.EFAULT
		}
		done += n
	}
	return done, nil
}
