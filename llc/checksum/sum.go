package checksum

import (
	"encoding/binary"
	"hash/crc32"
)

// sumBytes is the length of a checksum.
const sumBytes = 8

// start is the checksum of nothing.
const start = 0x9e3779b97f4a7c15

// fold adds a word to a checksum. Different checksums stay different when the same word is added.
func fold(x, w uint64) uint64 {
	x = (x ^ w) * 0xff51afd7ed558ccd
	return x ^ x>>32
}

// shortBytes is the length up to which bytes are folded word by word; for longer ones the processor's CRC
// instruction is faster.
const shortBytes = 64

// foldCopy copies src to dst, which is at least as long, and adds what it has copied to a checksum that
// already includes the length. Memory that others may change meanwhile is read once.
func foldCopy(x uint64, dst, src []byte) uint64 {
	if len(src) > shortBytes {
		return fold(x, uint64(crc32.Checksum(dst[:copy(dst, src)], crc32.MakeTable(crc32.Castagnoli))))
	}
	for ; len(src) >= 8; dst, src = dst[8:], src[8:] {
		w := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(dst, w)
		if x = fold(x, w); len(src) == 8 { // most often, and complete
			return x
		}
	}
	if len(src) == 0 {
		return x
	}
	var last [8]byte
	copy(last[:], src)
	copy(dst, last[:len(src)])
	return fold(x, binary.LittleEndian.Uint64(last[:]))
}

// A way is one way of packets from one rank to another. It distinguishes packets with equal headers and
// payloads by their number on that way.
type way struct {
	sum   uint64 // initial value of the checksums of its packets
	count uint64 // of the packets so far
}

// wayOf returns the way from one rank to another, in a packet ring or the shared one.
func wayOf(from, to int, ring bool) way {
	w := uint64(uint32(from))<<32 | uint64(uint32(to))<<1
	if ring {
		w |= 1
	}
	return way{sum: fold(start, w)}
}

// ringsOwn are the halves of the first two words of a header that belong to the ring.
const ringsOwn = 1<<32 - 1

// lengthBits is the position of the length above the packet's number.
const lengthBits = 40

// begin returns the checksum of a packet, whose header is in words (see [ir.Header.Words]), without its
// payload of n bytes.
func (w *way) begin(number uint64, words *[3]uint64, n int) uint64 {
	x := fold(w.sum, number^uint64(n)<<lengthBits)
	return fold(fold(x, words[0]&^ringsOwn|words[1]>>32), words[2])
}

// seal copies a packet's payload to the beginning of out and its checksum behind it, and returns both.
func (w *way) seal(number uint64, words *[3]uint64, out, payload []byte) []byte {
	n := len(payload)
	sum := w.begin(number, words, n)
	if n == 8 { // most often: one word
		word := binary.LittleEndian.Uint64(payload)
		binary.LittleEndian.PutUint64(out, word)
		sum = fold(sum, word)
	} else {
		sum = foldCopy(sum, out, payload)
	}
	binary.LittleEndian.PutUint64(out[n:], sum)
	return out[:n+sumBytes]
}

// open copies the payload of a sealed packet to the beginning of in and returns it; ok reports whether it is
// what its sender wrote.
func (w *way) open(number uint64, words *[3]uint64, in, packet []byte) (payload []byte, ok bool) {
	n := len(packet) - sumBytes
	if n < 0 {
		return nil, false
	}
	sum := w.begin(number, words, n)
	if n == 8 {
		word := binary.LittleEndian.Uint64(packet)
		binary.LittleEndian.PutUint64(in, word)
		sum = fold(sum, word)
	} else {
		sum = foldCopy(sum, in, packet[:n])
	}
	return in[:n], sum == binary.LittleEndian.Uint64(packet[n:])
}

// flagSum returns the checksum of a flag without its payload of n bytes.
func flagSum(from, flagArray int, seq, mark uint32, n int) uint64 {
	return fold(fold(start, uint64(from)<<32|uint64(n)<<16|uint64(uint16(flagArray))), uint64(seq)<<32|uint64(mark))
}
