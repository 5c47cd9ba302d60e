package vec

// Sum adds in to inout. Integers wrap around.
func Sum[T Number](in, inout []T) {
	in = in[:len(inout)]
	if len(inout) >= shortest {
		n := fastSum(in, inout)
		in, inout = in[n:], inout[n:]
	}
	for i, v := range in {
		inout[i] += v
	}
}

// Prod multiplies inout by in. Integers wrap around.
func Prod[T Number](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] *= v
	}
}

// Min keeps the smaller of the elements of in and inout. As with Go's min, a
// NaN on either side gives a NaN, of unspecified bits, and -0 is below +0.
func Min[T Real](in, inout []T) {
	in = in[:len(inout)]
	if len(inout) >= shortest {
		n := fastMin(in, inout)
		in, inout = in[n:], inout[n:]
	}
	for i, v := range in {
		inout[i] = min(inout[i], v)
	}
}

// Max keeps the larger of the elements of in and inout. As with Go's max, a
// NaN on either side gives a NaN, of unspecified bits, and +0 is above -0.
func Max[T Real](in, inout []T) {
	in = in[:len(inout)]
	if len(inout) >= shortest {
		n := fastMax(in, inout)
		in, inout = in[n:], inout[n:]
	}
	for i, v := range in {
		inout[i] = max(inout[i], v)
	}
}
