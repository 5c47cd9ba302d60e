package ib

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// DemandName is the name of the NIC on which ranks that exchange packets in rings connect queue pairs of
// their own, beside those of the subnet manager.
const DemandName = Name + ":demand"

// A Demand drives the adapter of one rank, and makes connections as they are needed.
type Demand struct {
	endpoint.Dialed
	nic *demand
}

// OpenDemand connects rank to its adapter in the memory of a job.
func OpenDemand(f *fabric.Fabric, rank int, o ib.Options) (*Demand, error) {
	h, err := ib.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	t, e := &Demand{nic: &demand{hardware{h}, make([]side, f.Ranks())}}, endpoint.New(f, rank, ib.RetryExceeded)
	t.ConnectSlots(&e, DemandName, t.nic)
	return t, nil
}

// A demand is the adapter with its connections. The address of an end is its QPN.
type demand struct {
	hardware
	sides []side // by peer
}

// A side is this rank's side of the connection with one peer.
type side struct {
	end    *ib.Link                // this rank's end, nil if there is none
	inUse  atomic.Pointer[ib.Link] // the same, once both sides are ready
	writer *writer                 // of the open packet ring
}

var _ endpoint.Dialing = (*demand)(nil)

// Create makes a queue pair for a peer.
func (d *demand) Create(peer int) (address uint64, err error) {
	l, err := d.NewLink(peer)
	if err != nil {
		return 0, err
	}
	d.sides[peer].end = l
	return uint64(l.Number()), nil
}

// Ready brings the queue pair to RTS.
func (d *demand) Ready(peer int, address uint64) error {
	return d.sides[peer].end.Join(ib.QPN(address))
}

// Use has packets and transfers use the queue pair.
func (d *demand) Use(peer int) {
	s := &d.sides[peer]
	s.inUse.Store(s.end)
	if s.writer != nil {
		s.writer.use(s.end)
	}
}

// Destroy gives up the queue pair. Packets use the subnet manager's connection again.
func (d *demand) Destroy(peer int) {
	s := &d.sides[peer]
	s.inUse.Store(nil)
	s.end.Leave()
	s.end = nil
}

// Writer opens the way into a packet ring of a peer.
func (d *demand) Writer(peer, ring int) (endpoint.Writer, error) {
	first, err := d.Link(peer)
	if err != nil {
		return nil, err
	}
	r, err := first.RingWriter(ring)
	if err != nil {
		return nil, err
	}
	w := &writer{RingWriter: r, first: first}
	if l := d.sides[peer].inUse.Load(); l != nil {
		w.use(l)
	}
	d.sides[peer].writer = w
	return w, nil
}

// ReadMemory is RDMA READ.
func (d *demand) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return d.transfer(ib.Read, peer, s, offset, b)
}

// WriteMemory is RDMA WRITE.
func (d *demand) WriteMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return d.transfer(ib.Write, peer, s, offset, b)
}

// transfer uses the pair's own connection. If that refuses, it tries the first one: the other side may have
// given up its end.
func (d *demand) transfer(op ib.Opcode, peer int, s ir.Segment, offset uint64, b []byte) error {
	if uint(peer) < uint(len(d.sides)) {
		if l := d.sides[peer].inUse.Load(); l != nil && l.Transfer(op, key(s), offset, b) == nil {
			return nil
		}
	}
	return d.hardware.transfer(op, peer, s, offset, b)
}

// A writer is the way into a packet ring over the pair's own connection, and over the first one if the other
// side has given up its end.
type writer struct {
	*ib.RingWriter
	first *ib.Link
	own   bool
}

// use has packets use a connection, if it leads to the ring.
func (w *writer) use(l *ib.Link) { w.own = w.Use(l) == nil }

// back has packets use the first connection again, and reports whether that is a change.
func (w *writer) back() bool {
	was := w.own
	w.own = false
	return was && w.Use(w.first) == nil
}

// Put places packet number slot.
func (w *writer) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	err := w.RingWriter.Put(slot, pos, head, payload)
	if err != nil && w.back() {
		err = w.RingWriter.Put(slot, pos, head, payload)
	}
	return err
}

// Gather is Put of a payload in pieces.
func (w *writer) Gather(slot, pos uint64, head *[3]uint64, from ring.Gatherer, off, n int) error {
	err := w.RingWriter.Gather(slot, pos, head, from, off, n)
	if err != nil && w.back() {
		err = w.RingWriter.Gather(slot, pos, head, from, off, n)
	}
	return err
}

// Consumed returns the lines and data positions that the reader has consumed.
func (w *writer) Consumed() (slot, pos uint64, err error) {
	slot, pos, err = w.RingWriter.Consumed()
	if err != nil && w.back() {
		slot, pos, err = w.RingWriter.Consumed()
	}
	return slot, pos, err
}

// DemandEntry returns, for the table of NICs, the adapter that connects on demand.
func DemandEntry() entry.NIC {
	n := Entry()
	n.Name = DemandName
	n.Geometry = func(g fabric.Geometry, ranks int) fabric.Geometry { return endpoint.Dialable(ib.Geometry(g, ranks)) }
	n.Open = func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
		return entry.Opened(OpenDemand(f, rank, ib.Options{Attach: o.Attach}))
	}
	return n
}
