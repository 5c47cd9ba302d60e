package vec

// BAnd keeps the bits that are set in both in and inout.
func BAnd[T Integer](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] &= v
	}
}

// BOr adds the bits of in to inout.
func BOr[T Integer](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] |= v
	}
}

// BXor flips the bits of inout that are set in in.
func BXor[T Integer](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] ^= v
	}
}

// LAnd sets inout to 1 where in and inout are both not 0, else to 0.
func LAnd[T Real](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = truth[T](v != 0 && inout[i] != 0)
	}
}

// LOr sets inout to 1 where in or inout is not 0, else to 0.
func LOr[T Real](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = truth[T](v != 0 || inout[i] != 0)
	}
}

// LXor sets inout to 1 where one of in and inout is 0 and the other is not, else to 0.
func LXor[T Real](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = truth[T]((v != 0) != (inout[i] != 0))
	}
}

func truth[T Real](b bool) T {
	if b {
		return 1
	}
	return 0
}

// BoolAnd is the logical and of bool.
func BoolAnd[T ~bool](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = v && inout[i]
	}
}

// BoolOr is the logical or of bool.
func BoolOr[T ~bool](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = v || inout[i]
	}
}

// BoolXor is the logical exclusive or of bool.
func BoolXor[T ~bool](in, inout []T) {
	in = in[:len(inout)]
	for i, v := range in {
		inout[i] = v != inout[i]
	}
}
