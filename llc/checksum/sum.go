package checksum

import (
	"encoding/binary"
	"hash/crc32"

	"rhinet/llc/ir"
)

// sumBytes is the length of a checksum.
const sumBytes = 8

// mix folds words into one.
func mix(words ...uint64) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		x = (x ^ w) * 0xff51afd7ed558ccd
		x ^= x >> 32
	}
	return x
}

// crc uses the polynomial that processors have an instruction for.
func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// A place tells packets with equal headers and payloads apart.
type place struct {
	from, to int32
	ring     bool   // in a packet ring, not the shared one
	number   uint64 // of the packets from there to here that went that way, counted from 0
}

// packetSum is the checksum of a packet.
func packetSum(p place, h *ir.Header, payload []byte) uint64 {
	way := uint64(uint32(p.from))<<32 | uint64(uint32(p.to))<<1
	if p.ring {
		way |= 1
	}
	w := h.Words()
	return mix(way, p.number, w[0], w[1], w[2], uint64(len(payload)), uint64(crc(payload)))
}

// flagSum is the checksum of a flag.
func flagSum(from, board int, seq, mark uint32, payload []byte) uint64 {
	return mix(uint64(from), uint64(board), uint64(seq), uint64(mark), uint64(len(payload)), uint64(crc(payload)))
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
