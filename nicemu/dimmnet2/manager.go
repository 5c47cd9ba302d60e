package dimmnet2

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Manager is the privileged process of section 6: it enters the processes of a job with their
// PGID into the registers of the boards. The process that makes the memory of a job becomes its
// manager, before any process of the job runs; a Manager cannot be had from a [NIC].
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("dimmnet2: the job has a manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("dimmnet2: the job's manager has not finished its set-up")
	errAbsent     = errors.New("dimmnet2: the job has no manager; the process that makes the memory of a job of processes must start the NICs (Manage)")
)

// Manage enters all ranks of a job, whose memory is f, as one group.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	m := &Manager{f}
	group := max(uint16(f.Job()^f.Job()>>16), 1)
	if err := f.Manage(management(f), func(rank int) { m.start(rank, group) }); err != nil {
		return nil, err
	}
	return m, nil
}

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: &f.Words(0, fabric.Device)[regManaged], Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// enough checks that tables and windows fit the NIC memory.
func enough(f *fabric.Fabric) error {
	if err := f.Enough("dimmnet2", tableBytes, publicSize); err != nil {
		return err
	}
	if n := f.Geometry().Public - publicSize; n > ModuleBytes {
		return fmt.Errorf("dimmnet2: %d bytes of SO-DIMM for a process; it has at most %d", n, ModuleBytes)
	}
	return nil
}

// admit checks that a process may open its NIC.
func admit(f *fabric.Fabric) error {
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// start enters a rank.
func (m *Manager) start(rank int, pgid uint16) {
	t := m.f.Words(rank, fabric.Device)
	t[regLimit] = uint64(m.f.Geometry().Public - publicSize)
	t[regElement] = 8
	m.Group(rank, pgid)
}

// Group gives a rank another PGID: it and the ranks of its old group can no longer access each
// other.
func (m *Manager) Group(rank int, pgid uint16) {
	atomic.StoreUint64(&m.f.Words(rank, fabric.Device)[regPower], groupWord(pgid))
}
