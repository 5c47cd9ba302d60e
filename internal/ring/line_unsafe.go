package ring

import "unsafe"

// linesOf views mem as lines. Its start must be aligned to a line.
func linesOf(mem []byte) []Line {
	if uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%LineBytes != 0 {
		panic(badAlignment)
	}
	return unsafe.Slice((*Line)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/LineBytes)
}

// inline views the payload words of a line.
func inline(l *Line) *[Inline]byte {
	return (*[Inline]byte)(unsafe.Pointer(&l[HeadBytes/8]))
}

// short views the room for a short payload in the slot that l begins.
func short(l *Line) *[Short]byte { return (*[Short]byte)(unsafe.Pointer(&l[HeadBytes/8])) }

// Memory returns n zero bytes of this process that start on a line, for rings between goroutines.
func Memory(n int) []byte {
	lines := make([]Line, (n+LineBytes-1)/LineBytes+1)
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines)*LineBytes)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all))) % LineBytes)
	return all[skip : skip+n : skip+n]
}

// line0 returns the first line.
func (r *Ring) line0() *Line { return unsafe.SliceData(r.lines) }

// line returns the line of packet number slot.
func (r *Ring) line(slot uint64) *Line {
	return (*Line)(unsafe.Add(unsafe.Pointer(r.line0()), (slot*scatter&r.mask)*SlotBytes))
}

// Fetch prefetches src for read. It never faults and has no effect but on timing.
func Fetch(src *Line) { fetch((*byte)(unsafe.Pointer(src)), 1) }

// PrefetchLines prefetches lines for write, as Prefetch does one.
func PrefetchLines(lines []Line) {
	prefetchLines((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines))
}
