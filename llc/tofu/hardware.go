package tofu

import (
	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Injection ports by what they are used for: packets, words, and the memory of others from there
// on. Who uses more than two for that meets packets and words there, which wait for what was posted before.
const (
	packets = 0
	words   = 1
	moves   = 2
)

// A hardware is the NIC as the rings need it.
type hardware struct {
	*tofu.NIC
	f     *fabric.Fabric
	self  int
	rings fabric.RingPool
	order tofu.Order // the one under way
	ports int        // by which transfers may go
	port  int        // by which the next one goes, counted from moves
}

var _ endpoint.Hardware = (*hardware)(nil)

// Flags opens the boards: lines that the own NIC writes.
func (h *hardware) Flags() (endpoint.Flags, error) { return h.Port(packets).FlagWriter() }

// Messages returns the reader of the own notices.
func (h *hardware) Messages() *ring.SharedReader { return h.Notices() }

// Reader returns the reader of an own packet ring.
func (h *hardware) Reader(i int) *ring.Reader { return h.rings.Reader(h.self, i) }

// post posts an order at a port. What it lends is not kept.
func (h *hardware) post(port int, o tofu.Order) (seen uint64, err error) {
	h.order = o
	seen, err = h.Port(port).Post(&h.order)
	h.order.Local = nil
	return seen, err
}

// ExposeMemory registers own memory.
func (h *hardware) ExposeMemory(b []byte) (ir.Segment, error) {
	tag, err := h.Register(b, tofu.MayPut|tofu.MayGet)
	return ir.Segment(tag), err
}

// ConcealMemory withdraws a registration.
func (h *hardware) ConcealMemory(s ir.Segment) error { return h.Withdraw(tofu.Tag(s)) }

// ReadMemory is a get.
func (h *hardware) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.transfer(tofu.Get, peer, s, offset, b)
}

// WriteMemory is a put.
func (h *hardware) WriteMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	return h.transfer(tofu.Put, peer, s, offset, b)
}

// transfer is a get or a put.
func (h *hardware) transfer(command tofu.Command, peer int, s ir.Segment, offset uint64, b []byte) error {
	_, err := h.post((moves+h.port)%tofu.InjectionPorts, tofu.Order{
		Command: command, Node: peer, Tag: tofu.Tag(s), Offset: offset, Local: b,
	})
	return err
}

// Swap is a swap of a control word.
func (h *hardware) Swap(peer int, word, old, now uint64) (uint64, error) {
	const wordBytes, far = 8, 1 << 32
	return h.post(words, tofu.Order{
		Command: tofu.Swap, Node: peer, Tag: tofu.TagControl, Offset: min(word, far) * wordBytes, Old: old, New: now,
	})
}
