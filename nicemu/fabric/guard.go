package fabric

import "sync"

// A guard keeps a process that is a rank from writing what only others write.
//
// All such memory is contiguous, except for the header: whatever the number of
// ranks, a process has seven mappings of the region, or two more for each further
// rank that it is.
//
//	header            read
//	common to boards  read, write
//	tables below own  read
//	own tables        read, write
//	tables above own  read
//	slices            read, write
//	reserved memory   read, write; not in core dumps
type guard struct {
	mu sync.Mutex
	on bool
}

// protect makes the header and the tables of all ranks readable only, if they
// are not yet, and those of rank writable. Memory of goroutines, which is one process's own,
// stays as it is.
func (f *Fabric) protect(rank int) error {
	if !f.shared {
		return nil
	}
	f.guard.mu.Lock()
	defer f.guard.mu.Unlock()
	own := f.tables + rank*f.entries
	if f.guard.on {
		return writable(f.mem[own:own+f.entries], true)
	}
	for _, part := range [][2]int{{headerAt, commonAt}, {f.tables, own}, {own + f.entries, f.slices}} {
		if part[0] == part[1] {
			continue
		}
		if err := writable(f.mem[part[0]:part[1]], false); err != nil {
			return err
		}
	}
	f.guard.on = true
	return nil
}
