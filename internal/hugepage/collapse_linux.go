package hugepage

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// settings is where the system says what it does with huge pages.
const settings = "/sys/kernel/mm/transparent_hugepage/"

// usable returns an error if huge pages have another size, or the administrator wants none.
func usable() error {
	enabled, err := os.ReadFile(settings + "enabled")
	if err != nil {
		return err
	}
	bytesEach, err := os.ReadFile(settings + "hpage_pmd_size")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(bytesEach)))
	if err != nil {
		return err
	}
	if n != size || bytes.Contains(enabled, []byte("[never]")) {
		return errNone
	}
	return nil
}

// collapse moves what is from at on into one huge page. Linux does so from 6.1 on.
func collapse(at uintptr) error {
	if _, _, errno := syscall.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_COLLAPSE); errno != 0 {
		return errno
	}
	return nil
}
