package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// A memory shows the fabric of a job to the launcher.
type memory struct {
	file  *os.File
	begin time.Time                      // before any rank
	view  func() (*fabric.Fabric, error) // maps the file on first use: a job without mishap never needs it
}

var _ launch.Fabric = (*memory)(nil)

// openFabric makes the memory of a job that uses the given NIC, and registers
// its ranks there: the launcher is the NICs' management process.
func openFabric(nic string, ranks int) (launch.Fabric, error) {
	g := fabric.Default()
	g.Ring.Spread = ranks <= wait.UsableCPUs()
	file, err := fabric.Create(ranks, nics.Geometry(nic, g, ranks))
	if err != nil {
		return nil, err
	}
	if err := checkAddresses(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := fabric.Map(file)
	if err == nil {
		err = errors.Join(nics.Register(f), f.Close())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &memory{file: file, begin: time.Now(), view: sync.OnceValues(func() (*fabric.Fabric, error) { return fabric.Map(file) })}, nil
}

// addressesOfGo is what a Go program that starts reserves of its address space
// (1,707,156 KiB here, without the job's memory). With less, its runtime may end it at
// any moment, in many lines.
const addressesOfGo = 1700 << 20

// checkAddresses reports whether the limit on address space lets a process map
// the job's memory, which is in file, and work.
func checkAddresses(file *os.File) error {
	var lim syscall.Rlimit
	info, err := file.Stat()
	if err != nil || syscall.Getrlimit(syscall.RLIMIT_AS, &lim) != nil {
		return nil
	}
	if need := uint64(info.Size()) + addressesOfGo; lim.Cur < need {
		return fmt.Errorf("each process needs %d MiB of address space, but the limit is %d MiB; raise it with ulimit -v", need>>20, lim.Cur>>20)
	}
	return nil
}

func (m *memory) File() *os.File { return m.file }

// Close gives back the descriptor. The view, if there is one, goes with the
// process: a table may still be in the making.
func (m *memory) Close() error { return m.file.Close() }

// Status reads a rank's status line. A line that a dying rank left torn says
// only that the rank was in MPI.
func (m *memory) Status(rank int) launch.Status {
	f, err := m.view()
	if err != nil {
		return launch.Status{}
	}
	s, whole := f.Status(rank)
	if !whole {
		s = fabric.Status{State: fabric.Running}
	}
	st := translate(s, m.begin, time.Now(), f.Ranks())
	if peer, ok := f.Lost(rank); ok {
		st.Lost = peer + 1
	}
	return st
}

// translate puts a status of the fabric into the launcher's terms, at a time in
// a job of so many ranks that began at another. The rank may have written anything:
// what cannot be is left out.
func translate(s fabric.Status, begin, now time.Time, ranks int) launch.Status {
	switch s.State {
	case fabric.Running:
		return launch.Status{State: launch.Computing}
	case fabric.Finished:
		return launch.Status{State: launch.Finalized}
	case fabric.Aborting:
		return launch.Status{State: launch.Aborted}
	case fabric.Waiting:
		peer := max(int(s.Peer), launch.NoPeer)
		if peer >= ranks {
			peer = launch.NoPeer
		}
		bytes := s.Bytes
		if bytes > addressable {
			bytes = -1
		}
		return launch.Status{
			State: launch.Waiting,
			Call:  name(s.Call),
			Peer:  peer,
			Tag:   max(int(s.Tag), launch.NoTag),
			Bytes: bytes,
			For:   waited(s.Since, begin, now),
			Mark:  uint64(s.Since),
			Team:  s.Team,
			Turn:  s.Turn,
			Sign:  s.Sign,
		}
	}
	return launch.Status{State: launch.Outside}
}

// addressable is more than any buffer holds.
const addressable = 1 << 57

// name returns the name of a call as it may be printed: one that is not made of
// letters and digits alone is none.
func name(call string) string {
	for _, c := range call {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return unknownCall
		}
	}
	return cmp.Or(call, unknownCall)
}

// unknownCall stands for a name that no call has.
const unknownCall = "(?)"

// waited returns how long a wait lasts that began at since, in nanoseconds of Unix
// time. Before the job and in the future none can have begun, unless
// somebody has set the clock: then it is not known, and 0.
func waited(since int64, begin, now time.Time) time.Duration {
	if since < begin.UnixNano() || since > now.UnixNano() {
		return 0
	}
	return time.Duration(now.UnixNano() - since)
}
