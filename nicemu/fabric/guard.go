package fabric

import "sync"

// A guard keeps a process that is a rank from writing memory that only others may write.
//
// All such memory is contiguous, except for the header: for any number of ranks, a process has
// seven mappings of the region, and two more for each further rank that it is.
//
//	header            read
//	common to flag arrays  read, write
//	tables below own  read
//	own tables        read, write
//	tables above own  read
//	slices            read, write
//	reserved memory   read, write; not in core dumps
type guard struct {
	mu sync.Mutex
	on bool
}

// protect makes the header and the tables of all ranks readable only, unless they already are, and
// those of rank writable. In a job of goroutines it does nothing.
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
