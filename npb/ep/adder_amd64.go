//go:build !purego

package ep

//go:generate go run -C _asm . -out ../add_amd64.s

import (
	"math"

	"rhinet/npb/nas"
)

// newAdder returns the adder for a level.
func newAdder(level nas.Level) adder {
	switch level {
	case nas.AVX2:
		return newAVX2()
	case nas.AVX512:
		return newAVX512()
	}
	return addGo
}

// width is the number of pairs in a vector.
const width = 8

// lanes is the state of addAVX512, with one column per lane. The program in _asm uses the offsets.
type lanes struct {
	first, second [width]uint64 // states in the upper 46 bits, as in source
	sx, sy        [width]float64
	packed        [width]uint64 // counts of the bins 0 to 3, 16 bits each: enough for a batch
	rare          [bins]int64   // counts of the other bins
}

// constants holds the constants of addAVX512.
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

// width4 is the number of pairs in a vector of addAVX2.
const width4 = 4

// constants4 holds the constants of addAVX2.
type constants4 struct {
	inverse, value [16]float64
	vectors        [23][width4]uint64 // each the same bits four times
}

func newConstants4() *constants4 {
	bits := math.Float64bits
	const one = 0x3ff << 52
	c := &constants4{inverse: logInverse, value: logValue}
	for i, b := range [...]uint64{
		power(2 * width4), power(2*width4) >> 32,
		0x400 << 52, bits(3), one,
		one - logOrigin, 0xfff << 52, 15,
		bits(0x1p52), bits(0x1p52 + 1023), // an integer in the mantissa
		bits(minusTwoLn2), bits(2),
		1<<63 - 1, bits(4), 1,
		bits(logQ7), bits(logQ6), bits(logQ5), bits(logQ4), bits(logQ3), bits(logQ2), bits(logQ1), bits(logQ0),
	} {
		c.vectors[i] = [width4]uint64{b, b, b, b}
	}
	return c
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
		l.seed(x, width)
		addAVX512(&l, c, n/width)
		t.merge(&l)
	}
}

// newAVX2 is newAVX512 for processors with AVX2 and FMA: only the first half of
// the lanes is in use.
func newAVX2() adder {
	c := newConstants4()
	return func(t *tally, x uint64, n int) {
		var l lanes
		l.seed(x, width4)
		addAVX2(&l, c, n/width4)
		t.merge(&l)
	}
}

// seed sets the states of the first n lanes to those of the pairs after x.
func (l *lanes) seed(x uint64, n int) {
	s := newSource(x)
	for i := range n {
		l.first[i], l.second[i] = s.first, s.second
		s.first *= multiplier2
		s.second *= multiplier2
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

// addAVX2 is addGo for n vectors of four pairs.
//
//go:noescape
func addAVX2(l *lanes, c *constants4, n int)
