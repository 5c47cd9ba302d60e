// Package ring moves bytes with boundaries through memory that two or more
// address spaces share: a packet ring has one writer and one reader, a shared
// ring has many writers and one reader.
//
// Everything is counted in lines of 64 bytes. A packet takes one line whose
// first three words are its header; a payload of at most [Inline] bytes lies
// in the same line. In a packet ring, a longer payload of at most [Short] bytes
// lies in the slot that the line begins, and only one that is longer still lies
// where there is room. A line becomes visible when the low 32 bits of its first
// word, the sequence, take the value [Seq] of the line's number: lines are
// numbered from 0 and never wrap, so a line of an earlier lap never looks new
// and nothing needs clearing.
//
//	bits     63........32 31.........0
//	word 0   caller's     sequence (never 0)
//	word 1   caller's     payload bytes (shared ring: also the source)
//	word 2   caller's
//	word 3-7 payload of at most 40 bytes
//
// The reader trusts nothing that it finds in such memory: lengths are checked where they are read, and
// positions are computed on both sides and never sent.
//
// The protocol follows "pm-messaging", sections 1.4 (one ring a pair, the
// sender's lazily refreshed view of the tail) and 2 (one ring for all, with a
// receive pointer and a release pointer).
package ring
