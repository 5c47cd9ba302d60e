//go:build !purego

package ep

//go:generate go run -C _asm . -out ../add_amd64.s

import (
	"math"

	"github.com/klauspost/cpuid/v2"
)

// fastest returns the adder for this processor.
func fastest() adder {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.BMI1) {
		return newAVX512()
	}
	return addGo
}

// width is the number of pairs in a vector.
const width = 8

// lanes is the state of addAVX512: one column per lane. The program in _asm
// knows the offsets.
type lanes struct {
	first, second [width]uint64 // states in the upper 46 bits, as in source
	sx, sy        [width]float64
	packed        [width]uint64 // counts of the bins 0 to 3, 16 bits each: enough for a batch
	rare          [bins]int64   // counts of the others
}

// constants is what addAVX512 computes with.
type constants struct {
	inverse, value [16]float64
	q              [8]float64
	scalars        [14]uint64 // bits
}

func newConstants() *constants {
	bits := math.Float64bits
	return &constants{
		inverse: logInverse, value: logValue,
		q: [8]float64{logQ7, logQ6, logQ5, logQ4, logQ3, logQ2, logQ1, logQ0},
		scalars: [14]uint64{
			power(2 * width),
			0x400 << 52, // the exponent of numbers in [2, 4)
			bits(3), bits(1),
			logOrigin,
			0xfff << 52,
			bits(minusTwoLn2), bits(2),
			bits(0x1p-996), // below every product of logarithm and radius
			bits(5.0 / 16), bits(3.0 / 8), bits(0.5),
			bits(4),
			1,
		},
	}
}

// power returns multiplier^n modulo 2^64.
func power(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= multiplier
	}
	return p
}

// newAVX512 returns the adder for processors with AVX-512. Its deviates differ
// from those of addGo by a few units in the last place; the counts are the same.
func newAVX512() adder {
	c := newConstants()
	return func(t *tally, x uint64, n int) {
		var l lanes
		s := newSource(x)
		for i := range width {
			l.first[i], l.second[i] = s.first, s.second
			s.first *= multiplier2
			s.second *= multiplier2
		}
		addAVX512(&l, c, n/width)
		t.merge(&l)
	}
}

// merge adds the lanes to t.
func (t *tally) merge(l *lanes) {
	for i := range width {
		t.sums[0] += l.sx[i]
		t.sums[1] += l.sy[i]
		for bin := range 4 {
			t.q[bin] += int64(l.packed[i] >> (16 * bin) & 0xffff)
		}
	}
	for bin, count := range l.rare {
		t.q[bin] += count
	}
}

// addAVX512 is addGo for n vectors of eight pairs.
//
//go:noescape
func addAVX512(l *lanes, c *constants, n int)
