package traffic

import (
	"bytes"
	"encoding/binary"
)

// A key determines the bytes of a message or of a collective's part: any eight or more of them are
// different from all others of the job.
type key uint64

// keyOf returns the key of number n of something in a step of a lane.
func keyOf(seed uint64, lane, step, n int) key {
	return key(mix(mix(mix(seed)+uint64(lane)<<48+uint64(step)) + uint64(n)))
}

// mix is that of splitmix64: neighbouring inputs give unrelated values.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// word returns word number i of a key's bytes.
func (k key) word(i int) uint64 { return uint64(k) + mix(uint64(k)^uint64(i))*uint64(min(i, 1)) }

// fill writes the bytes of a key to b.
func (k key) fill(b []byte) {
	n := len(b) &^ 7
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], k.word(i/8))
	}
	var last [8]byte
	binary.LittleEndian.PutUint64(last[:], k.word(n/8))
	copy(b[n:], last[:])
}

// differs returns the index of the first byte of b that is not the key's, or -1.
func (k key) differs(b []byte) int {
	n := len(b) &^ 7
	var want [8]byte
	for i := 0; i < len(b); i += 8 {
		if i < n && binary.LittleEndian.Uint64(b[i:]) == k.word(i/8) {
			continue
		}
		binary.LittleEndian.PutUint64(want[:], k.word(i/8))
		part := b[i:min(i+8, len(b))]
		if !bytes.Equal(part, want[:len(part)]) {
			for j := range part {
				if part[j] != want[j] {
					return i + j
				}
			}
		}
	}
	return -1
}

// room returns a buffer of n bytes, with a guard behind it that must not change.
func room(n int) []byte {
	b := make([]byte, n+guardBytes)
	for i := n; i < len(b); i++ {
		b[i] = guard
	}
	return b[:n]
}

const (
	guardBytes = 32
	guard      = 0xa5
	spoilt     = 0xee
)

// intact reports whether the guard behind a buffer from room is unchanged.
func intact(b []byte) bool {
	for _, c := range b[len(b) : len(b)+guardBytes] {
		if c != guard {
			return false
		}
	}
	return true
}

// spoil overwrites a buffer whose send is complete, which its owner may do.
func spoil(b []byte) {
	for i := range b {
		b[i] = spoilt
	}
}
