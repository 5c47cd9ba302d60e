package main

import (
	"errors"
	"os"
	"sync"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// A memory shows the fabric of a job to the launcher.
type memory struct {
	file *os.File
	view func() (*fabric.Fabric, error) // maps the file on first use: a job without mishap never needs it
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
	f, err := fabric.Map(file)
	if err == nil {
		err = errors.Join(nics.Register(f), f.Close())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &memory{file: file, view: sync.OnceValues(func() (*fabric.Fabric, error) { return fabric.Map(file) })}, nil
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
		return launch.Status{State: launch.Computing}
	}
	return translate(s, time.Now())
}

// translate puts a status of the fabric into the launcher's terms.
func translate(s fabric.Status, now time.Time) launch.Status {
	switch s.State {
	case fabric.Running:
		return launch.Status{State: launch.Computing}
	case fabric.Finished:
		return launch.Status{State: launch.Finalized}
	case fabric.Aborting:
		return launch.Status{State: launch.Aborted}
	case fabric.Waiting:
		return launch.Status{
			State: launch.Waiting,
			Call:  s.Call,
			Peer:  max(int(s.Peer), launch.NoPeer),
			Tag:   max(int(s.Tag), launch.NoTag),
			Bytes: s.Bytes,
			For:   max(0, now.Sub(time.Unix(0, s.Since))),
			Mark:  uint64(s.Since),
		}
	}
	return launch.Status{State: launch.Outside}
}
