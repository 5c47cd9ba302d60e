package mpi

import "rhinet/collectives"

// The send and receive buffers of a nonblocking collective call, for the guards of a
// checked job, without the memory between the parts of a buffer with displs.

// use records the buffers of a call at a rank of those that make it. Buffers that do
// not matter at the rank are empty.
func (l *launch) use(call *collectives.Call, rank int) {
	send, recv, apart := call.Send, call.Recv, !sameStart(call.Send, call.Recv)
	switch call.Kind {
	case collectives.Bcast:
		l.region(recv, rank != call.Root)
	case collectives.Scatter, collectives.Scatterv:
		l.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		if apart { // else the root's part stays in place
			l.region(recv, true)
		}
	case collectives.ReduceScatter: // its counts describe no buffer of a rank
		l.both(send, recv, apart)
	default:
		if apart {
			l.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		}
		l.parts(recv, call.RecvCounts, call.RecvDispls, call.Elem, true)
	}
}

// both records two buffers; the first is not used if they are not apart.
func (l *launch) both(send, recv []byte, apart bool) {
	if apart {
		l.region(send, false)
	}
	l.region(recv, true)
}

// parts records the parts of a buffer that counts and displs name; all of it if there
// are none.
func (l *launch) parts(buf []byte, counts, displs []int, elem int, fills bool) {
	if displs == nil {
		if len(buf) > 0 && counts != nil {
			buf = buf[:offset(counts, nil, len(counts))*elem]
		}
		l.region(buf, fills)
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
			l.region(buf[from*elem:to*elem], fills)
			from = displs[i]
		}
		to = displs[i] + n
	}
	l.region(buf[from*elem:to*elem], fills)
}

// region records memory. If it is a copy of items, the items belong to the call.
func (l *launch) region(b []byte, fills bool) {
	if len(b) == 0 {
		return
	}
	r := region{buf: b, fills: fills}
	for _, f := range l.flats {
		if at, ok := within(b, view(f.b)); ok {
			r = region{in: f.in, at: at, size: len(b), fills: fills}
		}
	}
	l.regions = append(l.regions, r)
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
			r := region{buf: p.b, fills: fills}
			if p.set && p.e(c).items {
				_, mem, in, err := c.spread(s, p.b, false)
				if err != nil {
					continue // the call returns this error
				}
				r.buf, r.in = mem, in
				if in != nil {
					r.size = in.Size()
				}
			}
			all = append(all, r)
		}
	}
	note(send, false)
	note(recv, true)
	return all
}
