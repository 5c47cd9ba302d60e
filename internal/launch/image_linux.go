package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// newImage makes an anonymous file for a program. It vanishes when this process and the ranks have ended, in
// whatever way.
func newImage(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// sealImage closes the file of a program to changes: all ranks of a host execute the same file, so none of
// them may change it.
func sealImage(file *os.File) error {
	_, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	return err
}
