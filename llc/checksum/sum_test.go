package checksum

import (
	"bytes"
	"testing"
)

// TestSumOfEachBit: data that differ in one bit or two, or in length, have different checksums.
func TestSumOfEachBit(t *testing.T) {
	w := wayOf(1, 2, true)
	head := [3]uint64{1 << 40, 9 << 32, 7}
	for _, n := range []int{0, 1, 7, 8, 9, 16, 23, shortBytes, shortBytes + 1} {
		data := bytes.Repeat([]byte{0xa5}, n)
		packet := w.seal(5, &head, make([]byte, n+sumBytes), data)
		accepted := func(number uint64, head *[3]uint64, packet []byte) bool {
			_, ok := w.open(number, head, make([]byte, len(packet)), packet)
			return ok
		}
		in := make([]byte, n)
		if payload, ok := w.open(5, &head, in, packet); !ok || !bytes.Equal(payload, data) || !bytes.Equal(packet[:n], data) || !bytes.Equal(in, data) {
			t.Fatalf("%d bytes: %x, %t", n, payload, ok)
		}
		for bit := range 8 * len(packet) {
			packet[bit/8] ^= 1 << (bit % 8)
			if accepted(5, &head, packet) {
				t.Errorf("%d bytes: bit %d may change", n, bit)
			}
			for other := range bit {
				packet[other/8] ^= 1 << (other % 8)
				if accepted(5, &head, packet) {
					t.Errorf("%d bytes: bits %d and %d may change", n, other, bit)
				}
				packet[other/8] ^= 1 << (other % 8)
			}
			packet[bit/8] ^= 1 << (bit % 8)
		}
		for bit := range 192 {
			wrong := head
			wrong[bit/64] ^= 1 << (bit % 64)
			if own := bit < 128 && bit%64 < 32; accepted(5, &wrong, packet) != own {
				t.Errorf("%d bytes: header bit %d may change, or is the ring's own and may not", n, bit)
			}
		}
		for other := range uint64(1000) {
			if accepted(other, &head, packet) != (other == 5) {
				t.Errorf("%d bytes: packet 5 as packet %d", n, other)
			}
		}
		for _, other := range []way{wayOf(1, 2, false), wayOf(1, 3, true), wayOf(2, 1, true)} {
			if _, ok := other.open(5, &head, in, packet); ok {
				t.Errorf("%d bytes: came another way", n)
			}
		}
		for more := 1; more < 20; more++ {
			if sum := packet[n:]; accepted(5, &head, append(append(bytes.Clone(data), make([]byte, more)...), sum...)) {
				t.Errorf("%d bytes: %d zeros more", n, more)
			}
		}
		for k := range sumBytes {
			if accepted(5, &head, packet[:k]) {
				t.Errorf("%d bytes of a packet", k)
			}
		}
	}
}
