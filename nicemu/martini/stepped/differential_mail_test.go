package stepped

import (
	"bytes"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A letter is a record that has arrived in a VPUSH ring.
type letter struct {
	from int
	data []byte
}

// forget empties the list of refusals.
func (w *pair) forget() { w.refused, w.who = w.refused[:0], w.who[:0] }

// newRings gives each node of a machine a VPUSH ring.
func (w *pair) newRings(k int, m *Machine, s *side, o RingOptions) {
	for i, n := range s.nics {
		b := pages(5)
		if _, err := n.Pin(b); err != nil {
			w.t.Fatal(err)
		}
		var err error
		if w.rings[k][i], err = m.NewRing(i, 0, b, o); err != nil {
			w.t.Fatal(err)
		}
	}
}

// mailed records what an operation has appended to a ring.
func (w *pair) mailed(o *op) {
	data := o.payload
	if !o.botf {
		data = w.slow.areas[o.node][o.local][o.loff : o.loff+o.size]
	}
	w.mail[o.to] = append(w.mail[o.to], letter{o.node, bytes.Clone(data)})
}

// takeOut reads the ring of a node on both sides if it holds more than a number of records, and
// compares the records with those sent, in order of arrival.
func (w *pair) takeOut(to, above int, fail func(string, ...any)) {
	if len(w.mail[to]) <= above {
		return
	}
	reader := w.reader(to)
	for i, want := range w.mail[to] {
		if w.back == nil {
			var p ring.Packet
			ok, err := reader.Poll(&p)
			if !ok || err != nil || p.Peer != want.from || !bytes.Equal(p.Data, want.data) {
				fail("record %d of %d at node %d: %v, %v, %d bytes from %d, want %d from %d", i, len(w.mail[to]), to, ok, err, len(p.Data), p.Peer, len(want.data), want.from)
			}
			reader.Consume()
		} else {
			w.takeRecord(w.rings[1][to], want, "fast, falling back", fail)
		}
		w.takeRecord(w.rings[0][to], want, "stepped", fail)
	}
	w.mail[to] = w.mail[to][:0]
	if reader.Ready() || w.rings[0][to].Next() != nil {
		fail("more has arrived at node %d than was sent", to)
	}
}

// reader returns a reader of the fast side's ring, which continues where the last one was.
func (w *pair) reader(to int) *ring.SharedReader {
	return ring.NewSharedReader(w.fast.f.Bytes(to, fabric.Shared), w.fast.f.Geometry().Shared, pairNodes)
}

func (w *pair) takeRecord(r *Ring, want letter, name string, fail func(string, ...any)) {
	if len(want.data) == 0 {
		return // moves no pointer
	}
	b := r.Next()
	if len(b) < len(want.data) || !bytes.Equal(b[:len(want.data)], want.data) {
		fail("%s: %d bytes in the ring of node %d, want %d from %d", name, len(b), r.n.id, len(want.data), want.from)
	}
	r.Release(len(want.data))
}
