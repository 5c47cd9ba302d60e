package wire

import (
	"encoding/binary"
	"fmt"
)

// CTSSplitBytes is the length of a CTSSplitBody.
const CTSSplitBytes = 36 + sealBytes

// A CTSSplitBody is the payload of a CTSSplit packet: the receiver invites the sender to
// move chunks of unit bytes, from the last one backwards, into segment. Each
// chunk is claimed first, by a compare-and-swap on word number index of the
// receiver's control area, whose value was claim when the packet left.
//
//	 0         8      16      24   28      32     36     40
//	| segment | want | claim | id | index | unit | seal |
type CTSSplitBody [CTSSplitBytes]byte

// Encode fills s, for a packet with word in its header.
func (s *CTSSplitBody) Encode(word, segment, want uint64, claim Claim, id, index, unit uint32) {
	binary.LittleEndian.PutUint64(s[:], segment)
	binary.LittleEndian.PutUint64(s[8:], want)
	binary.LittleEndian.PutUint64(s[16:], uint64(claim))
	binary.LittleEndian.PutUint32(s[24:], id)
	binary.LittleEndian.PutUint32(s[28:], index)
	binary.LittleEndian.PutUint32(s[32:], unit)
	Seal(word, s[:])
}

// Segment returns the receiver's segment.
func (s *CTSSplitBody) Segment() uint64 { return binary.LittleEndian.Uint64(s[:]) }

// Want returns how many bytes the receiver has room for.
func (s *CTSSplitBody) Want() uint64 { return binary.LittleEndian.Uint64(s[8:]) }

// Claim returns the first value of the claim word.
func (s *CTSSplitBody) Claim() Claim { return Claim(binary.LittleEndian.Uint64(s[16:])) }

// ID returns the receiver's identifier of the transfer.
func (s *CTSSplitBody) ID() uint32 { return binary.LittleEndian.Uint32(s[24:]) }

// Index returns the number of the claim word in the receiver's control area.
func (s *CTSSplitBody) Index() uint32 { return binary.LittleEndian.Uint32(s[28:]) }

// Unit returns the bytes of one chunk.
func (s *CTSSplitBody) Unit() uint32 { return binary.LittleEndian.Uint32(s[32:]) }

// Chunks returns the number of chunks of the message.
func (s *CTSSplitBody) Chunks() uint32 {
	return uint32((s.Want() + uint64(s.Unit()) - 1) / uint64(s.Unit()))
}

// ParseCTSSplit returns a copy of b, which must be exactly one CTSSplitBody, as it was encoded for a packet
// with word in its header. Its values must be consistent: something to move, in 1 to MaxChunks chunks, and a
// claim word in which the sender has no chunk yet.
func ParseCTSSplit(word uint64, b []byte) (s CTSSplitBody, err error) {
	if len(b) != CTSSplitBytes {
		return s, fmt.Errorf("CTS to split of %d bytes, not %d", len(b), CTSSplitBytes)
	}
	s = CTSSplitBody(b)
	if err = sealed(word, s[:]); err != nil {
		return s, err
	}
	if s.ID() == 0 || s.Segment() == 0 || s.Want() == 0 || s.Unit() == 0 {
		return s, fmt.Errorf("CTS to split with id %d, segment %d, %d bytes in chunks of %d",
			s.ID(), s.Segment(), s.Want(), s.Unit())
	}
	if s.Want() > uint64(s.Unit())*MaxChunks {
		return s, fmt.Errorf("CTS to split for %d bytes in chunks of %d: more than %d chunks", s.Want(), s.Unit(), MaxChunks)
	}
	if c := s.Claim(); c.Back() != 0 || c.Front() > s.Chunks() {
		return s, fmt.Errorf("CTS to split whose claim word starts as %v of %d", c, s.Chunks())
	}
	return s, nil
}
