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
type StreamBody []byte

// Encode fills s, of StreamBytes bytes.
func (s StreamBody) Encode(want uint64, id uint32) {
	_ = s[StreamBytes-1]
	binary.LittleEndian.PutUint64(s, want)
	binary.LittleEndian.PutUint32(s[8:], id)
}

// Want returns how many bytes the receiver has room for.
func (s StreamBody) Want() uint64 { return binary.LittleEndian.Uint64(s) }

// ID returns the receiver's identifier of the transfer.
func (s StreamBody) ID() uint32 { return binary.LittleEndian.Uint32(s[8:]) }

// ParseStream returns a view of b, which must be exactly one StreamBody that asks
// for something.
func ParseStream(b []byte) (StreamBody, error) {
	if len(b) != StreamBytes {
		return nil, fmt.Errorf("stream request of %d bytes, not %d", len(b), StreamBytes)
	}
	s := StreamBody(b)
	if s.ID() == 0 || s.Want() == 0 {
		return nil, fmt.Errorf("stream request for %d bytes with id %d", s.Want(), s.ID())
	}
	return s, nil
}
