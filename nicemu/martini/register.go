package martini

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// Register enters the owners of all Windows of all NICs of a job into PGIDTBL:
// the part of the management process, before any process of the job runs
// (martini, sections 3.4, 8.5). From then on a process that opens its NIC is
// what it was registered as, once; no process registers itself. The memory of
// a job without manager, such as that of goroutines, is not registered: there
// each process is its own manager.
func Register(f *fabric.Fabric) error {
	if have := f.Geometry().Device; have < MemoryBytes {
		return fmt.Errorf("martini: %d bytes of NIC memory; it takes %d", have, MemoryBytes)
	}
	for rank := range f.Ranks() {
		t, ok := start(f, rank)
		if !ok {
			return fmt.Errorf("martini: the NIC of rank %d does not start", rank)
		}
		for i := range Windows {
			t.window(i).store(winKey, winValid|makeKey(f.Job(), rank))
		}
		atomic.StoreUint64(&t[regManaged], 1)
	}
	return nil
}

// admitted returns the key that this process was registered with, or 0 if it
// is its own manager.
func (n *NIC) admitted(o Options) (uint64, error) {
	if atomic.LoadUint64(&n.own[regManaged]) == 0 {
		return 0, nil
	}
	key := n.own.window(0).load(winKey)
	if key&winValid == 0 {
		return 0, fmt.Errorf("martini: no Window is registered for rank %d: a process has had and closed its NIC already", n.rank)
	}
	if o.Job != 0 && o.Job != uint32(key) {
		return 0, fmt.Errorf("martini: rank %d is registered for job %#x, not %#x", n.rank, uint32(key), o.Job)
	}
	return key &^ winValid, nil
}
