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

// A ListBody is in the place of a BlocksBody if the segment holds the message in other pieces: so many, which a
// [strided.List] tells of that is a segment of its own.
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

// A Layout is how a message lies on the side that a packet comes from: in blocks, or as a list says. The zero value is one piece.
type Layout struct {
	Blocks strided.Blocks
	List   uint64 // the segment of the list, or 0
	Pieces uint32 // of the list
}

// CutLayout cuts what follows the first n bytes of a payload for a packet with word in its header: nothing, exactly one
// BlocksBody, whose blocks do not overlap, or exactly one ListBody, whose list has pieces.
func CutLayout(word uint64, payload []byte, n int) (body []byte, l Layout, err error) {
	var o [max(BlocksBytes, ListBytes)]byte
	size := len(payload) - n
	if size != BlocksBytes && size != ListBytes {
		return payload, l, nil // what the body says of its length
	}
	copy(o[:], payload[n:])
	if err = sealed(word, o[:size]); err != nil {
		return nil, l, err
	}
	if size == ListBytes {
		l.List, l.Pieces = binary.LittleEndian.Uint64(o[:]), binary.LittleEndian.Uint32(o[8:])
		if l.List == 0 || l.Pieces == 0 {
			return nil, Layout{}, fmt.Errorf("a list %d of %d pieces", l.List, l.Pieces)
		}
		return payload[:n], l, nil
	}
	b := strided.Blocks{Block: int(binary.LittleEndian.Uint32(o[:])), Stride: int(binary.LittleEndian.Uint32(o[4:]))}
	if b.One() || !b.Valid() {
		return nil, l, fmt.Errorf("blocks of %d bytes, %d apart", b.Block, b.Stride)
	}
	l.Blocks = b
	return payload[:n], l, nil
}
