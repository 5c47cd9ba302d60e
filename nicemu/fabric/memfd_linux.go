package fabric

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// seals keep a rank from shrinking the memory under the others.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// Create makes the memory of a job of processes, an anonymous file to be
// passed to the ranks. The descriptor is closed on exec unless it is passed
// on explicitly, as by os/exec.
func Create(ranks int, g Geometry) (*os.File, error) {
	if err := g.Check(ranks); err != nil {
		return nil, err
	}
	l := layOut(ranks, g)
	fd, err := unix.MemfdCreate("rhinet", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("fabric: memfd_create: %w", err)
	}
	file := os.NewFile(uintptr(fd), "rhinet fabric")
	page := make([]uint64, PageBytes/8)
	l.write(bytesOf(page), newJob())
	err = unix.Ftruncate(fd, int64(l.total()))
	if err == nil {
		_, err = file.WriteAt(bytesOf(page), 0)
	}
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("fabric: memory of %d bytes: %w", l.total(), err)
	}
	return file, nil
}

// Open maps the fabric whose descriptor a rank has inherited, and closes the
// descriptor, so that programs which the rank starts do not inherit it too.
func Open(fd int) (*Fabric, error) {
	if fd < 0 {
		return nil, fmt.Errorf("fabric: descriptor %d; it must not be negative", fd)
	}
	file := os.NewFile(uintptr(fd), "rhinet fabric")
	f, err := Map(file)
	if cerr := file.Close(); err == nil && cerr != nil {
		err = errors.Join(cerr, f.Close())
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Map maps the fabric in file, which stays open.
func Map(file *os.File) (*Fabric, error) {
	fd := int(file.Fd())
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("fabric: descriptor %d is not a job's memory: %w", fd, err)
	}
	if have&unix.F_SEAL_SHRINK == 0 {
		return nil, fmt.Errorf("fabric: descriptor %d is not sealed against shrinking: %w", fd, ErrForeign)
	}
	var page [PageBytes]byte
	if _, err := file.ReadAt(page[:], 0); err != nil {
		return nil, fmt.Errorf("fabric: header: %w", err)
	}
	st, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("fabric: %w", err)
	}
	l, err := readHeader(page[:], int(st.Size()))
	if err != nil {
		return nil, err
	}
	mem, err := unix.Mmap(fd, 0, l.total(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("fabric: map %d bytes: %w", l.total(), err)
	}
	if l.geo.Common > 0 {
		_ = unix.Madvise(mem[l.chunks:], unix.MADV_DONTDUMP) // the kernel reads every page that it dumps
	}
	f := view(mem, l, true)
	f.unmap = unix.Munmap
	return f, nil
}

// Ready maps the pages of b, which starts on a page, in this process all at once, at a fifth of the
// cost of a fault for each. On kernels before 5.14 it does nothing, and the first access of each
// page faults.
func (f *Fabric) Ready(b []byte) {
	if f.shared {
		_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE)
	}
}

// discard gives the pages of b back to the system; they are 0 again.
func discard(b []byte) error { return unix.Madvise(b, unix.MADV_REMOVE) }

// writable makes whole pages of a mapping writable, or readable only.
func writable(b []byte, yes bool) error {
	if yes {
		return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE)
	}
	return unix.Mprotect(b, unix.PROT_READ)
}
