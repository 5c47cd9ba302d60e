package sync

import (
	"errors"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Manager starts the RPs of a job and assigns the buffers in their local memory. The process that
// makes the memory of a job becomes its manager, before any process of the job runs; a Manager
// cannot be had from a [NIC]. (Our choice.)
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("sync: the job has a manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("sync: the job's manager has not finished its set-up")
	errAbsent     = errors.New("sync: the job has no manager; the process that makes the memory of a job of processes must start the NICs (Manage)")
)

// Manage starts the RPs of all ranks of a job, whose memory is f.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := f.Enough("sync", tableBytes, publicSize); err != nil {
		return nil, err
	}
	m := &Manager{f}
	return m, f.Manage(management(f), m.start)
}

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: &f.Words(0, fabric.Device)[regManaged], Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// admit checks that a process may open its NIC.
func admit(f *fabric.Fabric) error {
	if g := f.Geometry(); g.Device < tableBytes {
		return errAbsent
	}
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// start starts the RP of a rank.
func (m *Manager) start(rank int) {
	at, size := m.f.Span(rank, fabric.Rings)
	m.assign(rank, ReceiveBuffers, at, size)
	at, size = m.f.Span(rank, fabric.Public)
	m.assign(rank, Mailbox, at+publicSize, size-publicSize)
	m.Join(rank, m.f.Job())
}

// assign enters a buffer.
func (m *Manager) assign(rank int, b Buffer, at, size uint64) {
	e := nodeOf(m.f, rank).entry(b)
	atomic.StoreUint64(&e[entStart], at)
	atomic.StoreUint64(&e[entSize], size)
	atomic.StoreUint64(&e[entSeal], fabric.Seal(at, size, uint64(rank), uint64(b)))
}

// Join moves a node to another job: it and the nodes of its old job can no longer reach each other.
func (m *Manager) Join(rank int, job uint32) {
	atomic.StoreUint64(&m.f.Words(rank, fabric.Device)[regJob], jobWord(job))
}
