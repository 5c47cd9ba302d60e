package wire

import (
	"encoding/binary"
	"fmt"
)

// CTSStreamBytes is the length of a CTSStreamBody.
const CTSStreamBytes = 12 + sealBytes

// A CTSStreamBody is the payload of a CTSStream packet: the receiver asks for the first
// want bytes of an offered message in Data packets that carry its id.
//
//	 0      8      12     16
//	| want | id   | seal |
type CTSStreamBody [CTSStreamBytes]byte

// Encode fills s, for a packet with word in its header.
func (s *CTSStreamBody) Encode(word, want uint64, id uint32) {
	binary.LittleEndian.PutUint64(s[:], want)
	binary.LittleEndian.PutUint32(s[8:], id)
	Seal(word, s[:])
}

// Want returns how many bytes the receiver has room for.
func (s *CTSStreamBody) Want() uint64 { return binary.LittleEndian.Uint64(s[:]) }

// ID returns the receiver's identifier of the transfer.
func (s *CTSStreamBody) ID() uint32 { return binary.LittleEndian.Uint32(s[8:]) }

// ParseCTSStream returns a copy of b, which must be exactly one CTSStreamBody that asks
// for something, as it was encoded for a packet with word in its header.
func ParseCTSStream(word uint64, b []byte) (s CTSStreamBody, err error) {
	if len(b) != CTSStreamBytes {
		return s, fmt.Errorf("CTS to stream of %d bytes, not %d", len(b), CTSStreamBytes)
	}
	s = CTSStreamBody(b)
	if err = sealed(word, s[:]); err != nil {
		return s, err
	}
	if s.ID() == 0 || s.Want() == 0 {
		return s, fmt.Errorf("CTS to stream for %d bytes with id %d", s.Want(), s.ID())
	}
	return s, nil
}
