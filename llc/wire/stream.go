package wire

import (
	"encoding/binary"
	"fmt"
)

// StreamBytes is the length of a StreamBody.
const StreamBytes = 12 + sealBytes

// A StreamBody is the payload of a Stream packet: the receiver asks for the first
// want bytes of an offered message in Data packets that carry its id.
//
//	 0      8      12     16
//	| want | id   | seal |
type StreamBody [StreamBytes]byte

// Encode fills s, for a packet with word in its header.
func (s *StreamBody) Encode(word, want uint64, id uint32) {
	binary.LittleEndian.PutUint64(s[:], want)
	binary.LittleEndian.PutUint32(s[8:], id)
	Seal(word, s[:])
}

// Want returns how many bytes the receiver has room for.
func (s *StreamBody) Want() uint64 { return binary.LittleEndian.Uint64(s[:]) }

// ID returns the receiver's identifier of the transfer.
func (s *StreamBody) ID() uint32 { return binary.LittleEndian.Uint32(s[8:]) }

// ParseStream returns a copy of b, which must be exactly one StreamBody that asks
// for something, as it was encoded for a packet with word in its header.
func ParseStream(word uint64, b []byte) (s StreamBody, err error) {
	if len(b) != StreamBytes {
		return s, fmt.Errorf("stream request of %d bytes, not %d", len(b), StreamBytes)
	}
	s = StreamBody(b)
	if err = sealed(word, s[:]); err != nil {
		return s, err
	}
	if s.ID() == 0 || s.Want() == 0 {
		return s, fmt.Errorf("stream request for %d bytes with id %d", s.Want(), s.ID())
	}
	return s, nil
}
