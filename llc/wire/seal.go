package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// sealBytes is the length of the seal at the end of a body.
const sealBytes = 4

// Seal writes the last 4 bytes of body, a check of the others and of the word of its packet's header. A body
// names memory, identifiers and lengths: a wrong value that looks right would have the two sides wait for
// different things, and unlike a lost packet nothing else would show it.
func Seal(word uint64, body []byte) {
	n := len(body) - sealBytes
	binary.LittleEndian.PutUint32(body[n:], seal(word, body[:n]))
}

// sealed returns an error unless body, of at least sealBytes, carries its seal.
func sealed(word uint64, body []byte) error {
	n := len(body) - sealBytes
	if got, want := binary.LittleEndian.Uint32(body[n:]), seal(word, body[:n]); got != want {
		return fmt.Errorf("its body has the check %#x, not %#x: the memory that ranks share has been overwritten", got, want)
	}
	return nil
}

// seal mixes word and b, whose length is a multiple of 4. Each step is a bijection of what it mixes in.
func seal(word uint64, b []byte) uint32 {
	x := uint64(len(b)) ^ word
	for ; len(b) >= 8; b = b[8:] { // two at a time
		v := binary.LittleEndian.Uint64(b)
		x = mix(mix(x, v&math.MaxUint32), v>>32)
	}
	if len(b) > 0 {
		x = mix(x, uint64(binary.LittleEndian.Uint32(b)))
	}
	x *= 0xff51afd7ed558ccd
	return uint32(x >> 32)
}

func mix(x, v uint64) uint64 {
	x = x*0xff51afd7ed558ccd ^ v
	return x ^ x>>32
}
