package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/pmi"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// A memory shows the fabric of a job to the launcher.
type memory struct {
	file  *os.File
	begin time.Time
	view  func() (*fabric.Fabric, error) // maps the file on first use: a job without mishap never needs it
}

var _ launch.Fabric = (*memory)(nil)

// openFabric makes the memory of a job that uses the given NIC, and registers
// its ranks there: the launcher is the NICs' management process.
func openFabric(nic string, ranks int) (*memory, error) {
	g := fabric.Default()
	g.Ring.Spread = ranks <= wait.UsableCPUs()
	g = nics.Geometry(nic, g, ranks)
	fit(&g, ranks, syscall.RLIMIT_AS, addressesOfGo)
	fit(&g, ranks, syscall.RLIMIT_FSIZE, 0)
	file, err := fabric.Create(ranks, g)
	if err != nil {
		return nil, err
	}
	if err := checkAddresses(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := fabric.Map(file)
	if err == nil {
		err = errors.Join(nics.Register(nic, f), f.Close())
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

// fit makes what a job can reserve smaller until its memory and more bytes stay
// below a limit of the system, or nothing is left to reserve.
func fit(g *fabric.Geometry, ranks, resource int, more uint64) {
	var lim syscall.Rlimit
	if syscall.Getrlimit(resource, &lim) != nil {
		return
	}
	for g.Common > 0 && uint64(g.Bytes(ranks))+more > lim.Cur {
		if g.Common >>= 1; g.Check(ranks) != nil {
			g.Common = 0
		}
	}
}

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

func (m *memory) File() *os.File   { return m.file }
func (m *memory) Begin() time.Time { return m.begin }

// Close gives back the descriptor. The view, if there is one, goes with the
// process: a table may still be in the making.
func (m *memory) Close() error { return m.file.Close() }

// Status reads a rank's status line. A line that a dying rank left torn says
// only that the rank was in MPI.
func (m *memory) Status(rank int) pmi.Status {
	f, err := m.view()
	if err != nil {
		return pmi.Status{}
	}
	s, whole := f.Status(rank)
	if !whole {
		s = pmi.Status{State: pmi.Computing, Lost: s.Lost}
	}
	return s.Plausible(f.Ranks())
}
