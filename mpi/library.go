package mpi

import (
	"encoding/binary"
	"hash/fnv"
	"os"

	"rhinet/collectives"
	"rhinet/internal/libmpi"
)

// A library is a Transport that has its own communicators and collective calls: that of
// another MPI (see [Comm.Library]). Each communicator has its own transport, and
// blocking collective calls are passed on unchanged, so that the algorithms of the
// library carry them out.
type library interface {
	Transport
	// Communicator returns the transport of a communicator of world ranks. All of them
	// must call it, with the same number. It closes when its context is shut.
	Communicator(members []int32, number int) (library, error)
	// Collective carries out a blocking collective call on the communicator. Its arguments are
	// those of a method of a Group, checked as far as package mpi does.
	Collective(call *collectives.Call) error
	// About returns the name of the library, and the extra cost of a call in seconds
	// because the program is not written in the library's language. It measures the
	// cost.
	About() (name string, callCost float64)
}

// Library returns the name of the library of another MPI that carries the messages of
// c, and how many seconds each call costs more than in a program in C; "" for network
// interfaces of rhinet, and if c is nil. Programs that are built with the tag peers run
// on such a library if RHINET_LIBMPI names its compiled shim, and its own launcher
// starts them.
//
// Not in the standard.
func (c *Comm) Library() (name string, callCost float64) {
	if lib := c.library(); lib != nil {
		return lib.About()
	}
	return "", 0
}

// library returns the library that carries the messages of c, or nil.
func (c *Comm) library() library {
	if c.isNull() {
		return nil
	}
	lib, _ := c.t.(library)
	return lib
}

// carried returns the error of a call that cannot be passed on to the library of
// another MPI.
func (c *Comm) carried(s site) error {
	if c.library() == nil {
		return nil
	}
	return c.errorAt(s, ErrUnsupported, notCarried)
}

// notCarried is the text of that error.
const notCarried = "the library of another MPI carries messages between two ranks and blocking collective calls here, and no others; run the program on a network interface of rhinet"

// transportOf returns the transport of a communicator of the world.
func (w *world) transportOf(c *core) (Transport, error) {
	lib, ok := w.Transport.(library)
	if !ok || c.id == worldID {
		return w.Transport, nil
	}
	members := c.members
	if members == nil {
		members = make([]int32, c.size)
		for i := range members {
			members[i] = int32(i)
		}
	}
	return lib.Communicator(members, c.agreed())
}

// agreed returns a number that all ranks of c know, and that in all likelihood differs
// from those of communicators that some of the ranks make at the same time.
func (c *core) agreed() int {
	h := fnv.New32a()
	for r := range c.size {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(c.idOf(r))))
	}
	return int(h.Sum32() & collectives.MaxTag)
}

// joinLibrary connects this process, through the library of another MPI, to the job of
// that MPI's launcher.
func (s setup) joinLibrary() (Job, error) {
	lib, err := libmpi.Open(s.library)
	if err != nil {
		return Job{}, initError(ErrInit, "%v", err)
	}
	markEnvironment(os.Getpid(), stateSessions)
	j := Job{Rank: lib.Rank(), Size: lib.Size(), Transport: newLibTransport(lib), Debug: s.watch.Requests}
	j.Abort = func(status int) {
		lib.Abort(status)
		os.Exit(status)
	}
	j.release = func() error { return nil }
	return j, nil
}
