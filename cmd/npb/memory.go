package main

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// A shortage says that the machine does not have the memory for a kernel.
type shortage struct {
	kernel          string
	class           nas.Class
	procs           int
	need, available int64
}

func (e *shortage) Error() string {
	return fmt.Sprintf("%s class %s on %s needs about %s of memory, but only %s are available; free some, or choose a smaller class",
		e.kernel, e.class, nas.Processes(e.procs), bytesText(e.need), bytesText(e.available))
}

// bytesText returns a number of bytes, also in a suitable unit.
func bytesText(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size {
			return fmt.Sprintf("%d bytes (%.1f %s)", n, float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// fits returns a *shortage if a kernel needs more than the available memory, which is negative if unknown.
func fits(k nas.Kernel, procs int, class nas.Class, available int64) error {
	if need := k.Memory(procs, class); available >= 0 && need > available {
		return &shortage{k.Name, class, procs, need, available}
	}
	return nil
}

// memory returns on every rank how much memory rank 0 finds available, negative if unknown: all ranks must
// decide alike.
func (o *options) memory(world *mpi.Comm) (int64, error) {
	known := []int64{-1}
	if world.Rank() == 0 && o.available != nil {
		known[0] = o.available()
	}
	err := mpi.Bcast(world, known, 0)
	return known[0], err
}
