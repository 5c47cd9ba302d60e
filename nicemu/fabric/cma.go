package fabric

import (
	"syscall"

	"rhinet/internal/strided"
)

// Piece is the most that one call of cross-memory attach moves, in bytes: long
// enough to hide the call (about 0.4 us), short enough not to hold up a
// garbage collection (8 us if it lies in the caches, 15 us if not). Two processes that read 1 MiB of each other
// at once take 80 us by pieces of 32 KiB, 58 us of 128 KiB, 55 us of 256 KiB, 54 us of 512 KiB.
const Piece = 256 << 10

// ReadProcess copies from address at of process pid into dst, without that
// process taking part, and returns how many bytes arrived before err, an
// errno: EPERM if the kernel does not permit it, ESRCH if the process is gone,
// EFAULT if the memory is not there, ENOSYS on systems that cannot do it.
func ReadProcess(pid int, at uint64, dst []byte) (int, error) {
	return pieces(readSome, pid, at, dst)
}

// WriteProcess copies src to address at of process pid; see [ReadProcess].
func WriteProcess(pid int, at uint64, src []byte) (int, error) {
	return pieces(writeSome, pid, at, src)
}

// MoveBlocks is [WriteProcess] for blocks that lie in b and from address at on of process pid, or the inverse, [ReadProcess].
// All must lie in b.
func MoveBlocks(pid int, at uint64, b []byte, m strided.Move, write bool) (int, error) {
	done := 0
	for all := m.Bytes; done < all; {
		part := m.Part(Piece)
		n, errno := moveSome(pid, at, b, &part, write)
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

// pieces repeats some, which may move less than it was asked to.
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
