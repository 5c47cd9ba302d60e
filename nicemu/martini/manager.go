package martini

import (
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
)

// A Manager is the privileged side of the NICs of a job: the management process with its device
// files that ordinary users cannot open (martini, section 8.5). Only a Manager assigns Windows to
// processes of jobs: a process has a [NIC], from which it cannot get a Manager.
//
// The process that makes the memory of a job becomes its manager, before any process of the job
// runs.
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("martini: the job has a manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("martini: the job's manager has not finished its set-up")
	errAbsent     = errors.New("martini: the job has no manager; the process that makes the memory of a job of processes must start the NICs (Manage)")
)

// Manage starts the NICs of all ranks of a job, whose memory is f, and enters the owners of all
// Windows into PGIDTBL (martini, sections 3.4, 8.5): those of rank r belong to process r of the
// job. The process that opens that NIC is process r, once.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	err := f.Manage(management(f), func(rank int) {
		t := start(f, rank)
		for i := range Windows {
			t.assign(i, f.Job(), rank)
		}
	})
	if err != nil {
		return nil, err
	}
	return &Manager{f}, nil
}

// managed returns the word that says whether a job has a manager.
func managed(f *fabric.Fabric) *uint64 { return &f.Words(0, fabric.Device)[regManaged] }

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: managed(f), Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// enough checks that the tables fit the NIC memory.
func enough(f *fabric.Fabric) error { return f.Enough("martini", MemoryBytes, PublicBytes) }

// admit checks that a process may open its NIC.
func admit(f *fabric.Fabric) error {
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// check returns an error if there is no such Window of a rank.
func (m *Manager) check(rank, window int) error {
	switch {
	case uint(rank) >= uint(m.f.Ranks()):
		return fmt.Errorf("martini: rank %d; the job has ranks 0 to %d", rank, m.f.Ranks()-1)
	case uint(window) >= Windows:
		return fmt.Errorf("martini: Window %d; a NIC has Windows 0 to %d", window, Windows-1)
	}
	return nil
}

// Assign registers the owner of a Window of a rank's NIC: a process of the job
// with the given PGID (martini, sections 3.2, 8.5).
func (m *Manager) Assign(rank, window int, pgid uint32, pid int) error {
	if err := m.check(rank, window); err != nil {
		return err
	}
	nodeOf(m.f, rank).assign(window, pgid, pid)
	return nil
}

// Invalidate withdraws a Window of a rank's NIC from its owner.
func (m *Manager) Invalidate(rank, window int) error {
	if err := m.check(rank, window); err != nil {
		return err
	}
	nodeOf(m.f, rank).invalidate(window)
	return nil
}

// Admit registers the next process that opens the NIC of a rank as process number rank of the job
// with the given PGID: for instance that of another job, or a further process after the first has
// closed its NIC. The NIC's own memory, which peers reach as memory of the process, then belongs to
// that job too.
func (m *Manager) Admit(rank int, pgid uint32) error {
	for i := range Windows {
		if err := m.Assign(rank, i, pgid, rank); err != nil {
			return err
		}
	}
	t, key := nodeOf(m.f, rank), makeKey(pgid, rank)
	for sid := range firstSID {
		if s := t.segment(sid); s.load(entState) != 0 {
			s.give(key)
		}
	}
	for i := range ownExtents {
		t.extent(i).give(key)
	}
	return nil
}

// Hardware returns the inside of a NIC of the job, for the stepped model of
// the controller.
func (m *Manager) Hardware(n *NIC) (*Hardware, error) {
	if n == nil || n.f != m.f {
		return nil, errors.New("martini: a NIC of another job, or none; a manager knows those in the memory that it manages")
	}
	return &Hardware{n}, nil
}

// assign enters the owner of a Window into PGIDTBL.
func (t node) assign(window int, pgid uint32, pid int) {
	w := t.window(window)
	w.store(winKey, (w.load(winKey)&^(winOwner|winValid)+winOnce)&^winValid|winValid|makeKey(pgid, pid))
}

// invalidate takes the owner of a Window out of PGIDTBL.
func (t node) invalidate(window int) {
	w := t.window(window)
	w.store(winKey, w.load(winKey)&^(winOwner|winValid))
}
