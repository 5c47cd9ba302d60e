package agreement

import "encoding/binary"

// VoteHead is the length of a packed vote besides its value.
const VoteHead = 8

// Pack encodes the votes of a decision for another rank: of each its rank, its length, and its value.
func Pack(votes []Vote) (b []byte) {
	for _, v := range votes {
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Rank))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v.Value)))
		b = append(b, v.Value...)
	}
	return b
}

// Unpack is the inverse of Pack; ok is false if b is not votes of size ranks. The values lie in b.
func Unpack(b []byte, size int) (votes []Vote, ok bool) {
	for len(b) >= VoteHead {
		rank, n := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if b = b[VoteHead:]; rank >= uint32(size) || uint64(n) > uint64(len(b)) {
			return nil, false
		}
		votes, b = append(votes, Vote{int(rank), b[:n]}), b[n:]
	}
	return votes, len(b) == 0
}
