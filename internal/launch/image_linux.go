package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// imageFile returns an anonymous file that holds a program. It vanishes when this process and the ranks
// have ended, in whatever way.
func imageFile(name string, image []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	if _, err := file.Write(image); err != nil {
		file.Close()
		return nil, err
	}
	// All ranks of a host execute the same file, so none of them may change it.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
