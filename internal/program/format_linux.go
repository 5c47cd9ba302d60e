package program

import (
	"bytes"
	"debug/elf"
	"os"
	"slices"
)

// hasMagic reports whether a file begins like an executable of this system.
func hasMagic(head []byte) bool { return bytes.HasPrefix(head, []byte("\x7fELF")) }

// ForeignFormats reports whether further formats are registered with the kernel (binfmt_misc), so that any
// file may be a program.
func ForeignFormats() bool {
	names, err := os.ReadDir("/proc/sys/fs/binfmt_misc")
	return err == nil && len(names) > 2 // besides "register" and "status"
}

// IsStatic reports whether the executable at path needs no dynamic linker.
func IsStatic(path string) bool {
	file, err := elf.Open(path)
	if err != nil {
		return false // a script
	}
	defer file.Close()
	return !slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}
