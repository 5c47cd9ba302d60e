// Package mailbox keeps track of packets that come before there is a ring for a pair of peers, on networks
// without a ring that all peers may write: each peer has a few slots in the bootstrap area of every other one
// (llc, section 4.1). The network writes a packet into the next slot and notifies the reader; the reader
// exports how many packets it has consumed, and a writer whose slots are all in use reads that count
// (section 4.3).
package mailbox

import (
	"sync/atomic"

	"rhinet/llc/ir"
)

// Slots is how many packets of a pair can be in flight, and SlotBytes how many bytes of payload each takes:
// ir.MaxShared, and what wrappers of translators add.
const (
	Slots     = 4
	SlotBytes = (blockBytes - firstSlot) / Slots
)

// The block of a writer in the reader's area: the reader's counter, on a line of its own because its owner is
// another, then the slots.
const (
	blockBytes = 8 << 10
	firstSlot  = 2 * ir.LineBytes
)

// A packet fits its slot.
const _ = uint(SlotBytes - ir.MaxShared)

// Bytes returns the size of an area for so many peers.
func Bytes(peers int) int { return peers * blockBytes }

// Counter returns the offset, in a reader's area, of the word that says how many
// packets of writer it has consumed.
func Counter(writer int) uint64 { return uint64(writer) * blockBytes }

func slot(writer int, n uint64) uint64 {
	return Counter(writer) + firstSlot + n%Slots*SlotBytes
}

// An Out is a writer's account of its slots at one peer.
type Out struct{ sent, consumed uint64 }

// Full reports whether, as far as is known, all slots are in use.
func (o *Out) Full() bool { return o.sent-o.consumed >= Slots }

// Refresh sets the reader's counter. With an impossible value Full reports true.
func (o *Out) Refresh(consumed uint64) { o.consumed = consumed }

// Room reports whether a slot is free; if none is known to be, it reads the reader's counter through area.
func (o *Out) Room(area interface {
	Get(at uint64) (uint64, error)
}, writer int) (bool, error) {
	if !o.Full() {
		return true, nil
	}
	consumed, err := area.Get(Counter(writer))
	o.Refresh(consumed)
	return err == nil && !o.Full(), err
}

// Next returns where in the reader's area the next packet of writer goes.
func (o *Out) Next(writer int) uint64 { return slot(writer, o.sent) }

// Sent notes that the packet has gone there.
func (o *Out) Sent() { o.sent++ }

// An In is a reader's account of its own area.
type In struct {
	area     []byte
	words    []uint64
	consumed []uint64 // by writer
	held     int      // writer of the packet that Open returned last, -1 if it is consumed
}

// NewIn returns the account of an area for so many peers, in which nothing has come. words is the same
// memory.
func NewIn(area []byte, words []uint64, peers int) *In {
	return &In{area: area, words: words, consumed: make([]uint64, peers), held: -1}
}

// Open returns the packet that the network reports from writer: n bytes at an offset. It is valid until
// Release. Open reports false if that is not the slot that is due.
func (in *In) Open(writer int, at, n uint64) ([]byte, bool) {
	if at != slot(writer, in.consumed[writer]) || n > SlotBytes {
		return nil, false
	}
	in.held = writer
	return in.area[at : at+n : at+n], true
}

// Release consumes the packet that Open returned last, if it has not been.
func (in *In) Release() {
	if in.held < 0 {
		return
	}
	in.consumed[in.held]++
	atomic.StoreUint64(&in.words[Counter(in.held)/8], in.consumed[in.held])
	in.held = -1
}
