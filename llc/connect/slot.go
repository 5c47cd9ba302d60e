package connect

import "fmt"

// A slot is one word, so that it changes as a whole and can be written by compare-and-swap:
//
//	bits 0-3 kind, 4-11 transaction slot, 12-19 use of that slot, 20-63 a peer's number or an address
type word uint64

// AddressBits is the maximal length of the address of an end, in bits.
const AddressBits = 44

// MaxSlots is the maximal number of transaction slots of a peer.
const MaxSlots = 1 << 8

// Common is the index of the word of the common slot. The transaction slots follow.
const Common = 0

// Words returns how many words of a bootstrap area the common slot and so many transaction slots take.
func Words(slots int) int { return 1 + slots }

// A kind is what a slot holds.
type kind uint8

const (
	_ kind = iota // free

	// The common slot.
	locked  // peer: holder of the lock
	request // peer, and the slot at that peer for the answer

	// A transaction slot: its owner writes open, the peer that it is for the others.
	open        // peer
	accept      // address, and the slot at the responder for the description
	refuse      // the responder has no end
	describe    // address of the initiator
	abandon     // the initiator has no end
	acknowledge //
	numKinds
)

var kindNames = [numKinds]string{"free", "locked", "request", "open", "accept", "refuse", "describe", "abandon", "acknowledge"}

func newWord(k kind, s place, rest uint64) word {
	return word(k) | word(s.slot)<<4 | word(s.use)<<12 | word(rest)<<20
}

func (w word) kind() kind   { return kind(w & 15) }
func (w word) place() place { return place{uint8(w >> 4), uint8(w >> 12)} }
func (w word) rest() uint64 { return uint64(w >> 20) }
func (w word) peer() int    { return int(w.rest()) }
func (w word) String() string {
	k := w.kind()
	if k >= numKinds {
		return fmt.Sprintf("nonsense %#x", uint64(w))
	}
	switch k {
	case locked:
		return fmt.Sprintf("locked by %d", w.peer())
	case request, open:
		return fmt.Sprintf("%s peer=%d slot=%d use=%d", kindNames[k], w.peer(), w.place().slot, w.place().use)
	case accept:
		return fmt.Sprintf("accept address=%#x slot=%d use=%d", w.rest(), w.place().slot, w.place().use)
	case describe:
		return fmt.Sprintf("describe address=%#x", w.rest())
	}
	return kindNames[k]
}

// A place is one use of a transaction slot.
type place struct{ slot, use uint8 }

// word returns the index of the slot's word in the bootstrap area.
func (p place) word() int { return Common + 1 + int(p.slot) }

// lockOf returns the common slot as locked by a peer.
func lockOf(peer int) word { return newWord(locked, place{}, uint64(peer)) }

// openFor returns a transaction slot that a peer may write.
func openFor(s place, peer int) word { return newWord(open, s, uint64(peer)) }
