package stepped

import "encoding/binary"

// A joint is J-joint (martini, section 7.2): payload arrives in double words from byte 0 on, and
// its place in memory may begin anywhere within one. So each double word that is written is
// composed of two that arrived.
type joint struct {
	shift uint // offset of the target from a double word, in bytes
	carry uint64
	begun bool
}

// written returns how many of size bytes are complete when done have passed: bytes in the carry are
// not, unless nothing comes after them.
func (j *joint) written(done, size int) int {
	if done < size {
		done = max(0, done-int(j.shift))
	}
	return done
}

// pass writes payload to dst from byte at on. Pieces come in order and all but
// the last are whole double words.
func (j *joint) pass(dst []byte, at int, payload []byte) {
	if j.shift == 0 {
		copy(dst[at:], payload)
		return
	}
	bits := 8 * j.shift
	at -= int(j.shift) // place of the double word of memory that is written next
	for len(payload) > 0 {
		var in [8]byte
		n := copy(in[:], payload)
		payload = payload[n:]
		w := binary.LittleEndian.Uint64(in[:])
		out := j.carry | w<<bits
		j.carry = w >> (64 - bits)
		enable := 0
		if !j.begun {
			enable, j.begun = int(j.shift), true
		}
		put(dst, at, out, enable, int(j.shift)+n)
		at += 8
	}
	if rest := len(dst) - at; rest > 0 && rest <= int(j.shift) { // no payload comes after it
		put(dst, at, j.carry, 0, rest)
	}
}

// put writes the bytes of v whose enables are set: from first up to but without end.
func put(dst []byte, at int, v uint64, first, end int) {
	if first == 0 && end >= 8 {
		binary.LittleEndian.PutUint64(dst[at:], v)
		return
	}
	for i := first; i < min(end, 8) && at+i < len(dst); i++ {
		dst[at+i] = byte(v >> (8 * i))
	}
}
