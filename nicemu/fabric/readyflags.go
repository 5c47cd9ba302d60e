package fabric

import (
	"sync/atomic"

	"rhinet/internal/ring"
)

// readyBytes is how much of the flag arrays a process maps at once when it first uses some of it: that many
// pages take about as long as the faults of two. Where faults are slow, as in virtual machines, the first
// 128 calls of 1 KiB with their barriers took 330 us each on 4 ranks with a fault for each page, and take
// 140 so; later ones take 15.
const readyBytes = 16 * PageBytes

// A pageMap has a bit for every readyBytes of the flag arrays: this process has mapped them. It is empty
// for memory of one process, which needs no mapping.
type pageMap []atomic.Uint64

// openPages returns the map for the memory of a job, of which nothing is mapped.
func (l *layout) openPages(shared bool) pageMap {
	if !shared {
		return nil
	}
	return make(pageMap, (l.tables-bellsAt+64*readyBytes-1)/(64*readyBytes))
}

// partLines is how many lines of the flag arrays, behind the doorbells, have one bit.
const partLines = readyBytes / ring.LineBytes

// part returns the number of the part in which a line of the flag arrays lies. Doorbells lie before the
// lines, in the same pages.
func (f *Fabric) part(line int) uint { return uint(bells(f.ranks)+line) / partLines }

// unready reports whether this process has not mapped the part of a line yet.
func (f *Fabric) unready(line int) bool {
	part := f.part(line)
	return part/64 < uint(len(f.pages)) && f.pages[part/64].Load()>>(part%64)&1 == 0
}

// take sets the bit of a part and reports whether it was not set.
func (m pageMap) take(part uint) bool {
	bit := uint64(1) << (part % 64)
	return m[part/64].Or(bit)&bit == 0
}

// readyFlags maps the pages around a line of the flag arrays, of the first lines or of the rests, if this
// process has not done that yet.
func (f *Fabric) readyFlags(line int) {
	if len(f.pages) == 0 {
		return
	}
	if part := f.part(line); f.pages.take(part) {
		from := bellsAt + int(part)*readyBytes
		f.Ready(f.mem[from:min(from+readyBytes, f.tables)])
	}
}
