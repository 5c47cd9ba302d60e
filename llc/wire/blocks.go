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

// CutBlocks cuts what follows the first n bytes of a payload for a packet with word in its header: nothing, or
// exactly one BlocksBody, whose blocks do not overlap.
func CutBlocks(word uint64, payload []byte, n int) (body []byte, b strided.Blocks, err error) {
	if len(payload) != n+BlocksBytes {
		return payload, b, nil // what the body says of its length
	}
	var o BlocksBody
	copy(o[:], payload[n:])
	if err = sealed(word, o[:]); err != nil {
		return nil, b, err
	}
	b = strided.Blocks{Block: int(binary.LittleEndian.Uint32(o[:])), Stride: int(binary.LittleEndian.Uint32(o[4:]))}
	if b.One() || !b.Valid() {
		return nil, strided.Blocks{}, fmt.Errorf("blocks of %d bytes, %d apart", b.Block, b.Stride)
	}
	return payload[:n], b, nil
}
