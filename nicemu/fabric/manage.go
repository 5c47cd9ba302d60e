package fabric

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// What the words by which NICs say it mean: whether a job has a manager, and
// whether the NIC of a rank works.
const (
	Off    uint64 = iota
	Rising        // somebody sees to it
	On
)

// A Management says of a kind of NIC how a job gets its manager: whoever makes the
// memory of a job, once, before any process of it runs.
type Management struct {
	State *uint64 // in the tables of rank 0
	// The errors: the job has a manager, its manager has not come to the end of its
	// set-up, it has none.
	Taken, Unfinished, Absent error
}

// Manage has start bring up the NIC of each rank, if nobody has.
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

// Admit lets a process that opens its NIC in: the job has a manager or, where ranks
// are goroutines of one process, gets one by manage, of which nobody keeps the handle.
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
