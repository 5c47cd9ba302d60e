package endpoint

import (
	"errors"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Way leads to memory of a peer in which packet rings lie. It addresses memory by offsets in bytes, and
// lines by their number.
type Way interface {
	Line(at uint64, l *ring.Line) error // becomes visible whole, its first word last
	Put(at uint64, b []byte) error
	Get(at uint64) (uint64, error) // of an aligned word
	Prefetch(at uint64)            // line at will be written next
}

// A RingWriter is the Writer of a NIC that has a Way into the memory of a peer.
type RingWriter struct {
	way     Way
	account ring.Account
	layout  ring.Layout
	first   uint64 // the ring's first line, in lines
	tail    uint64 // offset of the counters that the reader exports
	data    uint64 // offset of the data area

	line     ring.Line
	sent     ring.Tally
	attested uint64 // lines at the latest Attest
}

var _ Writer = (*RingWriter)(nil)

// NewRingWriter opens a packet ring at an offset of the memory that the way leads to. It reads the counters
// of the ring, so that the NIC reports an error if there is no ring.
func NewRingWriter(way Way, at uint64, layout ring.Layout, account ring.Account) (*RingWriter, error) {
	w := &RingWriter{
		way: way, account: account, layout: layout, first: at / ring.LineBytes, tail: at + uint64(layout.Counters()), data: at + uint64(layout.Data()),
	}
	if _, err := way.Get(w.tail); err != nil {
		return nil, err
	}
	return w, nil
}

// NewPooledWriter opens packet ring number of a peer, in the pool of all its rings that the way leads to.
func NewPooledWriter(way Way, f *fabric.Fabric, pool *fabric.RingPool, peer, number int, account ring.Account) (*RingWriter, error) {
	w, err := NewRingWriter(way, uint64(number)*uint64(f.RingStride()), f.Geometry().Ring, account)
	if err == nil {
		pool.Memory(peer, number) // with its pages
	}
	return w, err
}

func (w *RingWriter) put(slot uint64, head *[3]uint64, payload []byte) error {
	sum := ring.Compose(&w.line, slot, head, payload)
	err := w.way.Line(w.first+w.layout.Line(slot), &w.line)
	w.way.Prefetch(w.first + w.layout.Line(slot+1))
	if err == nil {
		w.sent.Lines, w.sent.Sum = slot+1, w.sent.Sum+sum
	}
	return err
}

// errTooLong reports a payload that no ring of this size holds.
var errTooLong = errors.New("llc/endpoint: a payload longer than the data area of its packet ring")

// Put places packet number slot, with its payload at data position pos if it is not short. What does not fit the
// line goes before it.
func (w *RingWriter) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	size := uint64(w.layout.Bytes)
	if uint64(len(payload)) > max(size, ring.Short) {
		return errTooLong
	}
	switch n := len(payload); {
	case n > ring.Short:
		at, next := ring.Place(pos, size, len(payload), w.layout.Spread)
		if err := w.way.Put(w.data+at&(size-1), payload); err != nil {
			return err
		}
		w.sent.Pos = next
	case n > ring.Inline:
		if err := w.way.Put((w.first+w.layout.Line(slot)+1)*ring.LineBytes, payload[ring.Inline:]); err != nil {
			return err
		}
	}
	return w.put(slot, head, payload)
}

// Consumed fetches the counters that the ring's reader exports.
func (w *RingWriter) Consumed() (slot, pos uint64, err error) {
	if slot, err = w.way.Get(w.tail); err == nil {
		pos, err = w.way.Get(w.tail + 8)
	}
	return slot, pos, err
}

// Attest records what has been placed.
func (w *RingWriter) Attest(again bool) {
	if w.sent.Lines != w.attested || again {
		w.attested = w.sent.Lines
		w.account.Put(w.sent)
	}
}
