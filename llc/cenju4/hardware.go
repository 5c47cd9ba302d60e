package cenju4

import (
	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// A hardware is the NIC as the rings need it.
type hardware struct {
	*cenju4.NIC
	f       *fabric.Fabric
	self    int
	rings   fabric.RingPool
	rrid    uint8
	word    cenju4.Parcel      // the remote operation under way
	swapped [ir.WordBytes]byte // answer of a swap
}

var _ endpoint.Hardware = (*hardware)(nil)

// Flags opens the flag arrays.
func (h *hardware) Flags() (endpoint.Flags, error) { return h.FlagWriter() }

// Messages returns the reader of message buffer 0.
func (h *hardware) Messages() *ring.SharedReader { return h.NIC.Messages(0) }

// Reader returns the reader of a packet ring of this peer.
func (h *hardware) Reader(i int) *ring.Reader { return h.rings.Reader(h.self, i) }

// ExposeMemory maps own memory, which peers name by its address.
func (h *hardware) ExposeMemory(b []byte) (ir.Segment, error) {
	a, err := h.Map(b, cenju4.MayRead|cenju4.MayWrite)
	return ir.Segment(a), err
}

// ConcealMemory unmaps own memory.
func (h *hardware) ConcealMemory(s ir.Segment) error { return h.Unmap(cenju4.Address(s)) }

// ReadMemory is remote reads.
func (h *hardware) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.Read(peer, at(s, offset), b)
}

// WriteMemory is remote DMA.
func (h *hardware) WriteMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.Write(peer, at(s, offset), b)
}

// at returns the address of an offset in mapped memory, or one that is not mapped if the offset is too large.
func at(s ir.Segment, offset uint64) cenju4.Address {
	const far = 1 << 38
	a := cenju4.Address(s)
	if offset >= far-a.Offset() {
		return cenju4.MakeAddress(cenju4.NoneYet, 0)
	}
	return a + cenju4.Address(offset)
}

// Swap is compare and swap of a control word.
func (h *hardware) Swap(peer int, word, old, now uint64) (uint64, error) {
	const far = 1 << 28
	return h.compareSwap(peer, cenju4.ControlAt+cenju4.Address(min(word, far)*ir.WordBytes), old, now)
}

// compareSwap is comp&swap. The notification buffer has the value before.
func (h *hardware) compareSwap(peer int, at cenju4.Address, old, now uint64) (uint64, error) {
	if err := h.operate(peer, cenju4.CompSwap, [3]uint64{uint64(at), old, now}); err != nil {
		return 0, err
	}
	return h.Notice(int(h.rrid)).Value, nil
}

// operate sends a parcel that works on a word of a peer.
func (h *hardware) operate(peer int, p cenju4.Protocol, words [3]uint64) error {
	h.rrid = (h.rrid + 1) % cenju4.Rrids
	h.word = cenju4.Parcel{Protocol: p, Rrid: h.rrid, Dest: uint16(peer), Length: ir.WordBytes, Words: words}
	return h.Post(&h.word, h.swapped[:])
}
