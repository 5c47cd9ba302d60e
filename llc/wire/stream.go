package wire

import (
	"encoding/binary"
	"fmt"
)

// StreamBytes is the length of a StreamBody.
const StreamBytes = 12

// A StreamBody is the payload of a Stream packet: the receiver asks for the first
// want bytes of an offered message in Data packets that carry its id.
//
//	 0      8      12
//	| want | id   |
type StreamBody [StreamBytes]byte

// Encode fills s.
func (s *StreamBody) Encode(want uint64, id uint32) {
	binary.LittleEndian.PutUint64(s[:], want)
	binary.LittleEndian.PutUint32(s[8:], id)
}

// Want returns how many bytes the receiver has room for.
func (s *StreamBody) Want() uint64 { return binary.LittleEndian.Uint64(s[:]) }

// ID returns the receiver's identifier of the transfer.
func (s *StreamBody) ID() uint32 { return binary.LittleEndian.Uint32(s[8:]) }

// ParseStream returns a copy of b, which must be exactly one StreamBody that asks
// for something.
func ParseStream(b []byte) (s StreamBody, err error) {
	if len(b) != StreamBytes {
		return s, fmt.Errorf("stream request of %d bytes, not %d", len(b), StreamBytes)
	}
	if s = StreamBody(b); s.ID() == 0 || s.Want() == 0 {
		return s, fmt.Errorf("stream request for %d bytes with id %d", s.Want(), s.ID())
	}
	return s, nil
}
