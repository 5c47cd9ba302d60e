package tofu

import (
	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Injection ports by their use: packets, words, and from moves on access to memory of peers. A transfer that
// uses more than two ports shares those of packets and words, and waits there for what was posted before.
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
	order tofu.Order // the order under way
	ports int        // how many ports transfers may use
	port  int        // port of the next transfer, counted from moves
}

var _ endpoint.Hardware = (*hardware)(nil)

// Flags opens the flag arrays: lines that this rank's NIC writes.
func (h *hardware) Flags() (endpoint.Flags, error) { return h.Port(packets).FlagWriter() }

// Messages returns the reader of this rank's notices.
func (h *hardware) Messages() *ring.SharedReader { return h.Notices() }

// Reader returns the reader of a packet ring of this rank.
func (h *hardware) Reader(i int) *ring.Reader { return h.rings.Reader(h.self, i) }

// post posts an order at a port. It does not keep the memory that the order lends.
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
