//go:build peers && linux && (amd64 || arm64)

package libmpi

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// version is the version of the shim's interface.
const version = 1

// A function is a function of the shim.
type function int

const (
	shimVersion function = iota
	nothing
	open
	closing
	abort
	text
	group
	free
	send
	recv
	isend
	irecv
	wait
	waitAny
	probe
	barrier // from here on in the order of Kind
	bcast
	reduce
	allreduce
	scan
	gather
	scatter
	allgather
	alltoall
	alltoallv
	numFunctions
)

// names lists the names of the functions in the shim, without rhinet_, and of the functions of the standard
// that they stand for, without MPI_.
var names = [numFunctions]struct{ shim, mpi string }{
	{"version", ""}, {"nothing", ""}, {"open", "Init_thread"}, {"close", "Finalize"}, {"abort", "Abort"}, {"text", "Error_string"},
	{"group", "Comm_create_group"}, {"free", "Comm_free"},
	{"send", "Send"}, {"recv", "Recv"}, {"isend", "Isend"}, {"irecv", "Irecv"}, {"wait", "Wait"}, {"any", "Waitany"}, {"probe", "Probe"},
	{"barrier", "Barrier"}, {"bcast", "Bcast"}, {"reduce", "Reduce"}, {"allreduce", "Allreduce"}, {"scan", "Scan"}, {"gather", "Gather"},
	{"scatter", "Scatter"}, {"allgather", "Allgather"}, {"alltoall", "Alltoall"}, {"alltoallv", "Alltoallv"},
}

// A call holds the arguments of every function; c/shim.c has the same structure.
type call struct {
	comm, peer, tag, count, kind, op, flag         int64
	send, recv                                     uintptr
	sendCounts, sendDispls, recvCounts, recvDispls uintptr
	transfers                                      uintptr
}

// find loads a shim and looks up its functions. It stays loaded.
func find(shim string) (table [numFunctions]uintptr, err error) {
	const way = "compile internal/libmpi/c/shim.c of this rhinet with the mpicc of the library, as bench compare npb --peers does"
	if _, err := os.Stat(shim); err != nil {
		return table, fmt.Errorf("%w: %s: %w; %s", ErrUnavailable, Variable, err, way)
	}
	// The components of Open MPI look up its symbols among those of the whole program.
	h, err := purego.Dlopen(shim, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return table, fmt.Errorf("%w: %s=%s cannot be loaded: %s; %s", ErrUnavailable, Variable, shim, oneLine(err.Error()), way)
	}
	for f := range numFunctions {
		if table[f], err = purego.Dlsym(h, "rhinet_"+names[f].shim); err != nil {
			return table, fmt.Errorf("%w: %s=%s is no shim of this rhinet: it has no rhinet_%s; %s", ErrUnavailable, Variable, shim, names[f].shim, way)
		}
	}
	return table, nil
}

// oneLine returns a C text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// at returns the address of s; 0 if it is empty.
func at[T any](s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(s)))
}

// run calls a function with l.call.
func (l *Library) run(f function) int64 {
	l.arg[0] = uintptr(unsafe.Pointer(&l.call))
	r, _, _ := purego.SyscallN(l.table[f], l.arg[:]...)
	return int64(r)
}
