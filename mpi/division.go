package mpi

// A division says where the parts of a buffer lie that counts and displs name. Most
// calls name the same parts as the one before: then these need not be checked and
// placed again.
type division struct {
	counts, displs []int // of the last call
	packed         bool  // that had no displs
	size           int   // bytes of an element
	room           int   // elements that the buffer needs
	parts          []part
	bytes          int // of all parts
}

// check takes counts and displs for size ranks and a buffer of room elements of elem bytes,
// unless wrong says what is wrong with them.
func (d *division) check(wrong func(size, n int, counts, displs []int) (Class, string), size, room int, counts, displs []int, elem int) (Class, string) {
	if !d.fits(counts, displs, room, elem) {
		if class, text := wrong(size, room, counts, displs); text != "" {
			return class, text
		}
		d.set(counts, displs, elem)
	}
	return 0, ""
}

// fits reports whether the parts are those of counts and displs in a buffer of room
// elements of size bytes.
func (d *division) fits(counts, displs []int, room, size int) bool {
	if len(counts) != len(d.counts) || len(displs) != len(d.displs) || (displs == nil) != d.packed || size != d.size || room < d.room {
		return false
	}
	for i, n := range counts {
		if n != d.counts[i] {
			return false
		}
	}
	for i, at := range displs {
		if at != d.displs[i] {
			return false
		}
	}
	return true
}

// set takes counts and displs, which have been checked.
func (d *division) set(counts, displs []int, size int) {
	d.counts, d.displs = append(d.counts[:0], counts...), append(d.displs[:0], displs...)
	d.packed, d.size = displs == nil, size
	d.parts = appendParts(d.parts[:0], counts, displs, size)
	d.room, d.bytes = 0, 0
	for _, p := range d.parts {
		d.room = max(d.room, (p.at+p.n)/size)
		d.bytes += p.n
	}
}

// of returns part i of buf.
func (d *division) of(buf []byte, i int) []byte {
	p := d.parts[i]
	return buf[p.at:][:p.n]
}
