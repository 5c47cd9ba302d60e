//go:build ofi && linux && (amd64 || arm64)

package libfabric

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// When libfabric starts, it starts all of its providers, whichever is wanted. The provider for InfiniBand
// reads the names of all functions of the kernel with thousands of system calls, which takes more processor
// time than all the rest of the start of a rank. This is not needed for TCP. Therefore libfabric is started
// for TCP on a thread of its own that may not read that file (landlock(7)) and ends afterwards. Where the
// system does not support such rules, everything is read.

// Definitions of linux/landlock.h.
const (
	sysCreateRuleset, sysAddRule, sysRestrictSelf = 444, 445, 446

	accessReadFile  = 1 << 2
	rulePathBeneath = 1
	setNoNewPrivs   = 38
	openPath        = 0x200000 // O_PATH
)

// useful lists what may be read below /proc when a provider for TCP is wanted.
var useful = []string{"/proc/self", "/proc/sys", "/proc/meminfo", "/proc/cpuinfo"}

// start starts libfabric, once.
func (l *library) start(c Config) {
	l.starting.Do(func() {
		tcp := func(provider string) bool {
			return provider == "net" || provider == "tcp" || strings.HasPrefix(provider, "tcp;")
		}
		if !slices.ContainsFunc(c.Providers, func(p string) bool { return !tcp(p) }) {
			var done sync.WaitGroup
			done.Go(func() {
				runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
				if restrict() == nil {
					l.parameters()
				}
			})
			done.Wait()
		}
	})
}

// parameters makes a request that libfabric answers only after it has started.
func (l *library) parameters() {
	get, err := purego.Dlsym(l.handle, "fi_getparams")
	free, bad := purego.Dlsym(l.handle, "fi_freeparams")
	if err != nil || bad != nil {
		return
	}
	a, err := newArena()
	if err != nil {
		return
	}
	defer syscall.Munmap(a.mem)
	list, n := a.take(8), a.take(8)
	if r, _, _ := purego.SyscallN(get, list, n); int32(r) == 0 {
		purego.SyscallN(free, *word(list, 0))
	}
}

// restrict forbids this thread to read files below /proc except the useful ones.
func restrict() error {
	handled := uint64(accessReadFile)
	fd, _, failed := syscall.RawSyscall(sysCreateRuleset, uintptr(unsafe.Pointer(&handled)), unsafe.Sizeof(handled), 0)
	if failed != 0 {
		return failed
	}
	defer syscall.Close(int(fd))
	top, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	paths := slices.Clone(useful)
	for _, e := range top {
		if e.Name() != "proc" {
			paths = append(paths, "/"+e.Name())
		}
	}
	for _, p := range paths {
		allow(fd, p)
	}
	if _, _, failed = syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); failed != 0 {
		return failed
	}
	if _, _, failed = syscall.RawSyscall(sysRestrictSelf, fd, 0, 0); failed != 0 {
		return failed
	}
	return nil
}

// allow allows reading at and below a path.
func allow(ruleset uintptr, path string) {
	fd, err := syscall.Open(path, openPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	rule := struct {
		access uint64
		fd     int32
	}{accessReadFile, int32(fd)}
	_, _, _ = syscall.RawSyscall6(sysAddRule, ruleset, rulePathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
}
