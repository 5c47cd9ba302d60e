package cenju4

import (
	"fmt"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/vtime"
)

// A message is how software sends some bytes from one node to another.
type message struct {
	bytes   int
	off     int          // of the source within its line, in bytes; the destination is on a line boundary
	flags   cenju4.Flags // of its parcels
	before  vtime.Time   // software, before the first parcel
	flushed bool         // the source is not in the cache
	mpi     bool         // with a rendezvous
}

// parcels returns the parcels of the message: at most 512 KByte each, and in addition the words that come
// from the wrong page (cenju4, section 7.3).
func (g *message) parcels(from, to int) (all []timed.Parcel) {
	p := timed.Parcel{From: from, To: []int{to}, Protocol: cenju4.RemoteDMA, Flags: g.flags, Flushed: g.flushed}
	if g.bytes <= cenju4.MaxInline && !g.mpi {
		p.Flags, p.Bytes = cenju4.Inline, g.bytes
		return []timed.Parcel{p}
	}
	for at := 0; at < g.bytes; at += cenju4.MaxParcel {
		p.Src, p.Dst, p.Bytes = uint64(g.off+at), uint64(at), min(g.bytes-at, cenju4.MaxParcel)
		all = append(all, p)
	}
	const oddWord = 4
	if g.off%8 != oddWord {
		return all
	}
	for at := cenju4.PageBytes - g.off; at < g.bytes; at += cenju4.PageBytes {
		p.Src, p.Dst, p.Bytes = uint64(g.off+at), uint64(at), oddWord
		all = append(all, p)
	}
	return all
}

// A lab runs a ping-pong between two nodes.
type lab struct {
	p     *Plan
	c     costs
	m     *timed.Machine
	waits int // parcels of the current message
	then  func()
	err   error
}

// oneWay returns half of the round trip of two messages, there and back, between nodes 0 and 1 of nodes.
func (p *Plan) oneWay(nodes int, there, back message) (vtime.Time, error) {
	m, err := p.machine(nodes)
	if err != nil {
		return 0, err
	}
	l := &lab{p: p, c: p.costs(), m: m}
	m.Arrived = func(int, *timed.Parcel) {
		if l.waits--; l.waits == 0 {
			m.After(l.c.receive, l.then)
		}
	}
	const rounds = 3
	var begun, took vtime.Time
	var round func(i int)
	round = func(i int) {
		took = m.Now() - begun
		if begun = m.Now(); i < rounds {
			l.message(0, 1, there, func() { l.message(1, 0, back, func() { round(i + 1) }) })
		}
	}
	round(0)
	if err := m.Run(); err != nil || l.err != nil {
		return 0, fmt.Errorf("%s: %w", p.Experiment, firstOf(l.err, err))
	}
	return took / 2, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// message sends a message and calls then when it has been received. MPI first sends a short message each
// way.
func (l *lab) message(from, to int, g message, then func()) {
	send := func() { l.send(g.before+l.c.send, g.parcels(from, to), then) }
	if !g.mpi {
		send()
		return
	}
	short := message{bytes: cenju4.MaxInline}
	l.m.After(l.c.mpi, func() {
		l.send(l.c.send, short.parcels(from, to), func() {
			l.send(l.c.send, short.parcels(to, from), func() {
				l.send(g.before+l.c.send, g.parcels(from, to), func() { l.m.After(l.c.mpi, then) })
			})
		})
	})
}

// send posts parcels one after the other, and calls then when all have come and the receiver has noticed.
func (l *lab) send(before vtime.Time, parcels []timed.Parcel, then func()) {
	l.waits, l.then = len(parcels), then
	for i, p := range parcels {
		l.m.After(before+vtime.Time(i)*l.c.again, func() {
			if err := l.m.Post(p); err != nil && l.err == nil {
				l.err = err
			}
		})
	}
}

// A curve is a way to send.
type curve struct {
	name  string
	there func(bytes int) message
	back  func(bytes int) message // nil: as there
}

// curves measures all curves at each size.
func (p *Plan) curves(all []curve, report func(Row)) error {
	for _, nodes := range p.Nodes {
		for _, c := range all {
			if c.back == nil {
				c.back = c.there
			}
			for _, bytes := range p.Sizes {
				took, err := p.oneWay(nodes, c.there(bytes), c.back(bytes))
				if err != nil {
					return err
				}
				report(p.row(c.name, nodes, bytes, took))
			}
		}
	}
	return nil
}

// latency is experiment 1.
func (p *Plan) latency(report func(Row)) error {
	call := p.costs().system
	return p.curves([]curve{
		{name: "Paralib/CJ4", there: func(n int) message { return message{bytes: n} }},
		{name: "MPI", there: func(n int) message { return message{bytes: n, mpi: true} }},
		{name: "Paralib/CJ4 + system call", there: func(n int) message { return message{bytes: n, before: call, flushed: true} }},
	}, report)
}

// throughput is experiment 2: A with the source on a line boundary, B and C off it, B without the read
// optimisation.
func (p *Plan) throughput(report func(Row)) error {
	const off = 64
	var all []curve
	for _, mpi := range []bool{false, true} {
		name := map[bool]string{false: "Paralib/CJ4", true: "MPI"}[mpi]
		all = append(all,
			curve{name: name + " A", there: func(n int) message { return message{bytes: n, mpi: mpi} }},
			curve{name: name + " B", there: func(n int) message { return message{bytes: n, off: off, flags: cenju4.NotOptimised, mpi: mpi} }},
			curve{name: name + " C", there: func(n int) message { return message{bytes: n, off: off, mpi: mpi} }})
	}
	return p.curves(all, report)
}

// odd is experiment 3: on the way there, source and destination differ by an odd number of words; on the
// way back, by what makes the total a line.
func (p *Plan) odd(report func(Row)) error {
	const wordsOfLine, wordBytes = 32, 4
	copied := p.costs().copy
	var all []curve
	for _, group := range []struct {
		name  string
		copy  bool
		flags cenju4.Flags
	}{{"A", false, 0}, {"B", false, cenju4.NotOptimised}, {"C", true, 0}, {"D", true, cenju4.NotOptimised}} {
		for d := 1; d < wordsOfLine; d += 2 {
			with := func(words int) func(int) message {
				return func(n int) message {
					g := message{bytes: n, off: words * wordBytes, flags: group.flags}
					if group.copy { // to the DW boundary before
						g.off, g.before = (words-1)*wordBytes, vtime.Time(copied*float64(n))
					}
					return g
				}
			}
			all = append(all, curve{fmt.Sprintf("%s %d", group.name, d), with(d), with(wordsOfLine - d)})
		}
	}
	return p.curves(all, report)
}
