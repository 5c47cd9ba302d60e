package fabric

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// The values of the words with which NICs say whether a job has a manager, and whether the NIC of a
// rank works.
const (
	Off    uint64 = iota
	Rising        // a process is starting it
	On
)

// A Management says for a kind of NIC how a job gets its manager, which is the process that makes
// the memory of a job, once, before any process of the job runs.
type Management struct {
	State *uint64 // in the tables of rank 0
	// Taken: the job already has a manager. Unfinished: its manager has not finished the set-up.
	// Absent: it has no manager.
	Taken, Unfinished, Absent error
}

// Manage calls start for the NIC of each rank, unless another manager has.
func (f *Fabric) Manage(m Management, start func(rank int)) error {
	for rank := range f.Ranks() {
		if f.Process(rank) != 0 {
			return fmt.Errorf("%w: rank %d runs", m.Taken, rank)
		}
	}
	if !atomic.CompareAndSwapUint64(m.State, Off, Rising) {
		if !Await(m.State, On, DrainLimit) {
			return m.Unfinished
		}
		return m.Taken
	}
	for rank := range f.Ranks() {
		start(rank)
	}
	atomic.StoreUint64(m.State, On)
	return nil
}

// Admit checks that a process may open its NIC: the job has a manager. Where ranks are goroutines
// of one process, Admit calls manage if there is none; nobody keeps the handle of that manager.
func (f *Fabric) Admit(m Management, manage func() error) error {
	if !f.Shared() {
		if err := manage(); err != nil && !errors.Is(err, m.Taken) {
			return err
		}
		return nil
	}
	if atomic.LoadUint64(m.State) != On {
		return m.Absent
	}
	return nil
}

// Enough checks that the memory of a job holds the tables of its NICs: device bytes that a NIC writes alone
// and public bytes that all of them write. nic is the name with which the error begins.
func (f *Fabric) Enough(nic string, device, public int) error {
	if g := f.Geometry(); g.Device < device || g.Public < public {
		return fmt.Errorf("%s: %d bytes of NIC memory and %d that all NICs write; it takes %d and %d", nic, g.Device, g.Public, device, public)
	}
	return nil
}
