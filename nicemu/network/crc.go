package network

import (
	"math"
	"math/rand/v2"
)

// The lengths of CRCs for which there is a polynomial.
const (
	leastCRC = 4
	mostCRC  = 14
)

// polynomials of CRCs, by their number of bits, without the highest term.
var polynomials = [...]uint32{4: 0x3, 5: 0x15, 6: 0x2f, 7: 0x09, 8: 0x2f, 9: 0x0b9, 10: 0x233, 11: 0x005, 12: 0x80f, 13: 0x1cf5, 14: 0x202d}

// syndromes returns the effect of a wrong bit at each place of a flit on the CRC. CRCs are linear:
// wrong bits are not detected if their effects cancel out.
func syndromes(bits, crc int) []uint32 {
	s := make([]uint32, bits)
	r := uint32(1)
	for i := range s {
		s[i] = r
		r <<= 1
		if r>>crc != 0 {
			r ^= 1<<crc | polynomials[crc]
		}
	}
	return s
}

// noise draws the bits of flits that arrive wrong.
type noise struct {
	r    *rand.Rand
	rate float64 // probability of a wrong bit
	bits int     // of a flit
	gap  int     // right bits before the next wrong one
	sum  []uint32
}

func newNoise(r *rand.Rand, rate float64, bits, crc int) *noise {
	n := &noise{r: r, rate: rate, bits: bits}
	if crc > 0 {
		n.sum = syndromes(bits, crc)
	}
	n.gap = n.draw()
	return n
}

// never is more bits than a run sends.
const never = 1 << 60

// draw returns the number of right bits before a wrong one.
func (n *noise) draw() int {
	if n.rate == 0 {
		return never
	}
	return int(min(math.Log(1-n.r.Float64())/math.Log1p(-n.rate), never))
}

// flit returns the number of wrong bits of the next flit, and whether the CRC detects them.
func (n *noise) flit() (wrong int, seen bool) {
	sum := uint32(0)
	for n.gap < n.bits {
		if n.sum != nil {
			sum ^= n.sum[n.gap]
		}
		wrong++
		n.gap += 1 + n.draw()
	}
	n.gap -= n.bits
	return wrong, sum != 0
}
