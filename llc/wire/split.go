package wire

import (
	"encoding/binary"
	"fmt"
)

// SplitBytes is the length of a SplitBody.
const SplitBytes = 36 + sealBytes

// A SplitBody is the payload of a Split packet: the receiver invites the sender to
// move chunks of unit bytes, from the last one backwards, into segment. Each
// chunk is claimed first, by a compare-and-swap on word number index of the
// receiver's control area, whose value was claim when the packet left.
//
//	 0         8      16      24   28      32     36     40
//	| segment | want | claim | id | index | unit | seal |
type SplitBody [SplitBytes]byte

// Encode fills s, for a packet with word in its header.
func (s *SplitBody) Encode(word, segment, want uint64, claim Claim, id, index, unit uint32) {
	binary.LittleEndian.PutUint64(s[:], segment)
	binary.LittleEndian.PutUint64(s[8:], want)
	binary.LittleEndian.PutUint64(s[16:], uint64(claim))
	binary.LittleEndian.PutUint32(s[24:], id)
	binary.LittleEndian.PutUint32(s[28:], index)
	binary.LittleEndian.PutUint32(s[32:], unit)
	Seal(word, s[:])
}

// Segment returns the receiver's segment.
func (s *SplitBody) Segment() uint64 { return binary.LittleEndian.Uint64(s[:]) }

// Want returns how many bytes the receiver has room for.
func (s *SplitBody) Want() uint64 { return binary.LittleEndian.Uint64(s[8:]) }

// Claim returns the first value of the claim word.
func (s *SplitBody) Claim() Claim { return Claim(binary.LittleEndian.Uint64(s[16:])) }

// ID returns the receiver's identifier of the transfer.
func (s *SplitBody) ID() uint32 { return binary.LittleEndian.Uint32(s[24:]) }

// Index returns the number of the claim word in the receiver's control area.
func (s *SplitBody) Index() uint32 { return binary.LittleEndian.Uint32(s[28:]) }

// Unit returns the bytes of one chunk.
func (s *SplitBody) Unit() uint32 { return binary.LittleEndian.Uint32(s[32:]) }

// Chunks returns into how many chunks the message is cut.
func (s *SplitBody) Chunks() uint32 {
	return uint32((s.Want() + uint64(s.Unit()) - 1) / uint64(s.Unit()))
}

// ParseSplit returns a copy of b, which must be exactly one SplitBody, as it was
// encoded for a packet with word in its header, whose values are consistent: something to move, in 1 to MaxChunks chunks, and a claim
// word that names no chunk of the sender yet.
func ParseSplit(word uint64, b []byte) (s SplitBody, err error) {
	if len(b) != SplitBytes {
		return s, fmt.Errorf("split request of %d bytes, not %d", len(b), SplitBytes)
	}
	s = SplitBody(b)
	if err = sealed(word, s[:]); err != nil {
		return s, err
	}
	if s.ID() == 0 || s.Segment() == 0 || s.Want() == 0 || s.Unit() == 0 {
		return s, fmt.Errorf("split request with id %d, segment %d, %d bytes in chunks of %d",
			s.ID(), s.Segment(), s.Want(), s.Unit())
	}
	if s.Want() > uint64(s.Unit())*MaxChunks {
		return s, fmt.Errorf("split request for %d bytes in chunks of %d: more than %d chunks", s.Want(), s.Unit(), MaxChunks)
	}
	if c := s.Claim(); c.Back() != 0 || c.Front() > s.Chunks() {
		return s, fmt.Errorf("split request whose claim word starts as %v of %d", c, s.Chunks())
	}
	return s, nil
}
