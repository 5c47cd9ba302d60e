package wire

import "fmt"

// MaxChunks is the largest number of chunks of one split transfer.
const MaxChunks = 1<<24 - 1

// A Claim is the value of a claim word: how many chunks of a transfer the receiver has taken from the front
// and the sender from the back. A word is used by one transfer after another; the generation exposes a late
// claim of an earlier one.
//
//	63        48 47       24 23        0
//	| generation | back      | front    |
type Claim uint64

// NewClaim returns the first value of a transfer's claim word: the receiver
// holds the first front chunks.
func NewClaim(generation uint16, front uint32) Claim {
	return Claim(generation)<<48 | Claim(front)
}

// Generation returns the number of the word's use.
func (c Claim) Generation() uint16 { return uint16(c >> 48) }

// Front returns how many chunks the receiver has taken.
func (c Claim) Front() uint32 { return uint32(c & MaxChunks) }

// Back returns how many chunks the sender has taken.
func (c Claim) Back() uint32 { return uint32(c>>24) & MaxChunks }

// Full reports whether all of total chunks are taken.
func (c Claim) Full(total uint32) bool { return uint64(c.Front())+uint64(c.Back()) >= uint64(total) }

// Fits reports whether c can be the word of a transfer of total chunks.
func (c Claim) Fits(total uint32) bool { return uint64(c.Front())+uint64(c.Back()) <= uint64(total) }

// TakeFront returns the word after the receiver takes n more chunks.
func (c Claim) TakeFront(n uint32) Claim { return c + Claim(n) }

// TakeBack returns the word after the sender takes one more chunk.
func (c Claim) TakeBack() Claim { return c + 1<<24 }

func (c Claim) String() string {
	return fmt.Sprintf("%d+%d in use %d", c.Front(), c.Back(), c.Generation())
}
