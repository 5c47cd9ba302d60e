package ib

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Manager is the subnet manager of a job (infiniband, section 14): it brings the ports up and
// gives them their addresses. As their connection manager, it also connects the processes of the
// job to each other before they run, so that a first message does not need the process at the other
// side. These are the bootstrap connections of a library (llc, section 4.1), with the memory of the
// job in place of the store through which numbers and keys are exchanged.
//
// The process that makes the memory of a job becomes its manager, before any process of the job
// runs. A process has an [HCA], from which it cannot get a Manager.
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("ib: the job has a subnet manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("ib: the job's subnet manager has not finished its set-up")
	errAbsent     = errors.New("ib: the job has no subnet manager; the process that makes the memory of a job must bring the ports up (Manage)")
)

// Geometry returns the memory that the adapters need.
func Geometry(g fabric.Geometry, _ int) fabric.Geometry {
	g.Device, g.Public = max(g.Device, DeviceBytes), max(g.Public, PublicBytes)
	return g
}

// Manage brings up the ports of all ranks of a job, whose memory is f, and connects its processes:
// rank r has LID r+1, and its queue pair number i belongs to rank i.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := f.Manage(management(f), func(rank int) { start(f, rank) }); err != nil {
		return nil, err
	}
	return &Manager{f}, nil
}

// managed returns the word that says whether a job has a manager.
func managed(f *fabric.Fabric) *uint64 { return &f.Words(0, fabric.Device)[regManaged] }

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: managed(f), Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// enough checks that the tables fit the memory of an adapter.
func enough(f *fabric.Fabric) error { return f.Enough("ib", DeviceBytes, PublicBytes) }

// admit checks that a process may open its adapter.
func admit(f *fabric.Fabric) error {
	if err := enough(f); err != nil {
		return err
	}
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// SetPort takes the port of a rank down, or brings it up again.
func (m *Manager) SetPort(rank int, up bool) error {
	if uint(rank) >= uint(m.f.Ranks()) {
		return fmt.Errorf("ib: rank %d; the job has ranks 0 to %d", rank, m.f.Ranks()-1)
	}
	state := portDown
	if up {
		state = portActive
	}
	atomic.StoreUint64(&adapterOf(m.f, rank).tables[regPort], state)
	return nil
}

// start brings up the port of a rank, whose process need not run yet.
func start(f *fabric.Fabric, rank int) {
	a := adapterOf(f, rank)
	atomic.StoreUint64(&a.tables[regAddress], uint64(rank+1))
	atomic.StoreUint64(&a.tables[regGUID], uint64(f.Job())<<32|uint64(rank+1))
	for region, area := range map[int]fabric.Area{regionRings: fabric.Rings, regionControl: fabric.Control, regionReceive: fabric.Shared} {
		at, n := f.Span(rank, area)
		a.enter(region, &extent{jobDomain, RemoteWrite | RemoteRead | RemoteAtomic | LocalWrite | ZeroBased, 0, n, at, 0})
	}
	at, n := f.FlagSpan()
	a.enter(regionFlags, &extent{jobDomain, RemoteWrite | ZeroBased, 0, n, at, 0})
	for i := range f.Ranks() {
		e := a.qp(i)
		e.store(qpNumber, uint64(linkQPN(i))|uint64(jobDomain)<<32)
		e.store(qpPeer, uint64(i+1)|uint64(linkQPN(rank))<<32)
		e.store(qpReceive, stridingQueue|uint64(RemoteWrite|RemoteRead|RemoteAtomic)<<32)
		sealQP(e)
		e.store(qpState, 1<<32|qpInUse|uint64(RC)<<8|uint64(RTS))
	}
	atomic.StoreUint64(&a.tables[regPort], portActive)
}

// linkQPN returns the number of the queue pair by which a process is connected to process i of the
// job.
func linkQPN(i int) QPN { return QPN(firstGeneration<<indexBits | i) }

// linkKey returns the key of one of the job's own regions, which is the same at every adapter.
func linkKey(region int) Key { return Key(firstGeneration<<indexBits | region) }
