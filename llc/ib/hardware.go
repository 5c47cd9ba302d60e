package ib

import (
	"math"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/ib"
)

// A hardware is the adapter as the rings need it.
type hardware struct{ *ib.HCA }

var _ endpoint.Hardware = hardware{}

// Writer opens the way into a packet ring of a peer.
func (h hardware) Writer(peer, ring int) (endpoint.Writer, error) {
	l, err := h.Link(peer)
	if err != nil {
		return nil, err
	}
	return l.RingWriter(ring)
}

// Sender opens the way into the striding receive queue of a peer.
func (h hardware) Sender(peer int) (endpoint.Sender, error) {
	l, err := h.Link(peer)
	if err != nil {
		return nil, err
	}
	return l.Sender()
}

// Flags opens the flag arrays.
func (h hardware) Flags() (endpoint.Flags, error) { return h.HCA.Flags() }

// Reader returns the reader of a packet ring of this rank.
func (h hardware) Reader(i int) *ring.Reader { return h.RingReader(i) }

// ExposeMemory registers own memory, which peers name by its key.
func (h hardware) ExposeMemory(b []byte) (ir.Segment, error) {
	k, err := h.Register(ib.JobDomain, b, ib.LocalWrite|ib.RemoteWrite|ib.RemoteRead|ib.ZeroBased)
	return ir.Segment(k), err
}

// ConcealMemory deregisters own memory.
func (h hardware) ConcealMemory(s ir.Segment) error { return h.Deregister(key(s)) }

// ReadMemory is RDMA READ.
func (h hardware) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.transfer(ib.Read, peer, s, offset, b)
}

// WriteMemory is RDMA WRITE.
func (h hardware) WriteMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.transfer(ib.Write, peer, s, offset, b)
}

func (h hardware) transfer(op ib.Opcode, peer int, s ir.Segment, offset uint64, b []byte) error {
	l, err := h.Link(peer)
	if err != nil {
		return err
	}
	return l.Transfer(op, key(s), offset, b)
}

// Swap is CMP_SWAP on a control word.
func (h hardware) Swap(peer int, word, old, now uint64) (uint64, error) {
	l, err := h.Link(peer)
	if err != nil {
		return 0, err
	}
	return l.Swap(word, old, now)
}

// key returns the key that a segment stands for, 0 if there is none.
func key(s ir.Segment) ib.Key {
	if s > math.MaxUint32 {
		return 0
	}
	return ib.Key(s)
}
