package mpi

import "rhinet/collectives"

// What a collective call that does not block sends and receives into, for the guards of a checked job. What
// lies between the parts of a buffer with displs is left out.

// use notes the buffers of a call at a rank of those that make it, which has none that do not matter there.
func (l *launch) use(call *collectives.Call, rank int) {
	send, recv, apart := call.Send, call.Recv, !sameStart(call.Send, call.Recv)
	switch call.Kind {
	case collectives.Bcast:
		l.region(recv, rank != call.Root)
	case collectives.Scatter, collectives.Scatterv:
		l.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		if apart { // else the root leaves its part where it is
			l.region(recv, true)
		}
	case collectives.ReduceScatter: // whose counts are of what nobody has in one piece
		l.both(send, recv, apart)
	default:
		if apart {
			l.parts(send, call.SendCounts, call.SendDispls, call.Elem, false)
		}
		l.parts(recv, call.RecvCounts, call.RecvDispls, call.Elem, true)
	}
}

// both notes two buffers, of which the first is not used if they are not apart.
func (l *launch) both(send, recv []byte, apart bool) {
	if apart {
		l.region(send, false)
	}
	l.region(recv, true)
}

// parts notes those of a buffer that counts and displs name; all of it, if there are none.
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

// region notes memory. If that is a copy of items, it is they that belong to the call.
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

// within is where b, which is not empty, lies in all, if it does.
func within(b, all []byte) (at int, ok bool) {
	if !overlap(b, all) {
		return 0, false
	}
	return int(address(b) - address(all)), true
}

// regions are what the parts of an Alltoallw are of.
func (c *Comm) regions(s site, send, recv []Part) (all []region) {
	note := func(parts []Part, fills bool) {
		for _, p := range parts {
			r := region{buf: p.b, fills: fills}
			if p.set && p.e(c).items {
				_, mem, in, err := c.spread(s, p.b, false)
				if err != nil {
					continue // the call says so
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
