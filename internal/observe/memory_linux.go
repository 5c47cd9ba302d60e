package observe

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Create creates the memory of a job with that many ranks, an anonymous file to be passed to them. With
// traced it has room for events.
func Create(ranks int, traced bool) (*os.File, error) {
	p := plan{ranks: ranks}
	if traced {
		p.events = eventsOf(ranks)
	}
	fd, err := unix.MemfdCreate("rhinet observed", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("observe: memfd_create: %w", err)
	}
	file := os.NewFile(uintptr(fd), "rhinet observed")
	if err = file.Truncate(p.total()); err == nil {
		_, err = file.WriteAt(p.header(), 0)
	}
	if err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("observe: memory of %d bytes: %w", p.total(), err)
	}
	return file, nil
}

// claim maps the region of a rank in the memory behind descriptor fd, which it closes.
func claim(fd, rank, size int) (plan, []byte, error) {
	file := os.NewFile(uintptr(fd), "rhinet observed")
	if file == nil {
		return plan{}, nil, fmt.Errorf("observe: descriptor %d; it must not be negative", fd)
	}
	defer file.Close()
	p, err := planOf(file)
	if err != nil {
		return p, nil, err
	}
	if rank < 0 || rank >= p.ranks || size != p.ranks {
		return p, nil, fmt.Errorf("observe: rank %d of %d is not in the memory for %d ranks", rank, size, p.ranks)
	}
	mem, err := unix.Mmap(int(file.Fd()), p.regionAt(rank), p.region(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return p, nil, fmt.Errorf("observe: map %d bytes: %w", p.region(), err)
	}
	// Events come fast, and the first access to a page costs as much as many of them. A kernel that cannot
	// populate ahead does it on that access.
	_ = unix.Madvise(mem[p.eventsAt()&^(pageBytes-1):], unix.MADV_POPULATE_WRITE)
	return p, mem, nil
}

// duplicate returns another descriptor of file.
func duplicate(file *os.File) (int, error) {
	return unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// unclaim unmaps what claim has mapped.
func unclaim(mem []byte) error { return unix.Munmap(mem) }

// monotonic returns the time of the system's monotonic clock, in nanoseconds, and the corresponding
// time.Time.
func monotonic() (int64, time.Time) {
	var ts unix.Timespec
	now := time.Now()
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0, now
	}
	return ts.Nano(), now
}
