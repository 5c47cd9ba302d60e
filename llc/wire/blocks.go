package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	"rhinet/internal/strided"
)

// BlocksBytes is the length of a BlocksBody.
const BlocksBytes = 8 + sealBytes

// A BlocksBody follows the body of an RTS or a CTSSplit packet if the segment that it names holds the message in
// blocks at equal distances. The segment begins with the first of them.
//
//	 0       4        8      12
//	| block | stride | seal |
type BlocksBody [BlocksBytes]byte

// Describable reports whether a BlocksBody has room for b.
func Describable(b strided.Blocks) bool {
	return uint64(b.Block) <= math.MaxUint32 && uint64(b.Stride) <= math.MaxUint32
}

// Encode fills o, for a packet with word in its header.
func (o *BlocksBody) Encode(word uint64, b strided.Blocks) {
	binary.LittleEndian.PutUint32(o[:], uint32(b.Block))
	binary.LittleEndian.PutUint32(o[4:], uint32(b.Stride))
	Seal(word, o[:])
}

// ListBytes is the length of a ListBody.
const ListBytes = 12 + sealBytes

// A ListBody is in place of a BlocksBody if the segment holds the message in other pieces: as many as pieces
// says, described by a [strided.List] in a segment of its own. In a CTSSplit packet that segment is 0 if the
// list is the same as that of the offer.
//
//	 0      8        12     16
//	| list | pieces | seal |
type ListBody [ListBytes]byte

// Encode fills o, for a packet with word in its header.
func (o *ListBody) Encode(word, list uint64, pieces uint32) {
	binary.LittleEndian.PutUint64(o[:], list)
	binary.LittleEndian.PutUint32(o[8:], pieces)
	Seal(word, o[:])
}

// SummedBytes is the length of a SummedBody.
const SummedBytes = 8 + ListBytes

// A SummedBody is a ListBody of an RTS packet, with the sum of the list.
//
//	 0     8      16       20     24
//	| sum | list | pieces | seal |
type SummedBody [SummedBytes]byte

// Encode fills o, for a packet with word in its header.
func (o *SummedBody) Encode(word, sum, list uint64, pieces uint32) {
	binary.LittleEndian.PutUint64(o[:], sum)
	(*ListBody)(o[8:]).Encode(word, list, pieces)
	Seal(word, o[:])
}

// A Layout is how a message lies in memory on the side that a packet comes from: in blocks, or as a list
// says. The zero value is one piece.
type Layout struct {
	Blocks    strided.Blocks
	List, Sum uint64 // the segment of the list, and its sum, or 0
	Pieces    uint32 // of the list; 0 if there is none
}

// CutLayout cuts off what follows the first n bytes of a payload, for a packet with word in its header:
// nothing, exactly one BlocksBody, whose blocks do not overlap, or exactly one ListBody or SummedBody, whose
// list has pieces.
func CutLayout(word uint64, payload []byte, n int) (body []byte, l Layout, err error) {
	size := len(payload) - n
	if size != BlocksBytes && size != ListBytes && size != SummedBytes {
		return payload, l, nil // the parser of the body checks its length
	}
	var all [SummedBytes]byte
	o := all[:copy(all[:], payload[n:])]
	if err = sealed(word, o); err != nil {
		return nil, l, err
	}
	if size != BlocksBytes {
		if size == SummedBytes {
			l.Sum, o = binary.LittleEndian.Uint64(o), o[8:]
		}
		l.List, l.Pieces = binary.LittleEndian.Uint64(o), binary.LittleEndian.Uint32(o[8:])
		if l.Pieces == 0 {
			return nil, Layout{}, fmt.Errorf("a list of no pieces")
		}
		return payload[:n], l, nil
	}
	b := strided.Blocks{Block: int(binary.LittleEndian.Uint32(o)), Stride: int(binary.LittleEndian.Uint32(o[4:]))}
	if b.One() || !b.Valid() {
		return nil, l, fmt.Errorf("blocks of %d bytes, %d apart", b.Block, b.Stride)
	}
	l.Blocks = b
	return payload[:n], l, nil
}
