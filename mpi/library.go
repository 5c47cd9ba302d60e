package mpi

import (
	"encoding/binary"
	"hash/fnv"
	"os"

	"rhinet/collectives"
	"rhinet/internal/libmpi"
)

// A library is a Transport that has communicators and collective calls of its own: that of another MPI
// (see [Comm.Library]). Each communicator has its own transport, and blocking collective calls are
// handed over as they are, so that the library's algorithms carry them out.
type library interface {
	Transport
	// Communicator returns the transport of a communicator of world ranks, which all of them
	// make, with the same number. It closes when its context is shut.
	Communicator(members []int32, number int) (library, error)
	// Collective carries out a blocking collective call on the communicator. Its arguments are
	// those of a method of a Group, checked as far as package mpi does.
	Collective(call collectives.Call) error
	// About is the name of the library, and what a call of it costs, in seconds, because the program
	// is not written in its language. It measures that.
	About() (name string, callCost float64)
}

// Library returns the name of the library of another MPI that carries the messages of c, and how many
// seconds each call costs that a program in C would not spend; "" for network interfaces of rhinet.
// Programs that are built with the tag peers run on such a library if RHINET_LIBMPI names its
// compiled shim, and its own launcher starts them.
func (c *Comm) Library() (name string, callCost float64) {
	if lib := c.library(); lib != nil {
		return lib.About()
	}
	return "", 0
}

// library is the library that carries the messages of c, or nil.
func (c *Comm) library() library {
	if c == nil {
		return nil
	}
	lib, _ := c.t.(library)
	return lib
}

// carried refuses a call that the library of another MPI is not made to carry.
func (c *Comm) carried(s site) error {
	if c.library() == nil {
		return nil
	}
	return c.errorAt(s, ErrUnsupported, notCarried)
}

// notCarried is what is to be done about such a call.
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

// agreed is a number that all ranks of c know, and that tells it apart from others that are made of
// some of them at the same time, in all likelihood.
func (c *core) agreed() int {
	h := fnv.New32a()
	for r := range c.size {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(c.idOf(r))))
	}
	return int(h.Sum32() & collectives.MaxTag)
}

// joinLibrary connects this process to the job of another MPI's launcher by the library of that.
func (s setup) joinLibrary() (Job, error) {
	lib, err := libmpi.Open(s.library)
	if err != nil {
		return Job{}, initError(ErrInit, "%v", err)
	}
	pid := os.Getpid()
	markEnvironment(pid, stateActive)
	j := Job{Rank: lib.Rank(), Size: lib.Size(), Transport: newLibTransport(lib), Debug: s.watch.Requests}
	j.Abort = func(status int) {
		lib.Abort(status)
		os.Exit(status)
	}
	j.release = func() error {
		markEnvironment(pid, stateFinalized)
		return nil
	}
	return j, nil
}
