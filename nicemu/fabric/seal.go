package fabric

// Seal computes a checksum that other contents of the words are very unlikely to have. It is not
// secret: it detects memory that was overwritten, not memory that was forged.
func Seal(words ...uint64) (x uint64) {
	for _, w := range words {
		x = mix(x, w)
	}
	return x
}

// Seal4 is [Seal] of four words, without an array.
func Seal4(a, b, c, d uint64) uint64 { return mix(mix(mix(mix(0, a), b), c), d) }

func mix(x, w uint64) uint64 {
	x = (x + 0x9e3779b97f4a7c15 ^ w) * 0xff51afd7ed558ccd
	return x ^ x>>32
}
