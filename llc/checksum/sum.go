package checksum

import (
	"encoding/binary"
	"hash/crc32"
)

// sumBytes is the length of a checksum.
const sumBytes = 8

// start is the checksum of nothing.
const start = 0x9e3779b97f4a7c15

// fold adds a word to a checksum. Of two that differ, the results of equal words differ, too.
func fold(x, w uint64) uint64 {
	x = (x ^ w) * 0xff51afd7ed558ccd
	return x ^ x>>32
}

// shortBytes is up to which length bytes are folded word by word; what is longer
// is quicker by the processor's instruction for a cyclic redundancy check.
const shortBytes = 64

// foldBytes adds bytes and their length.
func foldBytes(x uint64, b []byte) uint64 {
	x = fold(x, uint64(len(b)))
	if len(b) > shortBytes {
		return fold(x, uint64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))))
	}
	for ; len(b) >= 8; b = b[8:] {
		x = fold(x, binary.LittleEndian.Uint64(b))
	}
	for _, c := range b {
		x = fold(x, uint64(c))
	}
	return x
}

// A place tells packets with equal headers and payloads apart.
type place struct {
	from, to int32
	ring     bool   // in a packet ring, not the shared one
	number   uint64 // of the packets from there to here that went that way, counted from 0
}

// ringsOwn are the halves of the first two words of a header that belong to the ring.
const ringsOwn = 1<<32 - 1

// packetSum is the checksum of a packet whose header is in words: see [ir.Header.Words].
func packetSum(p place, w *[3]uint64, payload []byte) uint64 {
	way := uint64(uint32(p.from))<<32 | uint64(uint32(p.to))<<1
	if p.ring {
		way |= 1
	}
	x := fold(fold(start, way), p.number)
	x = fold(fold(fold(x, w[0]&^ringsOwn), w[1]&^ringsOwn), w[2])
	return foldBytes(x, payload)
}

// flagSum is the checksum of a flag.
func flagSum(from, board int, seq, mark uint32, payload []byte) uint64 {
	x := fold(fold(start, uint64(from)), uint64(board))
	return foldBytes(fold(fold(x, uint64(seq)), uint64(mark)), payload)
}

// seal appends a checksum to b.
func seal(b []byte, sum uint64) []byte { return binary.LittleEndian.AppendUint64(b, sum) }

// split takes the checksum off the end of b.
func split(b []byte) (payload []byte, sum uint64, ok bool) {
	n := len(b) - sumBytes
	if n < 0 {
		return nil, 0, false
	}
	return b[:n:n], binary.LittleEndian.Uint64(b[n:]), true
}
