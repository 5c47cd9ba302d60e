package pm

import "syscall"

// noHugePages is MADV_NOHUGEPAGE.
const noHugePages = 15

// anonymous returns n bytes of memory in small pages, and a function that frees them.
func anonymous(n int) ([]byte, func() error, error) {
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	_ = syscall.Madvise(mem, noHugePages) // not every kernel has huge pages
	return mem, func() error { return syscall.Munmap(mem) }, nil
}
