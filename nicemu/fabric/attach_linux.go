package fabric

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// permitAttach lets the other ranks read and write this process on systems where the Yama security
// module allows that for descendants only. Without Yama the call fails, which does no harm.
func permitAttach() {
	_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
}

// errYama says that the system forbids it for all processes.
var errYama = errors.New("fabric: kernel.yama.ptrace_scope forbids processes to read each other's memory")

// AttachPolicy returns an error if it is known, without trying, that processes of this job may not
// read each other's memory.
func AttachPolicy() error {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err != nil {
		return nil // no Yama
	}
	return yama(scope, mayTrace())
}

// yama interprets the setting: 0 is no restriction, 1 is lifted by permitAttach, 2 allows
// privileged processes only, and 3 allows none.
func yama(scope []byte, privileged bool) error {
	switch string(bytes.TrimSpace(scope)) {
	case "0", "1":
		return nil
	case "2":
		if privileged {
			return nil
		}
	}
	return errYama
}

// mayTrace reports whether this process has CAP_SYS_PTRACE.
func mayTrace() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&head, &data[0]) != nil {
		return false
	}
	return data[0].Effective&(1<<unix.CAP_SYS_PTRACE) != 0
}
