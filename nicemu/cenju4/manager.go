package cenju4

import (
	"errors"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Manager is the OS: it starts the NICs of a job, writes their tables, and sends parcels in
// supervisor mode. The process that makes the memory of a job becomes its manager, before any
// process of the job runs; a Manager cannot be had from a [NIC].
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("cenju4: the job has a manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("cenju4: the job's manager has not finished its set-up")
	errAbsent     = errors.New("cenju4: the job has no manager; the process that makes the memory of a job of processes must start the NICs (Manage)")
)

// Manage starts the NICs of all ranks of a job, whose memory is f.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := f.Manage(management(f), func(rank int) { start(f, rank) }); err != nil {
		return nil, err
	}
	return &Manager{f}, nil
}

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: &f.Words(0, fabric.Device)[regManaged], Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// enough checks that the tables fit the NIC memory.
func enough(f *fabric.Fabric) error { return f.Enough("cenju4", minMemory, publicSize) }

// admit checks that a process may open its NIC.
func admit(f *fabric.Fabric) error {
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// start brings up the NIC of a rank, whose process need not run yet.
func start(f *fabric.Fabric, rank int) {
	t := nodeOf(f, rank)
	t.setSegment(Static, segment{regStatic, areaRings, endAreas - 1, staticShift})
	t.setSegment(Mapped, mappedSegment(t))
	t.setSegment(NoneYet, segment{first: 1})
	t.setSegment(Lent, segment{first: 1})
	seg := t.segment(Static)
	area := func(page, at, size uint64, r Right) {
		storePTE(t.entry(&seg, page), pte{at, min(size, farByte) | uint64(r) | pteValid | pteInJob})
	}
	at, size := f.Span(rank, fabric.Rings)
	area(areaRings, at, size, MayRead|MayWrite)
	at, size = f.Span(rank, fabric.Public)
	area(areaBootstrap, at+publicSize, size-publicSize, MayRead|MayWrite|MayUpdate)
	at, size = f.Span(rank, fabric.Control)
	area(areaControl, at, size, MayRead|MayUpdate)
	at, size = f.FlagSpan()
	area(areaFlags, at, size, MayRead)
	at, _ = f.Span(rank, fabric.Device)
	area(areaBuffers, at+regBuffers*8, Cids*bufferWords*8, MayRead)
	for dest := range f.Ranks() {
		t.setNode(dest, destination{dest, taskCid})
	}
	atomic.StoreUint64(&t.tables[regNodeLimit], uint64(f.Ranks()))
	atomic.StoreUint64(&t.tables[regPower], fabric.On)
}

// mappedSegment returns the segment for memory that a task maps: its page table is the rest of the
// tables.
func mappedSegment(t node) segment {
	pages := uint64(len(t.tables)-regPages) / pteWords
	return segment{regPages, 0, pages - 1, pageShift}
}

// Post sends a parcel in supervisor mode by the NIC of a rank, from the OS's header queue. With the
// flag Supervisor its addresses are physical: offsets in the job's memory.
func (m *Manager) Post(n *NIC, p *Parcel) error {
	if n == nil || n.f != m.f {
		return errForeign
	}
	return n.post(p, nil, true)
}

var errForeign = errors.New("cenju4: a NIC of another job, or none; a manager knows those in the memory that it manages")
