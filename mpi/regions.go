package mpi

import "rhinet/collectives"

// A footprint is what a collective call of a checked job sends and receives into,
// without the memory between the parts of a buffer with displs.
type footprint struct {
	regions []region
	flats   flats
}

// flats are the buffers of items of a call.
type flats []*flat

// region returns memory that a call sends, or receives into. If it is a copy of items,
// the items are used.
func (all flats) region(b []byte, fills bool) region {
	for _, f := range all {
		if at, ok := within(b, view(f.b)); ok && f.in != nil {
			return region{in: f.in, at: at, size: len(b), fills: fills}
		}
	}
	return region{buf: b, fills: fills}
}

// use records the buffers of a call at a rank of those that make it. Buffers that do
// not matter at the rank are empty.
func (m *footprint) use(call *collectives.Call, rank int) {
	send, recv, apart := call.Send, call.Recv, !sameStart(call.Send, call.Recv)
	switch call.Kind {
	case collectives.Bcast:
		m.region(recv, rank != call.Root)
	case collectives.Scatter, collectives.Scatterv:
		m.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		if apart { // else the root's part stays in place
			m.region(recv, true)
		}
	case collectives.ReduceScatter: // its counts describe no buffer of a rank
		m.both(send, recv, apart)
	case collectives.Exscan:
		if rank == 0 { // recv is not significant
			m.region(send, false)
		} else {
			m.both(send, recv, apart)
		}
	default:
		if apart {
			m.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		}
		m.parts(recv, call.RecvCounts, call.RecvDispls, call.Elem, true)
	}
}

// both records two buffers; the first is not used if they are not apart.
func (m *footprint) both(send, recv []byte, apart bool) {
	if apart {
		m.region(send, false)
	}
	m.region(recv, true)
}

// parts records the parts of a buffer that counts and displs name; all of it if there
// are none.
func (m *footprint) parts(buf []byte, counts, displs []int, elem int, fills bool) {
	if displs == nil {
		if len(buf) > 0 && counts != nil {
			buf = buf[:offset(counts, nil, len(counts))*elem]
		}
		m.region(buf, fills)
		return
	}
	if len(buf) == 0 {
		return // the counts are the root's
	}
	from, to := 0, 0
	for i, n := range counts {
		if n == 0 {
			continue
		}
		if displs[i] != to {
			m.region(buf[from*elem:to*elem], fills)
			from = displs[i]
		}
		to = displs[i] + n
	}
	m.region(buf[from*elem:to*elem], fills)
}

// region records memory.
func (m *footprint) region(b []byte, fills bool) {
	if len(b) > 0 {
		m.regions = append(m.regions, m.flats.region(b, fills))
	}
}

// within returns where in all b, which is not empty, is, if it is there.
func within(b, all []byte) (at int, ok bool) {
	if !overlap(b, all) {
		return 0, false
	}
	return int(address(b) - address(all)), true
}

// regions returns the memory of the parts of an Alltoallw.
func (c *Comm) regions(s site, send, recv []Part) (all []region) {
	note := func(parts []Part, fills bool) {
		for _, p := range parts {
			all = append(all, c.regionAt(s, p.elem(c), p.b, fills))
		}
	}
	note(send, false)
	note(recv, true)
	return all
}

// regionAt returns the memory of a buffer of elements e. It is empty if the elements
// cannot be used: the call returns this error.
func (c *Comm) regionAt(s site, e *elem, b []byte, fills bool) region {
	if !e.items {
		return regionOf(b, nil, fills)
	}
	_, mem, in, err := c.spread(s, b, false)
	if err != nil {
		return region{}
	}
	return regionOf(mem, in, fills)
}
