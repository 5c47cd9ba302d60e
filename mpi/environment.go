package mpi

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// Version returns the version of the MPI standard that this package follows.
//
// MPI 4.1, section 9.1.1.
func Version() (major, minor int) { return 4, 1 }

// LibraryVersion describes in one line the library that carries the program's messages,
// for logs: the version of rhinet that the program was built with, as far as it is
// known, the version of Go, and the platform.
//
// MPI 4.1, section 9.1.1.
func LibraryVersion() string {
	return fmt.Sprintf("rhinet %s, %s, %s/%s", builtWith(debug.ReadBuildInfo()), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// builtWith finds the version of this module in the build information of a program.
func builtWith(info *debug.BuildInfo, ok bool) string {
	const unknown = "of unknown version"
	if !ok {
		return unknown
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == "rhinet" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return unknown
}

// ProcessorName returns the name of the host that the rank runs on.
//
// MPI 4.1, section 9.1.2.
func ProcessorName() (string, error) {
	name, err := os.Hostname()
	if err != nil {
		var none *Comm
		return "", none.because(at("ProcessorName"), ErrOther, err, "")
	}
	return name, nil
}

// AppNum returns which of the programs of its job the rank runs, counted from 0 in the
// order in which the launcher was given them: in mpirun -n 1 ./a : -n 3 ./b it is 1 on
// ranks 1 to 3. ok is false if no launcher has told, as in a process that was started
// alone, or on the library of another MPI. c is any communicator of the rank.
//
// MPI 4.1, section 11.10.3 (MPI_APPNUM).
func AppNum(c *Comm) (n int, ok bool) {
	if c.isNull() || c.w.App == 0 {
		return 0, false
	}
	return c.w.App - 1, true
}

// Wtick returns the resolution of [Wtime] in seconds.
//
// MPI 4.1, section 9.6.
func Wtick() float64 { return 1e-9 }
