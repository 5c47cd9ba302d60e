package ep

import "math"

// A tally is the result of EP: the sums of the deviates, and their counts by the larger of the two
// magnitudes, rounded down.
type tally struct {
	sums [2]float64 // of X and of Y
	q    [bins]int64
}

// pairs returns the number of accepted pairs.
func (t *tally) pairs() int64 {
	var n int64
	for _, c := range t.q {
		n += c
	}
	return n
}

// An adder adds the n pairs that follow state x to t. n is a multiple of
// blockPairs and at most the size of a batch; states are those of nas.Random.
type adder func(t *tally, x uint64, n int)

// blockPairs is how many pairs addGo draws before it transforms the accepted ones: few enough for the
// buffers to stay in the first-level cache.
const blockPairs = 256

// A block holds accepted pairs and their squared radii.
type block struct{ x, y, t [blockPairs]float64 }

// addGo is the adder in Go.
func addGo(t *tally, x uint64, n int) {
	var b block
	s := newSource(x)
	for ; n > 0; n -= blockPairs {
		accepted := s.draw(&b)
		t.add(&b, accepted)
	}
}

// A source delivers the sequence in two streams, one for the first and one for the second number of each
// pair: two short chains of multiplications instead of one long one. States are kept in the upper 46 bits
// of a word, so that the product needs no mask.
type source struct{ first, second uint64 }

const (
	multiplier  = 1220703125
	multiplier2 = multiplier * multiplier // two steps at once
)

func newSource(x uint64) source {
	x <<= 64 - 46
	return source{x * multiplier, x * multiplier2}
}

// draw fills b with those of the next blockPairs pairs that are in the unit circle and returns their
// number.
func (s *source) draw(b *block) int {
	n := 0
	first, second := s.first, s.second
	for range blockPairs {
		// The state becomes the mantissa of a number in [1, 2): 1 + value.
		x := 2*math.Float64frombits(first>>12|0x3ff<<52) - 3
		y := 2*math.Float64frombits(second>>12|0x3ff<<52) - 3
		first *= multiplier2
		second *= multiplier2
		// Not fused: the decision below must be the same everywhere.
		t := float64(x*x) + float64(y*y)
		i := n & (blockPairs - 1)
		b.x[i], b.y[i], b.t[i] = x, y, t
		if t <= 1 {
			n++
		}
	}
	s.first, s.second = first, second
	return n
}

// add transforms the first n pairs of b into deviates and adds them to t.
func (t *tally) add(b *block, n int) {
	var sx, sy float64
	xs, ys, ts := b.x[:n], b.y[:n], b.t[:n]
	xs, ys = xs[:len(ts)], ys[:len(ts)]
	for i, r := range ts {
		f := math.Sqrt(minusTwoLog(r) / r)
		x, y := xs[i]*f, ys[i]*f
		sx += x
		sy += y
		// At most 11.2, for the smallest possible r; more than 9 never occurs.
		t.q[min(uint(max(math.Abs(x), math.Abs(y))), bins-1)]++
	}
	t.sums[0] += sx
	t.sums[1] += sy
}
