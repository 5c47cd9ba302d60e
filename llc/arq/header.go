package arq

import (
	"encoding/binary"
	"hash/crc32"
)

// HeaderBytes is the length of the header of a datagram:
//
//	0-3   checksum of all that follows, of sender and receiver
//	4-7   number of the packet; in a datagram without one, that of the next packet
//	8-11  the first number that the sender of the datagram has not received
//	12-19 a bit for each of the numbers behind that, set if it has been received
//	20-23 bytes of the packet, plus 1; 0: there is no packet
const HeaderBytes = 24

// Offsets in the header.
const (
	sumAt   = 0
	numAt   = 4
	ackAt   = 8
	maskAt  = 12
	sizeAt  = 20
	maskLen = 64
)

// A header is the header of a datagram.
type header struct {
	number, ack uint32
	mask        uint64
	packet      bool
}

// seal fills the header of a datagram from one peer to another.
func (h *header) seal(b []byte, from, to uint32) {
	size := uint32(0)
	if h.packet {
		size = uint32(len(b)-HeaderBytes) + 1
	}
	binary.LittleEndian.PutUint32(b[numAt:], h.number)
	binary.LittleEndian.PutUint32(b[ackAt:], h.ack)
	binary.LittleEndian.PutUint64(b[maskAt:], h.mask)
	binary.LittleEndian.PutUint32(b[sizeAt:], size)
	binary.LittleEndian.PutUint32(b[sumAt:], sum(b, from, to))
}

// open reads the header of a datagram, if it is as it was sent, and sent to this end.
func (h *header) open(b []byte, from, to uint32) bool {
	if len(b) < HeaderBytes || binary.LittleEndian.Uint32(b[sumAt:]) != sum(b, from, to) {
		return false
	}
	size := binary.LittleEndian.Uint32(b[sizeAt:])
	*h = header{
		number: binary.LittleEndian.Uint32(b[numAt:]), ack: binary.LittleEndian.Uint32(b[ackAt:]),
		mask: binary.LittleEndian.Uint64(b[maskAt:]), packet: size != 0,
	}
	return uint64(len(b)-HeaderBytes) == uint64(max(size, 1)-1)
}

// sum returns the checksum of a datagram.
func sum(b []byte, from, to uint32) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli) // made once, by the library
	start := crc32.Update(from<<16^to, table, b[numAt:HeaderBytes])
	return crc32.Update(start, table, b[HeaderBytes:])
}
